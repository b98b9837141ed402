// SPDX-License-Identifier: MIT
// Threads that make, fill and free texture images, so that the frame loop never waits for a file,
// an upload or the driver's memory calls.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "viewer/upload_lane.hpp"

namespace quarry::viewer {

struct LoadRequest {
  std::uint32_t texture = 0;              ///< the caller's number
  std::uint32_t level = 0;                ///< as for TextureSource::image_info
  const TextureSource* source = nullptr;  ///< must live until the result is there
};

enum class LoadStatus : std::uint8_t {
  submitted,  ///< `image` is being filled, done with `ticket`
  no_room,    ///< the allocator had no memory within the budget
  failed,     ///< for the reason in `problem`
};

struct LoadResult {
  LoadRequest request;
  LoadStatus status = LoadStatus::failed;
  TextureImage image;
  UploadTicket ticket;
  std::string problem;
};

class TextureLoader {
 public:
  static Outcome<std::unique_ptr<TextureLoader>> create(Gpu& gpu, Memory& memory,
                                                        std::uint32_t threads,
                                                        std::uint64_t ring_bytes);
  TextureLoader(Gpu& gpu, Memory& memory) : gpu_(gpu), memory_(memory) {}
  TextureLoader(const TextureLoader&) = delete;
  TextureLoader& operator=(const TextureLoader&) = delete;
  /// Ends the threads; requests that have not begun are dropped, images not taken are destroyed.
  ~TextureLoader();

  void load(const LoadRequest& request);
  /// Lets a thread give back what the allocator keeps in reserve.
  void trim();
  /// Destroys an image that the GPU is done with.
  void dispose(TextureImage image);
  std::vector<LoadResult> take_results();

  std::uint64_t uploaded_bytes() const { return uploaded_.load(); }
  /// Device bytes that dispose() has given back so far.
  std::uint64_t disposed_bytes() const { return disposed_.load(); }

 private:
  void run(UploadLane& lane);
  LoadResult carry_out(const LoadRequest& request, UploadLane& lane);
  Outcome<TextureImage> make_image(const LoadRequest& request, LoadStatus& status);
  void destroy(TextureImage& image);

  Gpu& gpu_;
  Memory& memory_;
  std::atomic<std::uint64_t> uploaded_{0};
  std::atomic<std::uint64_t> disposed_{0};
  std::vector<std::unique_ptr<UploadLane>> lanes_;
  std::mutex
      mutex_;  // Guards the members below; never held over a call of Vulkan or the allocator.
  std::condition_variable work_;
  std::deque<LoadRequest> requests_;
  std::deque<TextureImage> doomed_;
  std::vector<LoadResult> results_;
  bool trim_wanted_ = false;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace quarry::viewer
