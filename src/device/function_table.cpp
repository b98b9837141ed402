// SPDX-License-Identifier: MIT
#include "device/function_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace quarry::device {

namespace {

enum class Level : std::uint8_t { instance, device };

struct Row {
  const char* name;
  const char* khr_name;  ///< null when there is no twin
  std::size_t offset;    ///< of the member in VulkanFunctions
  Level level;
  Gate Gates::*gate;               ///< null: Vulkan 1.0
  bool EnabledFeatures::*feature;  ///< null: none needed
};

// The names of table and members are one by definition.
// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define QUARRY_ROW(name, khr, level, gate, feature)                          \
  Row {                                                                      \
#name, khr, offsetof(VulkanFunctions, name), Level::level, gate, feature \
  }
// NOLINTEND(cppcoreguidelines-macro-usage)

constexpr std::array kRows = {
    QUARRY_ROW(vkGetPhysicalDeviceProperties, nullptr, instance, nullptr, nullptr),
    QUARRY_ROW(vkGetPhysicalDeviceMemoryProperties, nullptr, instance, nullptr, nullptr),
    QUARRY_ROW(vkGetPhysicalDeviceProperties2, "vkGetPhysicalDeviceProperties2KHR", instance,
               &Gates::properties2, nullptr),
    QUARRY_ROW(vkGetPhysicalDeviceMemoryProperties2, "vkGetPhysicalDeviceMemoryProperties2KHR",
               instance, &Gates::properties2, nullptr),
    QUARRY_ROW(vkAllocateMemory, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkFreeMemory, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkMapMemory, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkUnmapMemory, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkFlushMappedMemoryRanges, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkInvalidateMappedMemoryRanges, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkBindBufferMemory, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkBindImageMemory, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkGetBufferMemoryRequirements, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkGetImageMemoryRequirements, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkCreateBuffer, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkDestroyBuffer, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkCreateImage, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkDestroyImage, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkBindBufferMemory2, "vkBindBufferMemory2KHR", device, &Gates::bind2, nullptr),
    QUARRY_ROW(vkBindImageMemory2, "vkBindImageMemory2KHR", device, &Gates::bind2, nullptr),
    QUARRY_ROW(vkGetBufferMemoryRequirements2, "vkGetBufferMemoryRequirements2KHR", device,
               &Gates::requirements2, nullptr),
    QUARRY_ROW(vkGetImageMemoryRequirements2, "vkGetImageMemoryRequirements2KHR", device,
               &Gates::requirements2, nullptr),
    QUARRY_ROW(vkGetSemaphoreCounterValue, "vkGetSemaphoreCounterValueKHR", device,
               &Gates::timeline, &EnabledFeatures::timeline_semaphore),
    QUARRY_ROW(vkGetFenceStatus, nullptr, device, nullptr, nullptr),
    QUARRY_ROW(vkGetDeviceBufferMemoryRequirements, "vkGetDeviceBufferMemoryRequirementsKHR",
               device, &Gates::maintenance4, &EnabledFeatures::maintenance4),
    QUARRY_ROW(vkGetDeviceImageMemoryRequirements, "vkGetDeviceImageMemoryRequirementsKHR", device,
               &Gates::maintenance4, &EnabledFeatures::maintenance4),
};
#undef QUARRY_ROW

static_assert(sizeof(VulkanFunctions) == kRows.size() * sizeof(PFN_vkVoidFunction),
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

class Loader {
 public:
  explicit Loader(const AllocatorDesc& desc) : desc_(desc) {
    get_device_proc_addr_ = reinterpret_cast<PFN_vkGetDeviceProcAddr>(
        desc.get_instance_proc_addr(desc.instance, "vkGetDeviceProcAddr"));
  }
  PFN_vkVoidFunction load(const Row& row, const Gate& gate) const {
    PFN_vkVoidFunction function = gate.core ? load(row.level, row.name) : nullptr;
    if (function == nullptr && gate.extension) function = load(row.level, row.khr_name);
    return function;
  }

 private:
  PFN_vkVoidFunction load(Level level, const char* name) const {
    if (level == Level::instance) return desc_.get_instance_proc_addr(desc_.instance, name);
    if (get_device_proc_addr_ == nullptr) return nullptr;
    return get_device_proc_addr_(desc_.device, name);
  }

  const AllocatorDesc& desc_;
  PFN_vkGetDeviceProcAddr get_device_proc_addr_;
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
  if (desc.functions != nullptr) {
    for (const Row& row : kRows) {
      if (!gate_of(row, gates, desc.features).open()) continue;
      const PFN_vkVoidFunction function = member(*desc.functions, row);
      if (function == nullptr) return row.name;
      set_member(functions, row, function);
    }
    return nullptr;
  }
  const Loader loader(desc);
  for (const Row& row : kRows) {
    const Gate gate = gate_of(row, gates, desc.features);
    if (!gate.open()) continue;
    const PFN_vkVoidFunction function = loader.load(row, gate);
    if (function == nullptr) return row.name;
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
