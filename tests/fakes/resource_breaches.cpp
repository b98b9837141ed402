// SPDX-License-Identifier: MIT
#include "fakes/breaches.hpp"

namespace quarry::fakes {

namespace {

template <class Change>
void create_buffer_with(Bench& bench, Change change) {
  VkBufferCreateInfo info = buffer_info(64);
  change(info);
  bench.buffer(info);
}

template <class Change>
void create_image_with(Bench& bench, Change change) {
  VkImageCreateInfo info = image_info(64, 64);
  change(info);
  bench.image(info);
}

void ask_requirements(Bench& bench, VkImage image, const VkImageAspectFlagBits* aspect) {
  VkImagePlaneMemoryRequirementsInfo plane{
      VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO, nullptr,
      aspect == nullptr ? VK_IMAGE_ASPECT_PLANE_0_BIT : *aspect};
  const VkImageMemoryRequirementsInfo2 info{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
                                            aspect == nullptr ? nullptr : &plane, image};
  VkMemoryRequirements2 requirements{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, nullptr, {}};
  bench.vk.vkGetImageMemoryRequirements2(bench.device(), &info, &requirements);
}

void ask_for(Bench& bench, const VkImageCreateInfo& create_info, VkImageAspectFlagBits aspect) {
  ask_requirements(bench, bench.image(create_info), &aspect);
}

/// Through maintenance4, where the plane is a member.
void ask_device_for_no_plane(Bench& bench) {
  const VkImageCreateInfo create_info = disjoint_image_info(64, 64);
  const VkDeviceImageMemoryRequirements info{VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS,
                                             nullptr, &create_info, VK_IMAGE_ASPECT_COLOR_BIT};
  VkMemoryRequirements2 requirements{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, nullptr, {}};
  bench.vk.vkGetDeviceImageMemoryRequirements(bench.device(), &info, &requirements);
}

}  // namespace

std::vector<Breach> resource_breaches() {
  const FakeProfile profile = profiles::discrete();
  FakeProfile small_buffers = profile;
  small_buffers.maximum_buffer_size = 1024;
  return {
      {Rule::create_size_zero, profile, [](Bench& b) { b.buffer(0); }},
      {Rule::create_usage_zero, profile, [](Bench& b) { b.buffer(buffer_info(64, 0)); }},
      {Rule::create_usage_zero, profile,
       [](Bench& b) { create_image_with(b, [](VkImageCreateInfo& info) { info.usage = 0; }); }},
      {Rule::create_buffer_size, small_buffers, [](Bench& b) { b.buffer(1025); }},
      {Rule::create_protected_feature, profile,
       [](Bench& b) {
         create_buffer_with(
             b, [](VkBufferCreateInfo& info) { info.flags = VK_BUFFER_CREATE_PROTECTED_BIT; });
       }},
      {Rule::create_protected_feature, profile,
       [](Bench& b) {
         create_image_with(
             b, [](VkImageCreateInfo& info) { info.flags = VK_IMAGE_CREATE_PROTECTED_BIT; });
       }},
      {Rule::create_sparse_feature, profile,
       [](Bench& b) {
         create_buffer_with(
             b, [](VkBufferCreateInfo& info) { info.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT; });
       }},
      {Rule::create_sparse_feature, profile,
       [](Bench& b) {
         create_image_with(
             b, [](VkImageCreateInfo& info) { info.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT; });
       }},
      {Rule::create_image_extent, profile, [](Bench& b) { b.image(image_info(64, 0)); }},
      {Rule::create_image_extent, profile,
       [](Bench& b) { create_image_with(b, [](VkImageCreateInfo& info) { info.mipLevels = 0; }); }},
      {Rule::create_image_transient_usage, profile,
       [](Bench& b) {
         create_image_with(b, [](VkImageCreateInfo& info) {
           info.usage = VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
         });
       }},
      {Rule::create_image_initial_layout, profile,
       [](Bench& b) {
         create_image_with(
             b, [](VkImageCreateInfo& info) { info.initialLayout = VK_IMAGE_LAYOUT_GENERAL; });
       }},
      {Rule::create_image_disjoint, profile,
       [](Bench& b) {
         create_image_with(
             b, [](VkImageCreateInfo& info) { info.flags = VK_IMAGE_CREATE_DISJOINT_BIT; });
       }},
      {Rule::requirements_disjoint_without_plane, profile,
       [](Bench& b) { ask_requirements(b, b.image(disjoint_image_info(64, 64)), nullptr); }},
      {Rule::requirements_disjoint_without_plane, profile,
       [](Bench& b) { b.requirements_of_image(b.image(disjoint_image_info(64, 64))); }},
      {Rule::requirements_plane_without_disjoint, profile,
       [](Bench& b) { ask_for(b, image_info(64, 64), VK_IMAGE_ASPECT_PLANE_0_BIT); }},
      {Rule::requirements_plane_aspect, profile,
       [](Bench& b) { ask_for(b, disjoint_image_info(64, 64), VK_IMAGE_ASPECT_COLOR_BIT); }},
      {Rule::requirements_plane_aspect, profile, ask_device_for_no_plane},
  };
}

}  // namespace quarry::fakes
