// SPDX-License-Identifier: MIT
// Upload ring: a mapped buffer from which each frame takes staging space, taken back when the GPU
// is done with the frame.
#pragma once

#include <cstddef>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <quarry/allocator.hpp>

namespace quarry {

struct UploadRingDesc {
  VkDeviceSize bytes = VkDeviceSize{32} << 20;  ///< capacity, > 0
  VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  MemoryIntent intent = MemoryIntent::upload;
  Tag tag{};
  const char* name = "upload ring";
};

/// Space handed out: write to `mapped`, read on the GPU from `buffer` at `offset`.
struct UploadSpan {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;  ///< bytes into `buffer`
  VkDeviceSize size = 0;
  std::byte* mapped = nullptr;
};

/// A ring over one persistently mapped buffer. Space taken since the last close() belongs to the
/// open batch; close() puts the batch in flight under a timeline value (or fence) of the caller;
/// collect() takes back what is done, oldest first. Thread-safe. Must be destroyed before its
/// allocator; the destructor frees the buffer, so the GPU must be done.
class UploadRing {
 public:
  static Result<UploadRing> create(Allocator& allocator, const UploadRingDesc& desc);

  UploadRing() = default;
  UploadRing(UploadRing&& other) noexcept;
  UploadRing& operator=(UploadRing&& other) noexcept;
  UploadRing(const UploadRing&) = delete;
  UploadRing& operator=(const UploadRing&) = delete;
  ~UploadRing();

  /// Reason::over_limit: no room until a batch in flight is done (retry after collect());
  /// bad_argument: larger than the ring.
  Result<UploadSpan> allocate(VkDeviceSize size, VkDeviceSize alignment = 16);
  /// Makes the writes of the open batch visible to the device (does nothing where the memory is
  /// coherent). Before submitting.
  Status flush();
  /// The open batch is in use until `semaphore` (a timeline semaphore) reaches `value`.
  Status close(VkSemaphore semaphore, std::uint64_t value);
  /// The open batch is in use until `fence` is signalled. The fence must not be reset before
  /// collect() saw it.
  Status close_with_fence(VkFence fence);
  /// Asks the driver which batches are done and takes their space back. Returns the bytes taken
  /// back.
  Result<VkDeviceSize> collect();
  /// For callers who know the completed value themselves: no driver call. Takes batches of this
  /// semaphore up to the first of another one, which collect() is for.
  VkDeviceSize collect(VkSemaphore semaphore, std::uint64_t completed_value);

  VkDeviceSize capacity() const;
  VkDeviceSize used() const;  ///< open and in flight, padding included

 private:
  class State;
  explicit UploadRing(State* state) : state_(state) {}
  State* state_ = nullptr;
};

}  // namespace quarry
