// SPDX-License-Identifier: MIT
#include <utility>

#include <quarry/upload_ring.hpp>

#include "base/bits.hpp"
#include "base/host_object.hpp"
#include "device/error.hpp"
#include "heap/core.hpp"
#include "heap/mapping.hpp"
#include "heap/resources.hpp"
#include "heap/ring_space.hpp"

namespace quarry {

class UploadRing::State {
 public:
  State(heap::Core& owner, Buffer staging, std::byte* address, VkDeviceSize bytes) noexcept
      : core(owner), buffer(staging), mapped(address), space(bytes, owner.host) {}

  heap::Core& core;
  const Buffer buffer;
  std::byte* const mapped;
  /// A leaf but for vkFlushMappedMemoryRanges, vkGetSemaphoreCounterValue and vkGetFenceStatus,
  /// none of which waits.
  mutable base::Mutex mutex;
  heap::RingSpace space QUARRY_GUARDED_BY(mutex);

  Status close(const heap::RingSpace::Batch& condition) QUARRY_REQUIRES(mutex) {
    if (space.open_batch_empty()) return {};
    if (!space.close(condition)) return device::refuse(Reason::out_of_host_memory);
    return {};
  }

  Result<bool> is_done(const heap::RingSpace::Batch& batch) const {
    const VulkanFunctions& fn = core.device.fn();
    if (batch.fence != VK_NULL_HANDLE) {
      const VkResult status = fn.vkGetFenceStatus(core.device.handle(), batch.fence);
      if (status < 0) return device::driver_failed(status);
      return status == VK_SUCCESS;
    }
    std::uint64_t value = 0;
    const VkResult result =
        fn.vkGetSemaphoreCounterValue(core.device.handle(), batch.semaphore, &value);
    if (result != VK_SUCCESS) return device::driver_failed(result);
    return value >= batch.value;
  }
};

Result<UploadRing> UploadRing::create(Allocator& allocator, const UploadRingDesc& desc) {
  if (allocator.core_ == nullptr) return device::refuse(Reason::bad_argument);
  if (desc.bytes == 0) return device::refuse(Reason::size_zero);
  if (desc.usage == 0) return device::refuse(Reason::bad_argument);
  heap::Core& core = *allocator.core_;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = desc.bytes;
  info.usage = desc.usage;
  auto buffer = heap::create_buffer(core, info,
                                    {.intent = desc.intent,
                                     .mapped = true,
                                     .required_flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                     .tag = desc.tag,
                                     .name = desc.name});
  if (!buffer) return Unexpected(buffer.error());
  const Result<AllocationInfo> placed = allocator.info(buffer->allocation);
  State* state =
      placed ? base::create_object<State>(core.host, core, *buffer,
                                          static_cast<std::byte*>(placed->mapped), desc.bytes)
             : nullptr;
  if (state == nullptr) {
    (void)heap::destroy(core, *buffer);
    return device::refuse(Reason::out_of_host_memory);
  }
  return UploadRing(state);
}

UploadRing::UploadRing(UploadRing&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)) {}

UploadRing& UploadRing::operator=(UploadRing&& other) noexcept {
  if (this != &other) {
    const UploadRing old(std::move(*this));
    state_ = std::exchange(other.state_, nullptr);
  }
  return *this;
}

UploadRing::~UploadRing() {
  if (state_ == nullptr) return;
  heap::Core& core = state_->core;
  (void)heap::destroy(core, state_->buffer);
  base::destroy_object(core.host, state_);
}

Result<UploadSpan> UploadRing::allocate(VkDeviceSize size, VkDeviceSize alignment) {
  if (state_ == nullptr) return device::refuse(Reason::bad_argument);
  if (size == 0) return device::refuse(Reason::size_zero);
  if (!base::is_power_of_two(alignment)) return device::refuse(Reason::bad_alignment);
  State& state = *state_;
  const base::MutexLock lock(state.mutex);
  if (size > state.space.capacity()) return device::refuse(Reason::bad_argument, size);
  VkDeviceSize offset = 0;
  if (!state.space.allocate(size, alignment, offset))
    return device::refuse(Reason::over_limit, size);
  state.core.uploaded_bytes.fetch_add(size, std::memory_order_relaxed);
  return UploadSpan{state.buffer.buffer, offset, size, state.mapped + offset};
}

Status UploadRing::flush() {
  if (state_ == nullptr) return device::refuse(Reason::bad_argument);
  State& state = *state_;
  const base::MutexLock lock(state.mutex);
  heap::RingSpace::Part parts[2];
  const std::uint32_t count = state.space.unflushed(parts);
  AllocationRange ranges[2];
  for (std::uint32_t i = 0; i < count; ++i)
    ranges[i] = {state.buffer.allocation, parts[i].offset, parts[i].size};
  const Status visible =
      heap::make_visible(state.core, {ranges, count}, heap::Visibility::to_device);
  if (visible) state.space.set_flushed();
  return visible;
}

Status UploadRing::close(VkSemaphore semaphore, std::uint64_t value) {
  if (state_ == nullptr || semaphore == VK_NULL_HANDLE) return device::refuse(Reason::bad_argument);
  State& state = *state_;
  if (state.core.device.fn().vkGetSemaphoreCounterValue == nullptr)
    return device::refuse(Reason::feature_not_enabled);
  const base::MutexLock lock(state.mutex);
  return state.close({.semaphore = semaphore, .value = value});
}

Status UploadRing::close_with_fence(VkFence fence) {
  if (state_ == nullptr || fence == VK_NULL_HANDLE) return device::refuse(Reason::bad_argument);
  State& state = *state_;
  if (state.core.device.fn().vkGetFenceStatus == nullptr)
    return device::refuse(Reason::function_missing);
  const base::MutexLock lock(state.mutex);
  return state.close({.fence = fence});
}

Result<VkDeviceSize> UploadRing::collect() {
  if (state_ == nullptr) return device::refuse(Reason::bad_argument);
  State& state = *state_;
  const base::MutexLock lock(state.mutex);
  VkDeviceSize taken = 0;
  while (const auto* batch = state.space.oldest()) {
    const Result<bool> done = state.is_done(*batch);
    if (!done) return Unexpected(done.error());
    if (!*done) break;
    taken += state.space.retire_oldest();
  }
  return taken;
}

VkDeviceSize UploadRing::collect(VkSemaphore semaphore, std::uint64_t completed_value) {
  if (state_ == nullptr) return 0;
  State& state = *state_;
  const base::MutexLock lock(state.mutex);
  VkDeviceSize taken = 0;
  while (const auto* batch = state.space.oldest()) {
    if (batch->semaphore != semaphore || semaphore == VK_NULL_HANDLE ||
        batch->value > completed_value)
      break;
    taken += state.space.retire_oldest();
  }
  return taken;
}

VkDeviceSize UploadRing::capacity() const {
  if (state_ == nullptr) return 0;
  const base::MutexLock lock(state_->mutex);
  return state_->space.capacity();
}

VkDeviceSize UploadRing::used() const {
  if (state_ == nullptr) return 0;
  const base::MutexLock lock(state_->mutex);
  return state_->space.used();
}

}  // namespace quarry
