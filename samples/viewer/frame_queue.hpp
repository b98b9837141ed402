// SPDX-License-Identifier: MIT
// Frames in flight: command buffers that are reused when the GPU is done with them. Frame numbers
// start at 1 and are the values of one timeline semaphore.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <quarry/upload_ring.hpp>

#include "viewer/gpu.hpp"
#include "viewer/material_bindings.hpp"
#include "viewer/upload_lane.hpp"

namespace quarry::viewer {

class FrameQueue {
 public:
  static Outcome<FrameQueue> create(Gpu& gpu);

  /// Waits for the frame that used this slot before, takes its ring space back, begins recording.
  Outcome<VkCommandBuffer> begin(UploadRing& ring);
  /// Submits. `waits` must be signalled or submitted already; `signal`: a binary semaphore, or
  /// null.
  Outcome<void> submit(UploadRing& ring, std::span<const VkSemaphoreSubmitInfo> waits,
                       VkSemaphore signal);
  /// Waits for all frames.
  void drain();

  std::uint64_t recording() const { return number_; }     ///< number of the frame begun last
  std::uint64_t completed() const { return completed_; }  ///< as known at begin()
  std::uint32_t slot() const { return static_cast<std::uint32_t>(number_ % kFramesInFlight); }

 private:
  Outcome<void> wait(std::uint64_t value);

  Gpu* gpu_ = nullptr;
  DeviceObject<VkSemaphore> timeline_;
  std::array<DeviceObject<VkCommandPool>, kFramesInFlight> pools_;
  std::array<VkCommandBuffer, kFramesInFlight> commands_{};
  std::uint64_t number_ = 0;
  std::uint64_t submitted_ = 0;
  std::uint64_t completed_ = 0;
};

}  // namespace quarry::viewer
