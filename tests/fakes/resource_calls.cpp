// SPDX-License-Identifier: MIT
// Creation and destruction of buffers and images.
#include <string>
#include <unordered_map>
#include <utility>

#include "fakes/calls.hpp"
#include "fakes/chain.hpp"
#include "fakes/requirements.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes::calls {

namespace {

constexpr VkFlags kSparseBuffer = VK_BUFFER_CREATE_SPARSE_BINDING_BIT |
                                  VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT |
                                  VK_BUFFER_CREATE_SPARSE_ALIASED_BIT;
constexpr VkFlags kSparseImage = VK_IMAGE_CREATE_SPARSE_BINDING_BIT |
                                 VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT |
                                 VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;

/// False if no buffer can be made of it.
bool check_info(Call& call, const VkBufferCreateInfo& info) {
  call.check_type(info.sType, VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  check_chain(call, info.pNext, ChainPlace::buffer_create);
  const std::string size = "size " + std::to_string(info.size);
  if (usage_of(info) == 0) call.violate(Rule::create_usage_zero, size);
  if (info.size > call->profile.maximum_buffer_size) call.violate(Rule::create_buffer_size, size);
  if ((info.flags & VK_BUFFER_CREATE_PROTECTED_BIT) != 0 &&
      !call->profile.features.protected_memory) {
    call.violate(Rule::create_protected_feature, size);
  }
  if ((info.flags & kSparseBuffer) != 0) {
    call.violate(Rule::create_sparse_feature, size);
    return false;
  }
  if (info.size == 0) call.violate(Rule::create_size_zero, size);
  return info.size != 0;
}

/// False if no image can be made of it.
bool check_info(Call& call, const VkImageCreateInfo& info) {
  call.check_type(info.sType, VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  check_chain(call, info.pNext, ChainPlace::image_create);
  const std::string extent =
      std::to_string(info.extent.width) + " x " + std::to_string(info.extent.height);
  if (info.usage == 0) call.violate(Rule::create_usage_zero, extent);
  constexpr VkImageUsageFlags kBesideTransient =
      VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  if ((info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0 &&
      (info.usage & ~kBesideTransient) != 0) {
    call.violate(Rule::create_image_transient_usage, "usage " + std::to_string(info.usage));
  }
  if (info.initialLayout != VK_IMAGE_LAYOUT_UNDEFINED &&
      info.initialLayout != VK_IMAGE_LAYOUT_PREINITIALIZED) {
    call.violate(Rule::create_image_initial_layout, std::to_string(info.initialLayout));
  }
  if ((info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0 && plane_count(info.format) == 1) {
    call.violate(Rule::create_image_disjoint, "format " + std::to_string(info.format));
  }
  if ((info.flags & VK_IMAGE_CREATE_PROTECTED_BIT) != 0 &&
      !call->profile.features.protected_memory) {
    call.violate(Rule::create_protected_feature, extent);
  }
  if ((info.flags & kSparseImage) != 0) {
    call.violate(Rule::create_sparse_feature, extent);
    return false;
  }
  const bool zero = info.extent.width == 0 || info.extent.height == 0 || info.extent.depth == 0 ||
                    info.mipLevels == 0 || info.arrayLayers == 0 || info.samples == 0;
  if (zero) call.violate(Rule::create_image_extent, extent);
  return !zero;
}

Resource make_resource(const FakeProfile& profile, const VkBufferCreateInfo& info) {
  Resource resource;
  resource.protected_resource = (info.flags & VK_BUFFER_CREATE_PROTECTED_BIT) != 0;
  resource.usage = usage_of(info);
  resource.size = info.size;
  resource.concurrent = info.sharingMode == VK_SHARING_MODE_CONCURRENT;
  resource.needs_address = (usage_of(info) & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
  if (const auto* external = find_in_chain<VkExternalMemoryBufferCreateInfo>(
          info.pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO)) {
    resource.handle_types = external->handleTypes;
  }
  resource.parts[0].requirements = fakes::buffer_requirements(profile, info);
  return resource;
}

Resource make_resource(const FakeProfile& profile, const VkImageCreateInfo& info) {
  Resource resource;
  resource.is_image = true;
  resource.usage = info.usage;
  resource.image_info = info;
  resource.image_info.pNext = nullptr;
  resource.layouts.assign(std::size_t{info.mipLevels} * info.arrayLayers, info.initialLayout);
  resource.concurrent = info.sharingMode == VK_SHARING_MODE_CONCURRENT;
  resource.kind =
      info.tiling == VK_IMAGE_TILING_OPTIMAL ? ResourceKind::optimal : ResourceKind::linear;
  resource.protected_resource = (info.flags & VK_IMAGE_CREATE_PROTECTED_BIT) != 0;
  resource.transient = (info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0;
  resource.disjoint = (info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0;
  if (const auto* external = find_in_chain<VkExternalMemoryImageCreateInfo>(
          info.pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO)) {
    resource.handle_types = external->handleTypes;
  }
  resource.part_count = resource.disjoint ? plane_count(info.format) : 1;
  for (std::uint32_t plane = 0; plane < resource.part_count; ++plane) {
    resource.parts[plane].requirements = fakes::image_requirements(profile, info, plane);
  }
  return resource;
}

template <class Info>
VkResult create(Call& call, const Info& info, const VkAllocationCallbacks* callbacks,
                std::unordered_map<std::uint64_t, Resource>& resources, std::uint64_t& id) {
  if (!check_info(call, info)) return VK_ERROR_UNKNOWN;
  if (call.ordered() != VK_SUCCESS) return call.ordered();
  Resource resource = make_resource(call->profile, info);
  if (!take_host_block(callbacks, resource.host)) return VK_ERROR_OUT_OF_HOST_MEMORY;
  id = next_id();
  resources.emplace(id, std::move(resource));
  return VK_SUCCESS;
}

void destroy(Call& call, std::uint64_t id, Resource& resource,
             const VkAllocationCallbacks* callbacks,
             std::unordered_map<std::uint64_t, Resource>& resources) {
  if (submission_uses(call.state(), id) || (!resource.is_image && call->buffer_in_flight(id))) {
    call.violate(Rule::destroy_in_flight, "resource " + std::to_string(id));
  }
  for (std::uint32_t part = 0; part < resource.part_count; ++part) {
    const BindPoint& point = resource.parts[part];
    MemoryObject* memory = call->find_memory(point.memory);
    if (memory != nullptr) memory->resources.erase(point.offset, id + part);
  }
  give_host_block(call, callbacks, resource.host);
  resources.erase(id);
}

}  // namespace

VkResult create_buffer(VkDevice device, const VkBufferCreateInfo* info,
                       const VkAllocationCallbacks* callbacks, VkBuffer* buffer) {
  Call call(state_of(device), Function::create_buffer);
  std::uint64_t id = 0;
  const VkResult result = create(call, *info, callbacks, call->buffers, id);
  *buffer = handle_of<VkBuffer>(id);
  return result;
}

void destroy_buffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks* callbacks) {
  Call call(state_of(device), Function::destroy_buffer, id_of(buffer));
  if (buffer == VK_NULL_HANDLE) return;
  Resource* resource = call.buffer(buffer);
  if (resource != nullptr) destroy(call, id_of(buffer), *resource, callbacks, call->buffers);
}

VkResult create_image(VkDevice device, const VkImageCreateInfo* info,
                      const VkAllocationCallbacks* callbacks, VkImage* image) {
  Call call(state_of(device), Function::create_image);
  std::uint64_t id = 0;
  const VkResult result = create(call, *info, callbacks, call->images, id);
  *image = handle_of<VkImage>(id);
  return result;
}

void destroy_image(VkDevice device, VkImage image, const VkAllocationCallbacks* callbacks) {
  Call call(state_of(device), Function::destroy_image, id_of(image));
  if (image == VK_NULL_HANDLE) return;
  Resource* resource = call.image(image);
  if (resource != nullptr) destroy(call, id_of(image), *resource, callbacks, call->images);
}

}  // namespace quarry::fakes::calls
