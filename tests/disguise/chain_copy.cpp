// SPDX-License-Identifier: MIT
#include "disguise/chain_copy.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <vulkan/vk_layer.h>

namespace quarry::disguise {

namespace {

/// Bytes of the structures that stand in chains of VkDeviceCreateInfo and VkBufferCreateInfo; 0 for
/// others.
std::size_t size_of(VkStructureType type) {
  switch (type) {
    case VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO:
      return sizeof(VkLayerDeviceCreateInfo);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2:
      return sizeof(VkPhysicalDeviceFeatures2);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES:
      return sizeof(VkPhysicalDeviceVulkan11Features);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES:
      return sizeof(VkPhysicalDeviceVulkan12Features);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES:
      return sizeof(VkPhysicalDeviceVulkan13Features);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES:
      return sizeof(VkPhysicalDeviceTimelineSemaphoreFeatures);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES:
      return sizeof(VkPhysicalDeviceBufferDeviceAddressFeatures);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES:
      return sizeof(VkPhysicalDeviceProtectedMemoryFeatures);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES:
      return sizeof(VkPhysicalDeviceSamplerYcbcrConversionFeatures);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES:
      return sizeof(VkPhysicalDeviceDynamicRenderingFeatures);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES:
      return sizeof(VkPhysicalDeviceSynchronization2Features);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES:
      return sizeof(VkPhysicalDeviceMaintenance4Features);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT:
      return sizeof(VkPhysicalDeviceMemoryPriorityFeaturesEXT);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT:
      return sizeof(VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COHERENT_MEMORY_FEATURES_AMD:
      return sizeof(VkPhysicalDeviceCoherentMemoryFeaturesAMD);
    case VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO:
      return sizeof(VkDeviceGroupDeviceCreateInfo);
    case VK_STRUCTURE_TYPE_DEVICE_PRIVATE_DATA_CREATE_INFO:
      return sizeof(VkDevicePrivateDataCreateInfo);
    case VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO:
      return sizeof(VkExternalMemoryBufferCreateInfo);
    case VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO:
      return sizeof(VkBufferOpaqueCaptureAddressCreateInfo);
    case VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_CREATE_INFO_EXT:
      return sizeof(VkBufferDeviceAddressCreateInfoEXT);
    default:
      return 0;
  }
}

}  // namespace

VkBaseOutStructure* ChainCopy::copy(const VkBaseInStructure& structure) {
  const std::size_t size = size_of(structure.sType);
  if (size == 0) {
    std::fprintf(stderr, "disguise: add the size of sType %d to %s\n",
                 static_cast<int>(structure.sType), __FILE__);
    std::abort();
  }
  copies_.push_back(std::make_unique<std::byte[]>(size));
  std::memcpy(copies_.back().get(), &structure, size);
  return reinterpret_cast<VkBaseOutStructure*>(copies_.back().get());
}

const void* ChainCopy::without(const void* chain, std::span<const VkStructureType> types) {
  const auto dropped = [&](const VkBaseInStructure& structure) {
    return std::ranges::find(types, structure.sType) != types.end();
  };
  const VkBaseInStructure* last_dropped = nullptr;
  for (auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext) {
    if (dropped(*s)) last_dropped = s;
  }
  if (last_dropped == nullptr) return chain;

  VkBaseOutStructure head{};
  VkBaseOutStructure* tail = &head;
  auto* s = static_cast<const VkBaseInStructure*>(chain);
  for (; s != last_dropped; s = s->pNext) {
    if (dropped(*s)) continue;
    tail->pNext = copy(*s);
    tail = tail->pNext;
  }
  // pNext of an input structure is only read; Vulkan's own type for writing links is not const.
  tail->pNext = const_cast<VkBaseOutStructure*>(
      reinterpret_cast<const VkBaseOutStructure*>(last_dropped->pNext));
  return head.pNext;
}

}  // namespace quarry::disguise
