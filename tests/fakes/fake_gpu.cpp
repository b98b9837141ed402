// SPDX-License-Identifier: MIT
#include "fakes/fake_gpu.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>

#include "fakes/state.hpp"

namespace quarry::fakes {

namespace {

std::string describe(VkDeviceSize offset, VkDeviceSize size) {
  return "offset " + std::to_string(offset) + ", size " + std::to_string(size);
}

std::optional<Binding> binding_of(const BindPoint& point) {
  if (point.memory == 0) return std::nullopt;
  return Binding{handle_of<VkDeviceMemory>(point.memory), point.offset};
}

}  // namespace

FakeGpu::FakeGpu(FakeProfile profile) : state_(std::make_unique<State>(std::move(profile))) {}

FakeGpu::~FakeGpu() = default;

VkInstance FakeGpu::instance() const {
  return reinterpret_cast<VkInstance>(&state_->instance_dispatch);
}

VkPhysicalDevice FakeGpu::physical_device() const {
  return reinterpret_cast<VkPhysicalDevice>(&state_->physical_device_dispatch);
}

VkDevice FakeGpu::device() const {
  return reinterpret_cast<VkDevice>(&state_->device_dispatch);
}

AllocatorDesc FakeGpu::allocator_desc() const {
  AllocatorDesc desc;
  desc.api_version = state_->profile.effective_version();
  desc.instance = instance();
  desc.physical_device = physical_device();
  desc.device = device();
  desc.get_instance_proc_addr = &FakeGpu::get_instance_proc_addr;
  desc.instance_extensions = state_->profile.instance_extensions;
  desc.device_extensions = state_->profile.device_extensions;
  desc.features = state_->profile.features;
  return desc;
}

const FakeProfile& FakeGpu::profile() const {
  return state_->profile;
}

std::uint64_t FakeGpu::calls(Function function) const {
  const std::lock_guard lock(state_->mutex);
  return state_->calls.at(static_cast<std::size_t>(function));
}

std::uint64_t FakeGpu::calls() const {
  const std::lock_guard lock(state_->mutex);
  return std::accumulate(state_->calls.begin(), state_->calls.end(), std::uint64_t{0});
}

void FakeGpu::reset_calls() {
  const std::lock_guard lock(state_->mutex);
  for (std::size_t i = 0; i < kFunctionCount; ++i) {
    FailureOrder& order = state_->failures[i];
    if (order.last <= state_->calls[i]) order = {};
    if (order.first != 0) {
      order.first -= std::min(order.first - 1, state_->calls[i]);
      order.last -= state_->calls[i];
    }
  }
  state_->calls.fill(0);
}

void FakeGpu::fail(Function function, std::uint64_t nth, VkResult result, std::uint64_t count) {
  const std::lock_guard lock(state_->mutex);
  const auto index = static_cast<std::size_t>(function);
  const std::uint64_t first = state_->calls.at(index) + nth;
  state_->failures.at(index) = {first, first + count - 1, result};
}

void FakeGpu::refuse_allocations(std::function<VkResult(const VkMemoryAllocateInfo&)> refuse) {
  const std::lock_guard lock(state_->mutex);
  state_->refuse_allocation = std::move(refuse);
}

void FakeGpu::set_delay(Function function, std::chrono::microseconds delay) {
  const std::lock_guard lock(state_->mutex);
  state_->delays.at(static_cast<std::size_t>(function)) = delay;
}

void FakeGpu::set_hook(std::function<void(Function)> hook) {
  const std::lock_guard lock(state_->mutex);
  state_->hook = std::move(hook);
}

void FakeGpu::set_budget_script(BudgetScript script) {
  const std::lock_guard lock(state_->mutex);
  state_->budget_script = std::move(script);
}

void FakeGpu::set_outside_bytes(std::uint32_t heap, VkDeviceSize bytes) {
  const std::lock_guard lock(state_->mutex);
  state_->outside.at(heap) = bytes;
}

VkDeviceSize FakeGpu::used_bytes(std::uint32_t heap) const {
  const std::lock_guard lock(state_->mutex);
  return state_->used.at(heap);
}

std::vector<Violation> FakeGpu::violations() const {
  const std::lock_guard lock(state_->mutex);
  return state_->violations;
}

void FakeGpu::forget_violations() {
  const std::lock_guard lock(state_->mutex);
  state_->violations.clear();
}

void FakeGpu::permit(Rule rule) {
  const std::lock_guard lock(state_->mutex);
  state_->permitted.at(static_cast<std::size_t>(rule)) = true;
}

void FakeGpu::check_all_destroyed() {
  const std::lock_guard lock(state_->mutex);
  const auto check = [&](const char* what, std::size_t count) {
    if (count == 0) return;
    state_->violate(Rule::objects_left, "vkDestroyDevice", std::to_string(count) + " " + what);
  };
  check("memories", state_->memories.size());
  check("buffers", state_->buffers.size());
  check("images", state_->images.size());
  check("shader modules", state_->shader_modules.size());
  check("descriptor set layouts", state_->set_layouts.size());
  check("pipeline layouts", state_->pipeline_layouts.size());
  check("pipelines", state_->pipelines.size());
  check("descriptor pools", state_->descriptor_pools.size());
  check("query pools", state_->query_pools.size());
}

LiveObjects FakeGpu::live() const {
  const std::lock_guard lock(state_->mutex);
  return {state_->memories.size(), state_->buffers.size(), state_->images.size(),
          state_->mapped_memories};
}

std::optional<MemoryFacts> FakeGpu::memory_facts(VkDeviceMemory memory) const {
  const std::lock_guard lock(state_->mutex);
  const MemoryObject* object = state_->find_memory(id_of(memory));
  if (object == nullptr) return std::nullopt;
  MemoryFacts facts;
  facts.size = object->size;
  facts.type = object->type;
  facts.mapped = object->mapped;
  facts.dedicated = object->dedicated_buffer != 0 || object->dedicated_image != 0;
  facts.device_address = object->device_address;
  facts.priority = object->priority;
  facts.exported = object->exported;
  facts.imported = object->imported;
  facts.bound_resources = object->resources.size();
  facts.claims = object->claims.size();
  return facts;
}

std::vector<VkDeviceMemory> FakeGpu::memories() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::uint64_t> ids;
  ids.reserve(state_->memories.size());
  for (const auto& [id, memory] : state_->memories)
    ids.push_back(id);
  std::ranges::sort(ids);  // in the order of allocation
  std::vector<VkDeviceMemory> handles;
  handles.reserve(ids.size());
  for (const std::uint64_t id : ids)
    handles.push_back(handle_of<VkDeviceMemory>(id));
  return handles;
}

