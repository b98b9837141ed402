// SPDX-License-Identifier: MIT
// Submitted work: reads of buffers that are done when a timeline value or a fence says so, and the
// faults of touching what they use too early.
#include <algorithm>
#include <string>
#include <utility>

#include "fakes/calls.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes {

namespace {

constexpr VkMemoryPropertyFlags kHostVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;

/// What the host's view holds where the read happens; empty where the host has no view.
std::vector<std::byte> host_bytes(State& state, const SubmittedRead& read, std::size_t size) {
  MemoryObject* memory = state.find_memory(read.memory);
  if (memory == nullptr || (state.type_of(*memory).propertyFlags & kHostVisible) == 0) return {};
  std::vector<std::byte> bytes(size);
  if (!memory->backing.host_read(read.offset, bytes)) return {};
  return bytes;
}

}  // namespace

void State::use_resource(Resource* resource, const char* function) {
  if (resource == nullptr) {
    violate(Rule::invalid_handle, function, "used after it was destroyed, or never made");
    return;
  }
  for (std::uint32_t part = 0; part < resource->part_count; ++part) {
    const BindPoint& point = resource->parts[part];
    if (point.memory == 0) {
      violate(Rule::use_unbound, function, "part " + std::to_string(part));
    } else if (find_memory(point.memory) == nullptr) {
      violate(Rule::use_after_free, function, "memory " + std::to_string(point.memory));
    }
  }
}

void State::submit_read(SubmittedRead read, VkDeviceSize buffer_offset, VkDeviceSize size) {
  Resource* buffer = find_buffer(read.buffer);
  use_resource(buffer, "submit");
  if (buffer == nullptr || find_memory(buffer->parts[0].memory) == nullptr) return;
  const BindPoint& point = buffer->parts[0];
  if (buffer_offset > point.requirements.memory.size ||
      size > point.requirements.memory.size - buffer_offset) {
    violate(Rule::claim_outside, "submit", "a read beyond the buffer's end");
    return;
  }
  read.memory = point.memory;
  read.offset = point.offset + buffer_offset;
  read.bytes = host_bytes(*this, read, static_cast<std::size_t>(size));
  submitted.push_back(std::move(read));
}

bool State::buffer_in_flight(std::uint64_t buffer) const {
  return std::ranges::any_of(submitted,
                             [&](const SubmittedRead& read) { return read.buffer == buffer; });
}

bool State::memory_in_flight(std::uint64_t memory) const {
  return std::ranges::any_of(submitted,
                             [&](const SubmittedRead& read) { return read.memory == memory; });
}

void State::retire(const std::function<bool(const SubmittedRead&)>& done) {
  for (const SubmittedRead& read : submitted) {
    if (done(read) && host_bytes(*this, read, read.bytes.size()) != read.bytes) {
      violate(Rule::host_write_in_flight, "submit",
              "offset " + std::to_string(read.offset) + ", size " +
                  std::to_string(read.bytes.size()) + ", value " + std::to_string(read.value));
    }
  }
  std::erase_if(submitted, done);
}

VkSemaphore FakeGpu::create_timeline_semaphore(std::uint64_t value) {
  const std::lock_guard lock(state_->mutex);
  const std::uint64_t id = next_id();
  state_->semaphores.emplace(id, value);
  return handle_of<VkSemaphore>(id);
}

VkFence FakeGpu::create_fence(bool signalled) {
  const std::lock_guard lock(state_->mutex);
  const std::uint64_t id = next_id();
  state_->fences.emplace(id, signalled);
  return handle_of<VkFence>(id);
}

void FakeGpu::signal(VkSemaphore semaphore, std::uint64_t value) {
  const std::lock_guard lock(state_->mutex);
  const auto it = state_->semaphores.find(id_of(semaphore));
  if (it == state_->semaphores.end()) {
    state_->violate(Rule::invalid_handle, "signal", "no such semaphore");
    return;
  }
  if (value <= it->second) {
    state_->violate(Rule::semaphore_not_increasing, "signal",
                    std::to_string(value) + " after " + std::to_string(it->second));
    return;
  }
  it->second = value;
  run_submissions(*state_, id_of(semaphore), value);
  state_->retire([&](const SubmittedRead& read) {
    return read.semaphore == id_of(semaphore) && read.value <= value;
  });
}

void FakeGpu::signal_fence(VkFence fence) {
  const std::lock_guard lock(state_->mutex);
  const auto it = state_->fences.find(id_of(fence));
  if (it == state_->fences.end()) {
    state_->violate(Rule::invalid_handle, "signal_fence", "no such fence");
    return;
  }
  it->second = true;
  state_->retire([&](const SubmittedRead& read) { return read.fence == id_of(fence); });
}

void FakeGpu::reset_fence(VkFence fence) {
  const std::lock_guard lock(state_->mutex);
  const auto it = state_->fences.find(id_of(fence));
  if (it == state_->fences.end()) {
    state_->violate(Rule::invalid_handle, "reset_fence", "no such fence");
    return;
  }
  it->second = false;
}

void FakeGpu::submit_buffer_read(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                                 VkSemaphore semaphore, std::uint64_t value) {
  const std::lock_guard lock(state_->mutex);
  SubmittedRead read;
  read.buffer = id_of(buffer);
  read.semaphore = id_of(semaphore);
  read.value = value;
  state_->submit_read(std::move(read), offset, size);
}

void FakeGpu::submit_buffer_read_with_fence(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                                            VkFence fence) {
  const std::lock_guard lock(state_->mutex);
  SubmittedRead read;
  read.buffer = id_of(buffer);
  read.fence = id_of(fence);
  state_->submit_read(std::move(read), offset, size);
}

void FakeGpu::use_buffer(VkBuffer buffer) {
  const std::lock_guard lock(state_->mutex);
  state_->use_resource(state_->find_buffer(id_of(buffer)), "use_buffer");
}

void FakeGpu::use_image(VkImage image) {
  const std::lock_guard lock(state_->mutex);
  state_->use_resource(state_->find_image(id_of(image)), "use_image");
}

VkResult calls::semaphore_value(VkDevice device, VkSemaphore semaphore, std::uint64_t* value) {
  Call call(state_of(device), Function::get_semaphore_counter_value);
  *value = 0;
  if (call.ordered() != VK_SUCCESS) return call.ordered();
  const auto it = call->semaphores.find(id_of(semaphore));
  if (it == call->semaphores.end()) {
    call.violate(Rule::invalid_handle, "no such semaphore");
    return VK_ERROR_UNKNOWN;
  }
  *value = it->second;
  return VK_SUCCESS;
}

VkResult calls::fence_status(VkDevice device, VkFence fence) {
  Call call(state_of(device), Function::get_fence_status);
  if (call.ordered() != VK_SUCCESS) return call.ordered();
  const auto it = call->fences.find(id_of(fence));
  if (it == call->fences.end()) {
    call.violate(Rule::invalid_handle, "no such fence");
    return VK_ERROR_UNKNOWN;
  }
  return it->second ? VK_SUCCESS : VK_NOT_READY;
}

}  // namespace quarry::fakes
