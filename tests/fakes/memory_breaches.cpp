// SPDX-License-Identifier: MIT
#include "fakes/breaches.hpp"

namespace quarry::fakes {

namespace {

template <class Change>
FakeProfile changed(FakeProfile profile, Change change) {
  change(profile);
  return profile;
}

FakeProfile with_export() {
  return changed(profiles::discrete(), [](FakeProfile& p) {
    p.device_extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  });
}

VkMemoryDedicatedAllocateInfo dedicated(VkImage image, VkBuffer buffer) {
  return {VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr, image, buffer};
}

void priority_of_two(Bench& bench) {
  const VkMemoryPriorityAllocateInfoEXT priority{
      VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT, nullptr, 2.0f};
  bench.allocate(0, 1024, &priority);
}

void address_without_feature(Bench& bench) {
  const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                        VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
  bench.allocate(1, 1024, &flags);
}

void dedicated_to_two(Bench& bench) {
  const VkImage image = bench.image(image_info(64, 64));
  const auto info = dedicated(image, bench.buffer(64));
  bench.allocate(1, bench.requirements_of_image(image).size, &info);
}

void dedicated_image_too_large(Bench& bench) {
  const VkImage image = bench.image(image_info(64, 64));
  const auto info = dedicated(image, VK_NULL_HANDLE);
  bench.allocate(1, bench.requirements_of_image(image).size + 4096, &info);
}

void dedicated_buffer_too_large(Bench& bench) {
  const VkBuffer buffer = bench.buffer(4096);
  const auto info = dedicated(VK_NULL_HANDLE, buffer);
  bench.allocate(1, 8192, &info);
}

void dedicated_to_disjoint(Bench& bench) {
  const auto info = dedicated(bench.image(disjoint_image_info(64, 64)), VK_NULL_HANDLE);
  bench.allocate(1, 4096, &info);
}

void export_unsupported(Bench& bench) {
  const VkExportMemoryAllocateInfo info{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr,
                                        VK_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP_BIT};
  bench.allocate(1, 4096, &info);
}

void import_nothing(Bench& bench) {
  const VkImportMemoryFdInfoKHR info{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr,
                                     VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, -1};
  bench.allocate(1, 4096, &info);
}

void free_what_is_read(Bench& bench) {
  bench.gpu.permit(Rule::free_while_bound);
  const VkDeviceMemory memory = bench.allocate(2, 4096);
  const VkBuffer buffer = bench.buffer(4096);
  bench.bind_buffer(buffer, memory);
  bench.gpu.submit_buffer_read(buffer, 0, 64, bench.gpu.create_timeline_semaphore(), 1);
  bench.free(memory);
}

void free_before_destroy(Bench& bench) {
  const VkDeviceMemory memory = bench.allocate(1, 4096);
  bench.bind_buffer(bench.buffer(4096), memory);
  bench.free(memory);
}

void free_what_is_claimed(Bench& bench) {
  const VkDeviceMemory memory = bench.allocate(1, 4096);
  bench.gpu.claim(memory, 0, 16, ResourceKind::linear);
  bench.free(memory);
}

}  // namespace

std::vector<Breach> memory_breaches() {
  const auto two_at_most = [](FakeProfile& p) { p.maximum_allocation_count = 2; };
  const auto small_limit = [](FakeProfile& p) { p.maximum_allocation_size = kMiB; };
  const auto no_address = [](FakeProfile& p) { p.features.buffer_device_address = false; };
  const auto no_protected = [](FakeProfile& p) { p.features.protected_memory = false; };
  return {
      {Rule::allocate_type_index, profiles::discrete(), [](Bench& b) { b.allocate(5, 1024); }},
      {Rule::allocate_size_zero, profiles::discrete(), [](Bench& b) { b.allocate(1, 0); }},
      {Rule::allocate_exceeds_heap, profiles::tiny_first_heap(),
       [](Bench& b) { b.allocate(0, 16'777'217); }},
      {Rule::allocate_exceeds_limit, changed(profiles::discrete(), small_limit),
       [](Bench& b) { b.allocate(1, kMiB + 1); }},
      {Rule::allocate_count, changed(profiles::discrete(), two_at_most),
       [](Bench& b) {
         for (int i = 0; i < 3; ++i)
           b.allocate(1, 1024);
       }},
      {Rule::allocate_device_coherent, profiles::amd(), [](Bench& b) { b.allocate(4, 1024); }},
      {Rule::allocate_protected, changed(profiles::protected_memory(), no_protected),
       [](Bench& b) { b.allocate(0, 1024); }},
      {Rule::allocate_priority_range, profiles::rebar(), priority_of_two},
      {Rule::allocate_address_feature, changed(profiles::discrete(), no_address),
       address_without_feature},
      {Rule::dedicated_two_resources, profiles::discrete(), dedicated_to_two},
      {Rule::dedicated_image_size, profiles::discrete(), dedicated_image_too_large},
      {Rule::dedicated_buffer_size, profiles::discrete(), dedicated_buffer_too_large},
      {Rule::dedicated_disjoint, profiles::discrete(), dedicated_to_disjoint},
      {Rule::export_handle_type, with_export(), export_unsupported},
      {Rule::import_handle, with_export(), import_nothing},
      {Rule::free_in_flight, profiles::discrete(), free_what_is_read},
      {Rule::free_while_bound, profiles::discrete(), free_before_destroy},
      {Rule::free_while_claimed, profiles::discrete(), free_what_is_claimed},
  };
}

}  // namespace quarry::fakes