std::optional<Binding> FakeGpu::buffer_binding(VkBuffer buffer) const {
  const std::lock_guard lock(state_->mutex);
  const Resource* resource = state_->find_buffer(id_of(buffer));
  return resource == nullptr ? std::nullopt : binding_of(resource->parts[0]);
}

std::optional<Binding> FakeGpu::image_binding(VkImage image, std::uint32_t plane) const {
  const std::lock_guard lock(state_->mutex);
  const Resource* resource = state_->find_image(id_of(image));
  return resource == nullptr ? std::nullopt : binding_of(resource->parts.at(plane));
}

void FakeGpu::claim(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                    ResourceKind kind) {
  const std::lock_guard lock(state_->mutex);
  MemoryObject* object = state_->find_memory(id_of(memory));
  if (object == nullptr || size == 0 || offset > object->size || size > object->size - offset) {
    state_->violate(Rule::claim_outside, "claim", describe(offset, size));
    return;
  }
  const ByteMap::Conflicts conflicts =
      object->claims.insert({offset, size, kind, 0}, state_->profile.granularity);
  if (conflicts.overlap) {
    state_->violate(Rule::claims_overlap, "claim",
                    describe(offset, size) + " and " +
                        describe(conflicts.overlap->offset, conflicts.overlap->size));
  }
  if (conflicts.granule) {
    state_->violate(Rule::granularity_conflict, "claim",
                    describe(offset, size) + " and " +
                        describe(conflicts.granule->offset, conflicts.granule->size));
  }
}

void FakeGpu::unclaim(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size) {
  const std::lock_guard lock(state_->mutex);
  MemoryObject* object = state_->find_memory(id_of(memory));
  if (object == nullptr || !object->claims.erase(offset, 0)) {
    state_->violate(Rule::claim_outside, "unclaim", describe(offset, size));
  }
}

void FakeGpu::allow_aliasing(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size) {
  const std::lock_guard lock(state_->mutex);
  MemoryObject* object = state_->find_memory(id_of(memory));
  if (object == nullptr) {
    state_->violate(Rule::invalid_handle, "allow_aliasing", "memory");
    return;
  }
  object->resources.allow_overlap(offset, size);
}

void FakeGpu::forbid_aliasing(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size) {
  const std::lock_guard lock(state_->mutex);
  MemoryObject* object = state_->find_memory(id_of(memory));
  if (object == nullptr || !object->resources.forbid_overlap(offset, size)) {
    state_->violate(Rule::claim_outside, "forbid_aliasing", describe(offset, size));
  }
}

bool FakeGpu::device_read(VkDeviceMemory memory, VkDeviceSize offset, std::span<std::byte> bytes) {
  const std::lock_guard lock(state_->mutex);
  MemoryObject* object = state_->find_memory(id_of(memory));
  if (object == nullptr || offset > object->size || bytes.size() > object->size - offset) {
    return false;
  }
  return object->backing.device_read(offset, bytes);
}

bool FakeGpu::device_write(VkDeviceMemory memory, VkDeviceSize offset,
                           std::span<const std::byte> bytes) {
  const std::lock_guard lock(state_->mutex);
  MemoryObject* object = state_->find_memory(id_of(memory));
  if (object == nullptr || offset > object->size || bytes.size() > object->size - offset) {
    return false;
  }
  return object->backing.device_write(offset, bytes);
}

}  // namespace quarry::fakes
