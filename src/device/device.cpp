// SPDX-License-Identifier: MIT
#include "device/device.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "device/error.hpp"
#include "device/function_table.hpp"

namespace quarry::device {

namespace {

void* allocate_through(void* user, std::size_t size, std::size_t alignment) noexcept {
  const auto* callbacks = static_cast<const VkAllocationCallbacks*>(user);
  return callbacks->pfnAllocation(callbacks->pUserData, size, alignment,
                                  VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
}

void release_through(void* user, void* memory) noexcept {
  const auto* callbacks = static_cast<const VkAllocationCallbacks*>(user);
  callbacks->pfnFree(callbacks->pUserData, memory);
}

/// Tells the owner in words, and refuses.
Unexpected<Error> refuse_with(const AllocatorDesc& desc, Reason reason, const char* text) {
  if (desc.on_message != nullptr) desc.on_message(desc.message_user, Severity::error, text);
  return refuse(reason);
}

Status check_description(const AllocatorDesc& desc) {
  const auto bad = [&](const char* text) { return refuse_with(desc, Reason::bad_argument, text); };
  if (desc.instance == VK_NULL_HANDLE) return bad("AllocatorDesc::instance is null");
  if (desc.physical_device == VK_NULL_HANDLE) return bad("AllocatorDesc::physical_device is null");
  if (desc.device == VK_NULL_HANDLE) return bad("AllocatorDesc::device is null");
  if ((desc.functions == nullptr) == (desc.get_instance_proc_addr == nullptr)) {
    return bad("AllocatorDesc needs exactly one of get_instance_proc_addr and functions");
  }
  const VkAllocationCallbacks* callbacks = desc.host_callbacks;
  if (callbacks != nullptr &&
      (callbacks->pfnAllocation == nullptr || callbacks->pfnReallocation == nullptr ||
       callbacks->pfnFree == nullptr)) {
    return bad("AllocatorDesc::host_callbacks lacks a function");
  }
  if (!(desc.assumed_budget_share > 0.0 && desc.assumed_budget_share <= 1.0)) {
    return bad("AllocatorDesc::assumed_budget_share is not above 0 and at most 1");
  }
  return {};
}

/// A feature counts only with the version or extension that carries it.
Status check_features(const AllocatorDesc& desc, const Gates& gates) {
  struct Claim {
    bool claimed;
    const Gate& gate;
    const char* text;
  };
  const EnabledFeatures& features = desc.features;
  const Claim claims[] = {
      {features.buffer_device_address, gates.device_address,
       "buffer_device_address needs Vulkan 1.2 or VK_KHR_buffer_device_address"},
      {features.memory_priority, gates.memory_priority,
       "memory_priority needs VK_EXT_memory_priority"},
      {features.device_coherent_memory, gates.device_coherent,
       "device_coherent_memory needs VK_AMD_device_coherent_memory"},
      {features.maintenance4, gates.maintenance4,
       "maintenance4 needs Vulkan 1.3 or VK_KHR_maintenance4"},
      {features.maintenance5, gates.maintenance5,
       "maintenance5 needs Vulkan 1.4 or VK_KHR_maintenance5"},
      {features.protected_memory, gates.protected_memory, "protected_memory needs Vulkan 1.1"},
      {features.timeline_semaphore, gates.timeline,
       "timeline_semaphore needs Vulkan 1.2 or VK_KHR_timeline_semaphore"},
  };
  for (const Claim& claim : claims) {
    if (claim.claimed && !claim.gate.open()) {
      return refuse_with(desc, Reason::feature_not_enabled, claim.text);
    }
  }
  return {};
}

std::uint32_t version_in_use(std::uint32_t declared, std::uint32_t offered) {
  const std::uint32_t lower = std::min(declared == 0 ? VK_API_VERSION_1_0 : declared, offered);
  return VK_MAKE_API_VERSION(0, VK_API_VERSION_MAJOR(lower), VK_API_VERSION_MINOR(lower), 0);
}

/// Drivers have been seen to leave limits at 0; later arithmetic relies on what the specification
/// promises.
void make_sane(DeviceFacts& facts) {
  VkPhysicalDeviceLimits& limits = facts.properties.limits;
  limits.bufferImageGranularity =
      std::bit_ceil(std::max<VkDeviceSize>(1, limits.bufferImageGranularity));
  limits.nonCoherentAtomSize = std::bit_ceil(std::max<VkDeviceSize>(1, limits.nonCoherentAtomSize));
  constexpr std::uint32_t kLeastAllocationCount = 4096;  // specification, "Required Limits"
  if (limits.maxMemoryAllocationCount == 0) limits.maxMemoryAllocationCount = kLeastAllocationCount;

  VkPhysicalDeviceMemoryProperties& memory = facts.memory;
  memory.memoryTypeCount = std::min<std::uint32_t>(memory.memoryTypeCount, VK_MAX_MEMORY_TYPES);
  memory.memoryHeapCount = std::min<std::uint32_t>(memory.memoryHeapCount, VK_MAX_MEMORY_HEAPS);
}

bool types_have_heaps(const VkPhysicalDeviceMemoryProperties& memory) {
  if (memory.memoryTypeCount == 0 || memory.memoryHeapCount == 0) return false;
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    if (memory.memoryTypes[type].heapIndex >= memory.memoryHeapCount) return false;
  }
  return true;
}

VkDeviceSize largest_heap(const VkPhysicalDeviceMemoryProperties& memory) {
  VkDeviceSize largest = 0;
  for (std::uint32_t heap = 0; heap < memory.memoryHeapCount; ++heap) {
    largest = std::max(largest, memory.memoryHeaps[heap].size);
  }
  return largest;
}

VkDeviceSize query_maximum_allocation(VkPhysicalDevice physical_device,
                                      const VulkanFunctions& functions) {
  VkPhysicalDeviceMaintenance3Properties maintenance3{};
  maintenance3.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &maintenance3;
  functions.vkGetPhysicalDeviceProperties2(physical_device, &properties);
  return maintenance3.maxMemoryAllocationSize;
}

}  // namespace

HostMemory host_memory(const VkAllocationCallbacks* callbacks) {
  if (callbacks == nullptr) return HostMemory::standard();
  return {const_cast<VkAllocationCallbacks*>(callbacks), allocate_through, release_through};
}

Status Device::open(const AllocatorDesc& desc) {
  if (Status checked = check_description(desc); !checked) return checked;
  const auto get_properties = fetch_properties_function(desc);
  if (get_properties == nullptr) {
    return refuse_with(desc, Reason::function_missing, "vkGetPhysicalDeviceProperties is missing");
  }
  get_properties(desc.physical_device, &facts_.properties);
  facts_.api_version = version_in_use(desc.api_version, facts_.properties.apiVersion);

  const Gates gates = open_gates(facts_.api_version, desc);
  if (Status checked = check_features(desc, gates); !checked) return checked;
  if (const char* missing = fetch_functions(desc, gates, fn_); missing != nullptr) {
    char text[128];
    (void)std::snprintf(text, sizeof(text), "%s is missing, but what was declared includes it",
                        missing);
    return refuse_with(desc, Reason::function_missing, text);
  }

  instance_ = desc.instance;
  physical_device_ = desc.physical_device;
  handle_ = desc.device;
  has_callbacks_ = desc.host_callbacks != nullptr;
  if (has_callbacks_) callbacks_ = *desc.host_callbacks;
  uses_planes_ = gates.planes.open() && gates.requirements2.open() && gates.bind2.open();
  return read_facts(desc, gates);
}

Status Device::read_facts(const AllocatorDesc& desc, const Gates& gates) {
  fn_.vkGetPhysicalDeviceMemoryProperties(physical_device_, &facts_.memory);
  make_sane(facts_);
  if (!types_have_heaps(facts_.memory)) {
    return refuse_with(desc, Reason::unsupported, "the device's memory types make no sense");
  }
  if (gates.maintenance3.open() && gates.properties2.open()) {
    facts_.maximum_allocation_size = query_maximum_allocation(physical_device_, fn_);
  }
  if (facts_.maximum_allocation_size == 0) {
    facts_.maximum_allocation_size = largest_heap(facts_.memory);
  }
  facts_.uses_requirements2 = gates.requirements2.open();
  facts_.uses_dedicated_allocation = gates.dedicated.open() && gates.requirements2.open();
  facts_.uses_bind2 = gates.bind2.open();
  facts_.uses_memory_budget = gates.memory_budget.open() && gates.properties2.open();
  facts_.uses_maintenance4 = desc.features.maintenance4;
  facts_.features = desc.features;
  return {};
}

}  // namespace quarry::device
