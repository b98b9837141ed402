// SPDX-License-Identifier: MIT
// On the machine's driver: what create_buffer and destroy cost beyond the bare Vulkan calls that
// they make, and allocate and free alone. Skipped where there is no device.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/driver_device.hpp"

namespace quarry::bench {
namespace {

/// Null, with the benchmark skipped, where there is none.
const DriverDevice* device_of(benchmark::State& state) {
  static const auto device = open_driver_device();
  if (!device) {
    state.SkipWithError(device.error().c_str());
    return nullptr;
  }
  state.SetLabel((*device)->name());
  return device->get();
}

VkBufferCreateInfo buffer_info(const benchmark::State& state) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = static_cast<VkDeviceSize>(state.range(0));
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  return info;
}

VkMemoryRequirements requirements_of(const DriverDevice& device, VkBuffer buffer) {
  VkBufferMemoryRequirementsInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2;
  info.buffer = buffer;
  VkMemoryDedicatedRequirements dedicated{};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS;
  VkMemoryRequirements2 requirements{};
  requirements.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
  requirements.pNext = &dedicated;
  device.functions().vkGetBufferMemoryRequirements2(device.allocator_desc().device, &info,
                                                    &requirements);
  return requirements.memoryRequirements;
}

/// Create, ask for the requirements, bind to memory that is there, destroy.
void bare_buffers(benchmark::State& state) {
  const DriverDevice* device = device_of(state);
  if (device == nullptr) return;
  const VulkanFunctions& fn = device->functions();
  const VkDevice handle = device->allocator_desc().device;
  const VkBufferCreateInfo info = buffer_info(state);
  VkDeviceMemory memory = VK_NULL_HANDLE;
  for ([[maybe_unused]] auto round : state) {
    VkBuffer buffer = VK_NULL_HANDLE;
    if (fn.vkCreateBuffer(handle, &info, nullptr, &buffer) != VK_SUCCESS) std::abort();
    const VkMemoryRequirements requirements = requirements_of(*device, buffer);
    if (memory == VK_NULL_HANDLE) {
      VkMemoryAllocateInfo allocate{};
      allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
      allocate.allocationSize = requirements.size;
      while (((requirements.memoryTypeBits >> allocate.memoryTypeIndex) & 1u) == 0)
        ++allocate.memoryTypeIndex;
      if (fn.vkAllocateMemory(handle, &allocate, nullptr, &memory) != VK_SUCCESS) std::abort();
    }
    VkBindBufferMemoryInfo bind{};
    bind.sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO;
    bind.buffer = buffer;
    bind.memory = memory;
    if (fn.vkBindBufferMemory2(handle, 1, &bind) != VK_SUCCESS) std::abort();
    fn.vkDestroyBuffer(handle, buffer, nullptr);
  }
  if (memory != VK_NULL_HANDLE) fn.vkFreeMemory(handle, memory, nullptr);
}

/// An allocator of the device; ends the program if it is refused.
Allocator make_allocator(const DriverDevice& device) {
  return std::move(Allocator::create(device.allocator_desc()).value());
}

void quarry_buffers(benchmark::State& state) {
  const DriverDevice* device = device_of(state);
  if (device == nullptr) return;
  Allocator allocator = make_allocator(*device);
  const VkBufferCreateInfo info = buffer_info(state);
  // One that stays, so that the block does not empty.
  const Buffer kept = allocator.create_buffer(info).value();
  for ([[maybe_unused]] auto round : state) {
    const Buffer buffer = allocator.create_buffer(info).value();
    benchmark::DoNotOptimize(allocator.destroy(buffer).has_value());
  }
  (void)allocator.destroy(kept);
}

void quarry_memory(benchmark::State& state) {
  const DriverDevice* device = device_of(state);
  if (device == nullptr) return;
  Allocator allocator = make_allocator(*device);
  const VkMemoryRequirements requirements{static_cast<VkDeviceSize>(state.range(0)), 256, ~0u};
  std::vector<Allocation> live;
  live.reserve(1000);
  for (int i = 0; i < 1000; ++i)
    live.push_back(allocator.allocate(requirements, ResourceKind::linear).value());
  std::size_t next = 0;
  for ([[maybe_unused]] auto round : state) {
    Allocation& slot = live[next++ % live.size()];
    benchmark::DoNotOptimize(allocator.free(slot).has_value());
    slot = allocator.allocate(requirements, ResourceKind::linear).value();
  }
  for (const Allocation allocation : live)
    (void)allocator.free(allocation);
}

BENCHMARK(bare_buffers)->Arg(4096)->Arg(1 << 20);
BENCHMARK(quarry_buffers)->Arg(4096)->Arg(1 << 20);
BENCHMARK(quarry_memory)->Arg(4096)->Arg(1 << 20);

}  // namespace
}  // namespace quarry::bench
