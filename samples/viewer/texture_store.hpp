// SPDX-License-Identifier: MIT
// Which mips of each texture are resident: carries out the planner's moves through the loader,
// swaps images in when the GPU has them, and hands old ones back when the GPU is done with them.
// Used by the frame loop's thread alone; no call waits.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <quarry/defragmentation.hpp>

#include "viewer/stream_plan.hpp"
#include "viewer/texture_loader.hpp"

namespace quarry::viewer {

/// What the camera needs of one texture.
struct TextureWish {
  std::uint32_t level = 0;  ///< as for TextureSource::image_info
  float pixels = 0.0f;
};

/// What the next submission to the graphics queue has to do before it samples new images.
struct Arrivals {
  std::vector<VkSemaphoreSubmitInfo> waits;
  std::vector<VkImageMemoryBarrier2> acquires;
};

class TextureStore {
 public:
  TextureStore(Gpu& gpu, Memory& memory, TextureLoader& loader, std::vector<TextureSource> sources);
  TextureStore(const TextureStore&) = delete;
  TextureStore& operator=(const TextureStore&) = delete;
  /// The GPU must be done with all images.
  ~TextureStore();

  std::uint32_t size() const { return static_cast<std::uint32_t>(textures_.size()); }
  const TextureSource& source(std::uint32_t texture) const { return sources_[texture]; }
  /// Coarsest level of the texture that is ever asked for.
  std::uint32_t coarsest(std::uint32_t texture) const {
    return static_cast<std::uint32_t>(sources_[texture].level_bytes.size()) - 1;
  }

  /// Once a frame, before recording: takes in what was loaded. `completed`: frames that the GPU has
  /// done; `recording`: the frame that is recorded next.
  Arrivals update(std::uint64_t completed, std::uint64_t recording);
  /// Once a frame, after update: starts what the wishes and the budget allow.
  void stream(const std::vector<TextureWish>& wishes);

  /// Of a texture that is shown: how the GPU uses it. False for every other image: it stays.
  bool describe_use(const MovableResource& resource, ResourceState& state) const;
  /// From now on it is shown from where it was moved to. `recording`: the frame that moves it.
  Outcome<void> take_over(const MovedResource& moved, std::uint64_t recording);

  /// Null until the first mips are there.
  VkImageView view(std::uint32_t texture) const { return textures_[texture].image.view.get(); }
  bool broken(std::uint32_t texture) const { return textures_[texture].broken; }
  std::uint32_t resident_level(std::uint32_t texture) const { return textures_[texture].level; }
  /// True when nothing is on its way, in either direction.
  bool settled() const;
  /// Messages about textures that could not be loaded, since the last call.
  std::vector<std::string> take_problems();

  Shortfall lack() const { return shortfall(states_); }
  std::uint64_t live_bytes() const { return used_; }
  /// Bytes that an upgrade may still take.
  std::uint64_t budget_left() const;

 private:
  struct Texture {
    TextureImage image;
    std::uint32_t level = kNothingResident;
    bool broken = false;
  };
  struct Retired {
    TextureImage image;
    std::uint64_t frame = 0;  ///< the last that may use it
  };
  /// Of an image that is not where it was any more.
  struct RetiredView {
    DeviceObject<VkImageView> view;
    std::uint64_t frame = 0;  ///< the last that may use it
  };

  void take_results();
  void swap_in(LoadResult& result, std::uint64_t recording, Arrivals& arrivals);
  std::uint32_t shown_as(VkImage image) const;
  void give_way();
  void no_room(std::uint32_t texture, std::uint64_t bytes);
  std::uint64_t texture_budget() const;
  std::uint64_t spare() const;

  Gpu& gpu_;
  Memory& memory_;
  TextureLoader& loader_;
  std::vector<TextureSource> sources_;
  std::vector<Texture> textures_;
  std::vector<TextureState> states_;
  std::vector<LoadResult> arriving_;  ///< submitted, not yet done by the GPU
  std::deque<Retired> retired_;
  std::deque<RetiredView> retired_views_;
  std::vector<std::string> problems_;
  std::uint64_t used_ = 0;      ///< bytes of images alive or asked for
  std::uint64_t replaced_ = 0;  ///< of `used_`: images that a load under way will replace
  std::uint64_t retiring_ = 0;  ///< of `used_`: replaced, not freed yet
  std::uint64_t disposed_seen_ = 0;
  std::uint32_t loading_ = 0;
  /// Bytes of the budget that turned out to be unusable because free memory was in pieces;
  /// forgotten little by little while the wishes change.
  std::uint64_t unusable_ = 0;
  std::vector<std::uint32_t> last_wishes_;
};

}  // namespace quarry::viewer
