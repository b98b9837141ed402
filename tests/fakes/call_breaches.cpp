// SPDX-License-Identifier: MIT
#include <thread>

#include "fakes/breaches.hpp"
#include "fakes/counting_host_callbacks.hpp"

namespace quarry::fakes {

namespace {

FakeProfile version_1_0() {
  FakeProfile profile = profiles::discrete();
  profile.declared_version = VK_API_VERSION_1_0;
  profile.device_extensions.clear();
  profile.features = {};
  return profile;
}

FakeProfile without_maintenance4() {
  FakeProfile profile = profiles::discrete();
  profile.features.maintenance4 = false;
  return profile;
}

void call_version_1_1(Bench& bench) {
  const VkBuffer buffer = bench.buffer(64);
  const VkBufferMemoryRequirementsInfo2 info{VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
                                             nullptr, buffer};
  VkMemoryRequirements2 requirements{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, nullptr, {}};
  bench.vk.vkGetBufferMemoryRequirements2(bench.device(), &info, &requirements);
}

void call_maintenance4(Bench& bench) {
  const VkBufferCreateInfo create_info = buffer_info(64);
  const VkDeviceBufferMemoryRequirements info{VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS,
                                              nullptr, &create_info};
  VkMemoryRequirements2 requirements{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, nullptr, {}};
  bench.vk.vkGetDeviceBufferMemoryRequirements(bench.device(), &info, &requirements);
}

void use_handle_of_another_device(Bench& bench) {
  Bench other(profiles::discrete());
  bench.free(other.allocate(1, 1024));
}

void destroy_twice(Bench& bench) {
  const VkBuffer buffer = bench.buffer(64);
  bench.destroy_buffer(buffer);
  bench.destroy_buffer(buffer);
}

void wrong_structure_type(Bench& bench) {
  VkBufferCreateInfo info = buffer_info(64);
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  bench.buffer(info);
}

void priority_in(Bench& bench) {
  const VkMemoryPriorityAllocateInfoEXT priority{
      VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT, nullptr, 0.5f};
  bench.allocate(1, 1024, &priority);
}

void structure_in_the_wrong_place(Bench& bench) {
  const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr, 0,
                                        0};
  bench.buffer(chained(buffer_info(64), &flags));
}

void structure_twice(Bench& bench) {
  const VkMemoryAllocateFlagsInfo second{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr, 0,
                                         0};
  const VkMemoryAllocateFlagsInfo first{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, &second, 0,
                                        0};
  bench.allocate(1, 1024, &first);
}

/// The hook keeps vkFreeMemory inside the driver while another thread unmaps the same memory.
void two_threads_one_memory(Bench& bench) {
  const VkDeviceMemory memory = bench.allocate(2, 1024);
  bench.map(memory);
  bench.gpu.set_hook([&](Function function) {
    if (function != Function::free_memory) return;
    std::thread([&] { bench.unmap(memory); }).join();
  });
  bench.free(memory);
  bench.gpu.set_hook(nullptr);
}

void destroy_with_other_callbacks(Bench& bench) {
  CountingHostCallbacks callbacks;
  const VkBufferCreateInfo info = buffer_info(64);
  VkBuffer buffer = VK_NULL_HANDLE;
  bench.vk.vkCreateBuffer(bench.device(), &info, callbacks.callbacks(), &buffer);
  bench.destroy_buffer(buffer);
}

void leave_a_buffer(Bench& bench) {
  bench.buffer(64);
  bench.gpu.check_all_destroyed();
}

}  // namespace

std::vector<Breach> call_breaches() {
  return {
      {Rule::function_not_enabled, version_1_0(), call_version_1_1},
      {Rule::function_not_enabled, without_maintenance4(), call_maintenance4},
      {Rule::invalid_handle, profiles::discrete(), use_handle_of_another_device},
      {Rule::invalid_handle, profiles::discrete(), destroy_twice},
      {Rule::structure_type, profiles::discrete(), wrong_structure_type},
      {Rule::chain_unknown, profiles::discrete(), structure_in_the_wrong_place},
      {Rule::chain_not_enabled, profiles::discrete(), priority_in},
      {Rule::chain_duplicate, profiles::discrete(), structure_twice},
      {Rule::external_synchronization, profiles::discrete(), two_threads_one_memory},
      {Rule::foreign_callbacks, profiles::discrete(), destroy_with_other_callbacks},
      {Rule::objects_left, profiles::discrete(), leave_a_buffer},
  };
}

}  // namespace quarry::fakes
