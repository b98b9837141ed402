// SPDX-License-Identifier: MIT
#include <array>

#include "fakes/breaches.hpp"

namespace quarry::fakes {

namespace {

FakeProfile requiring_dedicated() {
  FakeProfile profile = profiles::discrete();
  profile.requires_dedicated_bytes = kMiB;
  return profile;
}

FakeProfile exporting() {
  FakeProfile profile = profiles::discrete();
  profile.device_extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  return profile;
}

/// Reports lazily allocated and protected types to whoever asks, as a faulty driver would.
FakeProfile reporting_all(FakeProfile profile) {
  const std::uint32_t all = (1u << profile.types.size()) - 1;
  profile.adjust_buffer = [all](const VkBufferCreateInfo&, FakeRequirements& requirements) {
    requirements.memory.memoryTypeBits = all;
  };
  return profile;
}

void bind_again(Bench& bench) {
  const VkBuffer buffer = bench.buffer(64);
  const VkDeviceMemory memory = bench.allocate(1, 4096);
  bench.bind_buffer(buffer, memory);
  bench.bind_buffer(buffer, memory, 1024);
}

void bind_image_to_host_memory(Bench& bench) {
  bench.bind_image(bench.image(image_info(64, 64)), bench.allocate(2, kMiB));
}

void bind_uniform_buffer_at_16(Bench& bench) {
  const VkBuffer buffer = bench.buffer(buffer_info(64, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT));
  bench.bind_buffer(buffer, bench.allocate(1, 4096), 16);
}

void bind_dedicated_to_other(Bench& bench) {
  const VkBuffer owner = bench.buffer(4096);
  const VkMemoryDedicatedAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                           nullptr, VK_NULL_HANDLE, owner};
  bench.bind_buffer(bench.buffer(1024), bench.allocate(1, 4096, &info));
}

void bind_protected_buffer_to_plain(Bench& bench) {
  VkBufferCreateInfo info = buffer_info(64);
  info.flags = VK_BUFFER_CREATE_PROTECTED_BIT;
  bench.bind_buffer(bench.buffer(info), bench.allocate(1, 4096));
}

void bind_address_buffer_to_plain(Bench& bench) {
  const VkBuffer buffer = bench.buffer(buffer_info(64, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT));
  bench.bind_buffer(buffer, bench.allocate(1, 4096));
}

void bind_to_exported(Bench& bench) {
  const VkExportMemoryAllocateInfo info{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr,
                                        VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  bench.bind_buffer(bench.buffer(64), bench.allocate(1, 4096, &info));
}

void bind_to_imported(Bench& bench) {
  const VkImportMemoryFdInfoKHR info{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr,
                                     VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, 3};
  bench.bind_buffer(bench.buffer(64), bench.allocate(1, 4096, &info));
}

VkBindImagePlaneMemoryInfo plane(VkImageAspectFlagBits aspect) {
  return {VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO, nullptr, aspect};
}

VkBindImageMemoryInfo bind_info(VkImage image, VkDeviceMemory memory, VkDeviceSize offset,
                                const void* next) {
  return {VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, next, image, memory, offset};
}

void bind_plane_of_whole_image(Bench& bench) {
  const auto first = plane(VK_IMAGE_ASPECT_PLANE_0_BIT);
  const auto info = bind_info(bench.image(image_info(64, 64)), bench.allocate(1, kMiB), 0, &first);
  bench.vk.vkBindImageMemory2(bench.device(), 1, &info);
}

void bind_one_plane_of_three(Bench& bench) {
  const auto first = plane(VK_IMAGE_ASPECT_PLANE_0_BIT);
  const auto info =
      bind_info(bench.image(disjoint_image_info(64, 64)), bench.allocate(1, kMiB), 0, &first);
  bench.vk.vkBindImageMemory2(bench.device(), 1, &info);
}

void bind_one_plane_twice(Bench& bench) {
  const VkImage image = bench.image(disjoint_image_info(64, 64));
  const VkDeviceMemory memory = bench.allocate(1, kMiB);
  const std::array planes{plane(VK_IMAGE_ASPECT_PLANE_0_BIT), plane(VK_IMAGE_ASPECT_PLANE_1_BIT),
                          plane(VK_IMAGE_ASPECT_PLANE_2_BIT)};
  const std::array infos{bind_info(image, memory, 0, &planes[0]),
                         bind_info(image, memory, 64 * kKiB, &planes[1]),
                         bind_info(image, memory, 128 * kKiB, &planes[2]),
                         bind_info(image, memory, 192 * kKiB, &planes[2])};
  bench.vk.vkBindImageMemory2(bench.device(), static_cast<std::uint32_t>(infos.size()),
                              infos.data());
}

}  // namespace

std::vector<Breach> bind_breaches() {
  const FakeProfile profile = profiles::discrete();
  return {
      {Rule::bind_twice, profile, bind_again},
      {Rule::bind_offset_range, profile,
       [](Bench& b) { b.bind_buffer(b.buffer(64), b.allocate(1, 4096), 4096); }},
      {Rule::bind_memory_type, profile, bind_image_to_host_memory},
      {Rule::bind_offset_alignment, profile, bind_uniform_buffer_at_16},
      {Rule::bind_size, profile,
       [](Bench& b) { b.bind_buffer(b.buffer(8192), b.allocate(1, 4096)); }},
      {Rule::bind_needs_dedicated, requiring_dedicated(),
       [](Bench& b) { b.bind_buffer(b.buffer(kMiB), b.allocate(1, 2 * kMiB)); }},
      {Rule::bind_dedicated_mismatch, profile, bind_dedicated_to_other},
      {Rule::bind_protected_resource, reporting_all(profiles::protected_memory()),
       bind_protected_buffer_to_plain},
      {Rule::bind_protected_memory, reporting_all(profiles::protected_memory()),
       [](Bench& b) { b.bind_buffer(b.buffer(64), b.allocate(0, 4096)); }},
      {Rule::bind_device_address, profile, bind_address_buffer_to_plain},
      {Rule::bind_lazily_allocated, reporting_all(profiles::mobile()),
       [](Bench& b) { b.bind_buffer(b.buffer(64), b.allocate(1, 4096)); }},
      {Rule::bind_export_mismatch, exporting(), bind_to_exported},
      {Rule::bind_import_mismatch, exporting(), bind_to_imported},
      {Rule::bind_disjoint_without_plane, profile,
       [](Bench& b) { b.bind_image(b.image(disjoint_image_info(64, 64)), b.allocate(1, kMiB)); }},
      {Rule::bind_plane_without_disjoint, profile, bind_plane_of_whole_image},
      {Rule::bind_planes_incomplete, profile, bind_one_plane_of_three},
      {Rule::bind_same_subresource, profile, bind_one_plane_twice},
  };
}

}  // namespace quarry::fakes
