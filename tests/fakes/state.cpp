// SPDX-License-Identifier: MIT
#include "fakes/state.hpp"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>

namespace quarry::fakes {

namespace {

template <class Map>
auto* find_or_null(Map& map, std::uint64_t id) {
  const auto it = map.find(id);
  return it == map.end() ? nullptr : &it->second;
}

/// Function availability that neither version nor extension settles.
bool feature_enabled(const EnabledFeatures& features, Function function) {
  switch (function) {
    case Function::get_device_buffer_memory_requirements:
    case Function::get_device_image_memory_requirements:
      return features.maintenance4;
    case Function::get_semaphore_counter_value:
      return features.timeline_semaphore;
    case Function::get_buffer_device_address:
      return features.buffer_device_address;
    default:
      return true;
  }
}

constexpr std::size_t kHostBlockBytes = 64;

}  // namespace

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0x1000};
  return last.fetch_add(8) + 8;
}

State::State(FakeProfile fake_profile)
    : profile(std::move(fake_profile)),
      used(profile.heaps.size(), 0),
      outside(profile.heaps.size(), 0) {}

void State::violate(Rule rule, const char* function, std::string detail) {
  if (permitted[static_cast<std::size_t>(rule)]) return;
  violations.push_back({rule, function, std::move(detail)});
}

MemoryObject* State::find_memory(std::uint64_t id) {
  auto* memory = find_or_null(memories, id);
  return memory == nullptr ? nullptr : memory->get();
}

Resource* State::find_buffer(std::uint64_t id) {
  return find_or_null(buffers, id);
}

Resource* State::find_image(std::uint64_t id) {
  return find_or_null(images, id);
}

Call::Call(State& state, Function function, std::uint64_t exclusive_object)
    : state_(state), function_(function), exclusive_object_(exclusive_object) {
  enter_exclusive();
  const auto index = static_cast<std::size_t>(function);
  std::function<void(Function)> hook;
  std::chrono::microseconds delay{};
  {
    const std::lock_guard lock(state.mutex);
    const std::uint64_t number = ++state.calls[index];
    const FailureOrder& order = state.failures[index];
    if (order.first != 0 && number >= order.first && number <= order.last) ordered_ = order.result;
    hook = state.hook;
    delay = state.delays[index];
  }
  if (hook) hook(function);
  if (delay.count() > 0) std::this_thread::sleep_for(delay);
  lock_ = std::unique_lock(state.mutex);
  if (contended_) violate(Rule::external_synchronization, "two threads use one object");
  check_enabled();
}

Call::~Call() {
  if (lock_.owns_lock()) lock_.unlock();
  if (exclusive_object_ == 0) return;
  const std::lock_guard lock(state_.exclusive_mutex);
  state_.exclusive.erase(state_.exclusive.find(exclusive_object_));
}

void Call::enter_exclusive() {
  if (exclusive_object_ == 0) return;
  const std::lock_guard lock(state_.exclusive_mutex);
  contended_ = state_.exclusive.contains(exclusive_object_);
  state_.exclusive.insert(exclusive_object_);
}

void Call::check_enabled() {
  const FunctionText& text = text_of(function_);
  const bool offered = state_.profile.effective_version() >= text.core_version ||
                       (text.extension != nullptr && state_.profile.has_extension(text.extension));
  if (!offered || !feature_enabled(state_.profile.features, function_)) {
    violate(Rule::function_not_enabled, offered ? "the feature is not enabled" : "not offered");
  }
}

MemoryObject* Call::memory(VkDeviceMemory handle) {
  MemoryObject* memory = state_.find_memory(id_of(handle));
  if (memory == nullptr) violate(Rule::invalid_handle, "memory " + std::to_string(id_of(handle)));
  return memory;
}

Resource* Call::buffer(VkBuffer handle) {
  Resource* buffer = state_.find_buffer(id_of(handle));
  if (buffer == nullptr) violate(Rule::invalid_handle, "buffer " + std::to_string(id_of(handle)));
  return buffer;
}

Resource* Call::image(VkImage handle) {
  Resource* image = state_.find_image(id_of(handle));
  if (image == nullptr) violate(Rule::invalid_handle, "image " + std::to_string(id_of(handle)));
  return image;
}

CommandBuffer* Call::recording(VkCommandBuffer commands) {
  auto* buffer = reinterpret_cast<CommandBuffer*>(commands);
  if (!buffer->submitted) return buffer;
  violate(Rule::record_after_submit, "a command after the submission");
  return nullptr;
}

void Call::check_type(VkStructureType actual, VkStructureType expected) {
  if (actual != expected) {
    violate(Rule::structure_type,
            std::to_string(actual) + " in place of " + std::to_string(expected));
  }
}

bool take_host_block(const VkAllocationCallbacks* callbacks, HostBlock& block) {
  block = {};
  if (callbacks == nullptr) return true;
  block.through_callbacks = true;
  block.user = callbacks->pUserData;
  block.memory = callbacks->pfnAllocation(callbacks->pUserData, kHostBlockBytes, alignof(void*),
                                          VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
  return block.memory != nullptr;
}

void give_host_block(Call& call, const VkAllocationCallbacks* callbacks, const HostBlock& block) {
  const bool given = callbacks != nullptr;
  if (given != block.through_callbacks || (given && callbacks->pUserData != block.user)) {
    call.violate(Rule::foreign_callbacks, given ? "other callbacks" : "no callbacks");
    return;
  }
  if (given) callbacks->pfnFree(callbacks->pUserData, block.memory);
}

}  // namespace quarry::fakes
