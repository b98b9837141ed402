// SPDX-License-Identifier: MIT
// Brings textures from file to image, one after the other: staging ring, command buffers and a
// timeline semaphore of its own, so that several lanes (one a thread) never wait for each other.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include <volk.h>

#include <quarry/upload_ring.hpp>

#include "viewer/gpu.hpp"
#include "viewer/memory.hpp"
#include "viewer/texture_image.hpp"

namespace quarry::viewer {

/// When an upload is done: the GPU has reached `value` of `timeline`.
struct UploadTicket {
  VkSemaphore timeline = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

class UploadLane {
 public:
  /// Bytes handed to the GPU are added to `uploaded`, which must outlive the lane.
  static Outcome<std::unique_ptr<UploadLane>> create(Gpu& gpu, Memory& memory,
                                                     std::uint64_t ring_bytes,
                                                     std::atomic<std::uint64_t>& uploaded);
  UploadLane(Gpu& gpu, std::atomic<std::uint64_t>& uploaded)
      : gpu_(gpu), queue_(gpu.transfer()), uploaded_(uploaded) {}
  UploadLane(const UploadLane&) = delete;
  UploadLane& operator=(const UploadLane&) = delete;
  ~UploadLane();

  /// Fills every mip of `image`, made from source.image_info(level). Blocks while the ring is full.
  /// The image ends in SHADER_READ_ONLY_OPTIMAL for fragment shaders of the graphics family; where
  /// the copy queue is of another family, acquire_barrier() has to follow there.
  Outcome<UploadTicket> upload(VkImage image, const TextureSource& source, std::uint32_t level);
  /// Waits until the GPU has done everything that was submitted here.
  void drain();

 private:
  static constexpr std::size_t kBatches = 6;
  struct Batch {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    std::uint64_t value = 0;  ///< 0: never submitted
  };

  Outcome<void> begin();
  Outcome<void> submit();
  Outcome<UploadSpan> take(std::uint64_t bytes, std::uint64_t alignment);
  Outcome<void> copy(VkImage image, const TextureSource& source, std::uint32_t level,
                     const Slice& slice);
  void barrier(const VkImageMemoryBarrier2& barrier);
  Outcome<void> wait(std::uint64_t value);

  Gpu& gpu_;
  Queue& queue_;
  std::atomic<std::uint64_t>& uploaded_;
  UploadRing ring_;
  DeviceObject<VkCommandPool> pool_;
  DeviceObject<VkSemaphore> timeline_;
  std::array<Batch, kBatches> batches_;
  std::size_t current_ = 0;
  bool recording_ = false;
  std::uint64_t recorded_bytes_ = 0;
  std::uint64_t submitted_ = 0;  ///< last value
};

Outcome<DeviceObject<VkSemaphore>> make_timeline(VkDevice device);

/// What the graphics queue has to do before it samples an image that another family filled: the
/// second half of the ownership transfer. Null family indices where there is but one family.
VkImageMemoryBarrier2 acquire_barrier(Gpu& gpu, VkImage image);
bool needs_acquire(Gpu& gpu);

}  // namespace quarry::viewer
