// SPDX-License-Identifier: MIT
// Memory requirements, of live resources and (maintenance4) of create-infos.
#include <string>

#include "fakes/calls.hpp"
#include "fakes/chain.hpp"
#include "fakes/requirements.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes::calls {

namespace {

void answer(Call& call, const FakeRequirements& requirements, VkMemoryRequirements2& out) {
  call.check_type(out.sType, VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2);
  check_chain(call, out.pNext, ChainPlace::requirements);
  out.memoryRequirements = requirements.memory;
  if (auto* dedicated = find_in_chain<VkMemoryDedicatedRequirements>(
          out.pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS)) {
    dedicated->prefersDedicatedAllocation = requirements.prefers_dedicated ? VK_TRUE : VK_FALSE;
    dedicated->requiresDedicatedAllocation = requirements.requires_dedicated ? VK_TRUE : VK_FALSE;
  }
}

/// The part of a live image that the info asks for.
std::uint32_t part_of(Call& call, const Resource& image,
                      const VkImagePlaneMemoryRequirementsInfo* plane) {
  if (image.disjoint != (plane != nullptr)) {
    call.violate(image.disjoint ? Rule::requirements_disjoint_without_plane
                                : Rule::requirements_plane_without_disjoint,
                 std::to_string(image.part_count) + " planes");
    return 0;
  }
  if (plane == nullptr) return 0;
  for (std::uint32_t part = 0; part < image.part_count; ++part) {
    if (plane->planeAspect == VK_IMAGE_ASPECT_PLANE_0_BIT << part) return part;
  }
  call.violate(Rule::requirements_plane_aspect, std::to_string(plane->planeAspect));
  return 0;
}

}  // namespace

void buffer_requirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements* requirements) {
  Call call(state_of(device), Function::get_buffer_memory_requirements);
  *requirements = {};
  const Resource* resource = call.buffer(buffer);
  if (resource != nullptr) *requirements = resource->parts[0].requirements.memory;
}

void buffer_requirements2(VkDevice device, const VkBufferMemoryRequirementsInfo2* info,
                          VkMemoryRequirements2* requirements) {
  Call call(state_of(device), Function::get_buffer_memory_requirements2);
  call.check_type(info->sType, VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2);
  check_chain(call, info->pNext, ChainPlace::nothing);
  const Resource* resource = call.buffer(info->buffer);
  answer(call, resource != nullptr ? resource->parts[0].requirements : FakeRequirements{},
         *requirements);
}

void image_requirements(VkDevice device, VkImage image, VkMemoryRequirements* requirements) {
  Call call(state_of(device), Function::get_image_memory_requirements);
  *requirements = {};
  const Resource* resource = call.image(image);
  if (resource == nullptr) return;
  *requirements = resource->parts[part_of(call, *resource, nullptr)].requirements.memory;
}

void image_requirements2(VkDevice device, const VkImageMemoryRequirementsInfo2* info,
                         VkMemoryRequirements2* requirements) {
  Call call(state_of(device), Function::get_image_memory_requirements2);
  call.check_type(info->sType, VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2);
  check_chain(call, info->pNext, ChainPlace::image_requirements_info);
  const auto* plane = find_in_chain<VkImagePlaneMemoryRequirementsInfo>(
      info->pNext, VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO);
  const Resource* resource = call.image(info->image);
  FakeRequirements result;
  if (resource != nullptr) {
    result = resource->parts[part_of(call, *resource, plane)].requirements;
  }
  answer(call, result, *requirements);
}

void device_buffer_requirements(VkDevice device, const VkDeviceBufferMemoryRequirements* info,
                                VkMemoryRequirements2* requirements) {
  Call call(state_of(device), Function::get_device_buffer_memory_requirements);
  call.check_type(info->sType, VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS);
  call.check_type(info->pCreateInfo->sType, VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  check_chain(call, info->pCreateInfo->pNext, ChainPlace::buffer_create);
  answer(call, fakes::buffer_requirements(call->profile, *info->pCreateInfo), *requirements);
}

void device_image_requirements(VkDevice device, const VkDeviceImageMemoryRequirements* info,
                               VkMemoryRequirements2* requirements) {
  Call call(state_of(device), Function::get_device_image_memory_requirements);
  call.check_type(info->sType, VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS);
  const VkImageCreateInfo& create_info = *info->pCreateInfo;
  call.check_type(create_info.sType, VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  check_chain(call, create_info.pNext, ChainPlace::image_create);
  std::uint32_t plane = 0;
  if ((create_info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0) {
    plane = plane_of(create_info.format, info->planeAspect);
    if (plane == plane_count(create_info.format)) {
      call.violate(Rule::requirements_plane_aspect, std::to_string(info->planeAspect));
      plane = 0;
    }
  }
  answer(call, fakes::image_requirements(call->profile, create_info, plane), *requirements);
}

}  // namespace quarry::fakes::calls
