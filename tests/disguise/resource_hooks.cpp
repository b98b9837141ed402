// SPDX-License-Identifier: MIT
// Requirements of buffers and images: the driver's sizes and alignments, the profile's memory
// types.
#include <array>

#include "disguise/chain_copy.hpp"
#include "disguise/hooks.hpp"
#include "disguise/layer.hpp"

namespace quarry::disguise {

namespace {

/// The create-info as a driver without maintenance5 wants it: the usage of
/// VkBufferUsageFlags2CreateInfo in its old place.
class DriverBufferInfo {
 public:
  DriverBufferInfo(const Profile* profile, const VkBufferCreateInfo& info) : info_(info) {
    if (profile == nullptr) return;
    const auto* usage = find_in_chain<BufferUsageFlags2>(info.pNext, kBufferUsageFlags2);
    if (usage == nullptr) return;
    info_.usage = static_cast<VkBufferUsageFlags>(usage->usage);
    info_.pNext = chain_.without(info.pNext, std::array{kBufferUsageFlags2});
  }
  const VkBufferCreateInfo* get() const { return &info_; }

 private:
  VkBufferCreateInfo info_;
  ChainCopy chain_;
};

/// Attachments of a megapixel or more prefer dedicated memory.
void prefer_dedicated(const VkImageCreateInfo& info, void* chain) {
  constexpr VkImageUsageFlags kAttachment =
      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  constexpr std::uint64_t kMegapixel = 1024 * 1024;
  auto* dedicated = find_in_chain<VkMemoryDedicatedRequirements>(
      chain, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS);
  const bool disjoint = (info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0;
  if (dedicated == nullptr || disjoint || (info.usage & kAttachment) == 0) return;
  if (std::uint64_t{info.extent.width} * info.extent.height >= kMegapixel) {
    dedicated->prefersDedicatedAllocation = VK_TRUE;
  }
}

VkImageCreateInfo info_of(Device& device, VkImage image) {
  const std::lock_guard lock(device.mutex);
  return device.images[id_of(image)];
}

}  // namespace

VkResult hooks::create_buffer(VkDevice device, const VkBufferCreateInfo* info,
                              const VkAllocationCallbacks* callbacks, VkBuffer* buffer) {
  const auto d = device_of(dispatch_key(device));
  const DriverBufferInfo driver_info(d->profile(), *info);
  return d->next.create_buffer(device, driver_info.get(), callbacks, buffer);
}

VkResult hooks::create_image(VkDevice device, const VkImageCreateInfo* info,
                             const VkAllocationCallbacks* callbacks, VkImage* image) {
  const auto d = device_of(dispatch_key(device));
  const VkResult result = d->next.create_image(device, info, callbacks, image);
  if (result == VK_SUCCESS) {
    const std::lock_guard lock(d->mutex);
    d->images[id_of(*image)] = *info;
  }
  return result;
}

void hooks::destroy_image(VkDevice device, VkImage image, const VkAllocationCallbacks* callbacks) {
  const auto d = device_of(dispatch_key(device));
  {
    const std::lock_guard lock(d->mutex);
    d->images.erase(id_of(image));
  }
  d->next.destroy_image(device, image, callbacks);
}

void hooks::buffer_requirements(VkDevice device, VkBuffer buffer,
                                VkMemoryRequirements* requirements) {
  const auto d = device_of(dispatch_key(device));
  d->next.buffer_requirements(device, buffer, requirements);
  if (d->profile() != nullptr) requirements->memoryTypeBits = d->profile()->buffer_type_bits();
}

void hooks::image_requirements(VkDevice device, VkImage image, VkMemoryRequirements* requirements) {
  const auto d = device_of(dispatch_key(device));
  d->next.image_requirements(device, image, requirements);
  if (d->profile() == nullptr) return;
  requirements->memoryTypeBits = d->profile()->image_type_bits(info_of(*d, image));
}

void hooks::buffer_requirements2(VkDevice device, const VkBufferMemoryRequirementsInfo2* info,
                                 VkMemoryRequirements2* requirements) {
  const auto d = device_of(dispatch_key(device));
  d->next.buffer_requirements2(device, info, requirements);
  if (d->profile() == nullptr) return;
  requirements->memoryRequirements.memoryTypeBits = d->profile()->buffer_type_bits();
}

void hooks::image_requirements2(VkDevice device, const VkImageMemoryRequirementsInfo2* info,
                                VkMemoryRequirements2* requirements) {
  const auto d = device_of(dispatch_key(device));
  d->next.image_requirements2(device, info, requirements);
  if (d->profile() == nullptr) return;
  const VkImageCreateInfo image_info = info_of(*d, info->image);
  requirements->memoryRequirements.memoryTypeBits = d->profile()->image_type_bits(image_info);
  prefer_dedicated(image_info, requirements->pNext);
}

void hooks::device_buffer_requirements(VkDevice device,
                                       const VkDeviceBufferMemoryRequirements* info,
                                       VkMemoryRequirements2* requirements) {
  const auto d = device_of(dispatch_key(device));
  const DriverBufferInfo create_info(d->profile(), *info->pCreateInfo);
  VkDeviceBufferMemoryRequirements driver_info = *info;
  driver_info.pCreateInfo = create_info.get();
  d->next.device_buffer_requirements(device, &driver_info, requirements);
  if (d->profile() == nullptr) return;
  requirements->memoryRequirements.memoryTypeBits = d->profile()->buffer_type_bits();
}

void hooks::device_image_requirements(VkDevice device, const VkDeviceImageMemoryRequirements* info,
                                      VkMemoryRequirements2* requirements) {
  const auto d = device_of(dispatch_key(device));
  d->next.device_image_requirements(device, info, requirements);
  if (d->profile() == nullptr) return;
  requirements->memoryRequirements.memoryTypeBits =
      d->profile()->image_type_bits(*info->pCreateInfo);
  prefer_dedicated(*info->pCreateInfo, requirements->pNext);
}

}  // namespace quarry::disguise
