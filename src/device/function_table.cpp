// SPDX-License-Identifier: MIT
#include "device/function_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace quarry::device {

namespace {

enum class Level : std::uint8_t { instance, device };

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order that rows read best
struct Row {
  const char* name;
  std::size_t offset;  ///< of the member in VulkanFunctions
  Level level;
  const char* khr_name = nullptr;            ///< the twin's, where there is one
  Gate Gates::*gate = nullptr;               ///< null: Vulkan 1.0
  bool EnabledFeatures::*feature = nullptr;  ///< null: none needed
  bool optional = false;                     ///< null is no error: what needs it will say so
};

/// A function's name and its member's place, which are written once.
#define QUARRY_MEMBER(name) #name, offsetof(VulkanFunctions, name)

constexpr Row kRows[] = {
    {QUARRY_MEMBER(vkGetPhysicalDeviceProperties), Level::instance},
    {QUARRY_MEMBER(vkGetPhysicalDeviceMemoryProperties), Level::instance},
    {QUARRY_MEMBER(vkGetPhysicalDeviceProperties2), Level::instance,
     "vkGetPhysicalDeviceProperties2KHR", &Gates::properties2},
    {QUARRY_MEMBER(vkGetPhysicalDeviceMemoryProperties2), Level::instance,
     "vkGetPhysicalDeviceMemoryProperties2KHR", &Gates::properties2},
    {QUARRY_MEMBER(vkAllocateMemory), Level::device},
    {QUARRY_MEMBER(vkFreeMemory), Level::device},
    {QUARRY_MEMBER(vkMapMemory), Level::device},
    {QUARRY_MEMBER(vkUnmapMemory), Level::device},
    {QUARRY_MEMBER(vkFlushMappedMemoryRanges), Level::device},
    {QUARRY_MEMBER(vkInvalidateMappedMemoryRanges), Level::device},
    {QUARRY_MEMBER(vkBindBufferMemory), Level::device},
    {QUARRY_MEMBER(vkBindImageMemory), Level::device},
    {QUARRY_MEMBER(vkGetBufferMemoryRequirements), Level::device},
    {QUARRY_MEMBER(vkGetImageMemoryRequirements), Level::device},
    {QUARRY_MEMBER(vkCreateBuffer), Level::device},
    {QUARRY_MEMBER(vkDestroyBuffer), Level::device},
    {QUARRY_MEMBER(vkCreateImage), Level::device},
    {QUARRY_MEMBER(vkDestroyImage), Level::device},
    {QUARRY_MEMBER(vkGetFenceStatus), Level::device},
    {QUARRY_MEMBER(vkBindBufferMemory2), Level::device, "vkBindBufferMemory2KHR", &Gates::bind2},
    {QUARRY_MEMBER(vkBindImageMemory2), Level::device, "vkBindImageMemory2KHR", &Gates::bind2},
    {QUARRY_MEMBER(vkGetBufferMemoryRequirements2), Level::device,
     "vkGetBufferMemoryRequirements2KHR", &Gates::requirements2},
    {QUARRY_MEMBER(vkGetImageMemoryRequirements2), Level::device,
     "vkGetImageMemoryRequirements2KHR", &Gates::requirements2},
    {QUARRY_MEMBER(vkGetSemaphoreCounterValue), Level::device, "vkGetSemaphoreCounterValueKHR",
     &Gates::timeline, &EnabledFeatures::timeline_semaphore},
    {QUARRY_MEMBER(vkGetDeviceBufferMemoryRequirements), Level::device,
     "vkGetDeviceBufferMemoryRequirementsKHR", &Gates::maintenance4,
     &EnabledFeatures::maintenance4},
    {QUARRY_MEMBER(vkGetDeviceImageMemoryRequirements), Level::device,
     "vkGetDeviceImageMemoryRequirementsKHR", &Gates::maintenance4, &EnabledFeatures::maintenance4},
    {QUARRY_MEMBER(vkCmdPipelineBarrier), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCmdCopyBuffer), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCmdCopyImage), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCmdCopyImageToBuffer), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCmdCopyBufferToImage), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCmdBindPipeline), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCmdBindDescriptorSets), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCmdPushConstants), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCmdDispatch), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCmdResetQueryPool), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCmdWriteTimestamp), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCreateShaderModule), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkDestroyShaderModule), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCreateDescriptorSetLayout), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkDestroyDescriptorSetLayout), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCreatePipelineLayout), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkDestroyPipelineLayout), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCreateComputePipelines), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkDestroyPipeline), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCreateDescriptorPool), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkDestroyDescriptorPool), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkResetDescriptorPool), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkAllocateDescriptorSets), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkUpdateDescriptorSets), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkCreateQueryPool), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkDestroyQueryPool), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkGetQueryPoolResults), Level::device, nullptr, nullptr, nullptr, true},
    {QUARRY_MEMBER(vkGetBufferDeviceAddress), Level::device, "vkGetBufferDeviceAddressKHR",
     &Gates::device_address, &EnabledFeatures::buffer_device_address, true},
};
#undef QUARRY_MEMBER

