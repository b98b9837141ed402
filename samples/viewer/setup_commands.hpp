// SPDX-License-Identifier: MIT
// Work for the graphics queue that is waited for: filling buffers and images before the first
// frame, pictures that are read back. Not for the frame loop.
#pragma once

#include <cstddef>
#include <span>

#include <volk.h>

#include <quarry/upload_ring.hpp>

#include "viewer/device_object.hpp"
#include "viewer/gpu.hpp"
#include "viewer/memory.hpp"

namespace quarry::viewer {

class SetupCommands {
 public:
  /// `ring` must outlive this; what others took from it before begin() may be in flight.
  static Outcome<SetupCommands> create(Gpu& gpu, UploadRing& ring);

  /// Between begin and finish: the command buffer to record into.
  Outcome<VkCommandBuffer> begin();
  /// Copies bytes into a buffer from `offset` on.
  Outcome<void> fill_buffer(VkBuffer buffer, VkDeviceSize offset, std::span<const std::byte> bytes);
  /// Copies one mip into an image in TRANSFER_DST_OPTIMAL.
  Outcome<void> fill_image(VkImage image, std::uint32_t mip, VkExtent2D extent,
                           std::span<const std::byte> bytes);
  /// Space for constants or vertices that lives until finish returns.
  UploadRing& ring() { return *ring_; }
  /// Submits and waits until the GPU is done. `waits` must be signalled or submitted already.
  Outcome<void> finish(std::span<const VkSemaphoreSubmitInfo> waits = {});

 private:
  Gpu* gpu_ = nullptr;
  UploadRing* ring_ = nullptr;
  DeviceObject<VkCommandPool> pool_;
  DeviceObject<VkSemaphore> timeline_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  std::uint64_t value_ = 0;
};

/// A barrier for one image without a change of owner.
VkImageMemoryBarrier2 image_barrier(VkImage image, VkImageAspectFlags aspect);
void record_barrier(VkCommandBuffer commands, const VkImageMemoryBarrier2& barrier);
void record_barriers(VkCommandBuffer commands, std::span<const VkImageMemoryBarrier2> barriers);

/// The ring of constants, vertices and small copies: one for the whole program.
Outcome<UploadRing> make_frame_ring(Memory& memory);

}  // namespace quarry::viewer