static_assert(sizeof(VulkanFunctions) == std::size(kRows) * sizeof(PFN_vkVoidFunction),
              "every member of VulkanFunctions has a row");

PFN_vkVoidFunction member(const VulkanFunctions& functions, const Row& row) {
  PFN_vkVoidFunction function = nullptr;
  std::memcpy(&function, reinterpret_cast<const std::byte*>(&functions) + row.offset,
              sizeof(function));
  return function;
}

void set_member(VulkanFunctions& functions, const Row& row, PFN_vkVoidFunction function) {
  std::memcpy(reinterpret_cast<std::byte*>(&functions) + row.offset, &function, sizeof(function));
}

/// The owner's table, or the loader.
class Source {
 public:
  explicit Source(const AllocatorDesc& desc) : desc_(desc) {
    if (desc.functions != nullptr) return;
    get_device_proc_addr_ = reinterpret_cast<PFN_vkGetDeviceProcAddr>(
        desc.get_instance_proc_addr(desc.instance, "vkGetDeviceProcAddr"));
  }
  PFN_vkVoidFunction function(const Row& row, const Gate& gate) const {
    if (desc_.functions != nullptr) return member(*desc_.functions, row);
    PFN_vkVoidFunction found = gate.core ? load(row.level, row.name) : nullptr;
    if (found == nullptr && gate.extension) found = load(row.level, row.khr_name);
    return found;
  }

 private:
  PFN_vkVoidFunction load(Level level, const char* name) const {
    if (level == Level::instance) return desc_.get_instance_proc_addr(desc_.instance, name);
    if (get_device_proc_addr_ == nullptr) return nullptr;
    return get_device_proc_addr_(desc_.device, name);
  }

  const AllocatorDesc& desc_;
  PFN_vkGetDeviceProcAddr get_device_proc_addr_ = nullptr;
};

bool contains(std::span<const char* const> names, const char* name) {
  return std::any_of(names.begin(), names.end(), [&](const char* enabled) {
    return enabled != nullptr && std::strcmp(enabled, name) == 0;
  });
}

Gate gate_of(const Row& row, const Gates& gates, const EnabledFeatures& features) {
  if (row.gate == nullptr) return {.core = true};
  if (row.feature != nullptr && !(features.*row.feature)) return {};
  return gates.*row.gate;
}

}  // namespace

Gates open_gates(std::uint32_t api_version, const AllocatorDesc& desc) {
  const auto since = [&](std::uint32_t minor, const char* extension) {
    return Gate{.core = api_version >= VK_MAKE_API_VERSION(0, 1, minor, 0),
                .extension = contains(desc.device_extensions, extension)};
  };
  const auto only = [&](const char* extension) {
    return Gate{.extension = contains(desc.device_extensions, extension)};
  };
  const bool is_1_1 = api_version >= VK_API_VERSION_1_1;

  Gates gates;
  gates.properties2 = {
      .core = is_1_1,
      .extension = contains(desc.instance_extensions, "VK_KHR_get_physical_device_properties2")};
  gates.requirements2 = since(1, "VK_KHR_get_memory_requirements2");
  gates.dedicated = since(1, "VK_KHR_dedicated_allocation");
  gates.bind2 = since(1, "VK_KHR_bind_memory2");
  gates.planes = since(1, "VK_KHR_sampler_ycbcr_conversion");
  gates.maintenance3 = since(1, "VK_KHR_maintenance3");
  gates.protected_memory = {.core = is_1_1};
  gates.device_address = since(2, "VK_KHR_buffer_device_address");
  gates.timeline = since(2, "VK_KHR_timeline_semaphore");
  gates.maintenance4 = since(3, "VK_KHR_maintenance4");
  gates.maintenance5 = since(4, "VK_KHR_maintenance5");
  gates.memory_budget = only("VK_EXT_memory_budget");
  gates.memory_priority = only("VK_EXT_memory_priority");
  gates.device_coherent = only("VK_AMD_device_coherent_memory");
  return gates;
}

const char* fetch_functions(const AllocatorDesc& desc, const Gates& gates,
                            VulkanFunctions& functions) {
  functions = {};
  const Source source(desc);
  for (const Row& row : kRows) {
    const Gate gate = gate_of(row, gates, desc.features);
    if (!gate.open()) continue;
    const PFN_vkVoidFunction function = source.function(row, gate);
    if (function == nullptr && !row.optional) return row.name;
    set_member(functions, row, function);
  }
  return nullptr;
}

PFN_vkGetPhysicalDeviceProperties fetch_properties_function(const AllocatorDesc& desc) {
  if (desc.functions != nullptr) return desc.functions->vkGetPhysicalDeviceProperties;
  return reinterpret_cast<PFN_vkGetPhysicalDeviceProperties>(
      desc.get_instance_proc_addr(desc.instance, "vkGetPhysicalDeviceProperties"));
}

}  // namespace quarry::device
