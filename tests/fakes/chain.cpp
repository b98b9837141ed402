// SPDX-License-Identifier: MIT
#include "fakes/chain.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "fakes/state.hpp"

namespace quarry::fakes {

namespace {

constexpr std::uint32_t kNeverCore = ~0u;
constexpr std::uint32_t kVersion14 = VK_MAKE_API_VERSION(0, 1, 4, 0);

struct ChainRule {
  VkStructureType type;
  ChainPlace place;
  std::uint32_t core_version;
  const char* extension;
  bool EnabledFeatures::*feature;  ///< null: none
};

constexpr std::array kChainRules{
    ChainRule{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, ChainPlace::memory_allocate,
              VK_API_VERSION_1_1, VK_KHR_DEDICATED_ALLOCATION_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, ChainPlace::memory_allocate,
              VK_API_VERSION_1_1, VK_KHR_DEVICE_GROUP_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT, ChainPlace::memory_allocate,
              kNeverCore, VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME, &EnabledFeatures::memory_priority},
    ChainRule{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, ChainPlace::memory_allocate,
              VK_API_VERSION_1_1, VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, ChainPlace::memory_allocate, kNeverCore,
              VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, ChainPlace::memory_allocate,
              kNeverCore, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO,
              ChainPlace::memory_allocate, VK_API_VERSION_1_2,
              VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME, &EnabledFeatures::buffer_device_address},
    ChainRule{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, ChainPlace::buffer_create,
              VK_API_VERSION_1_1, VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME, nullptr},
    ChainRule{kBufferUsageFlags2, ChainPlace::buffer_create, kVersion14, "VK_KHR_maintenance5",
              &EnabledFeatures::maintenance5},
    ChainRule{VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO,
              ChainPlace::buffer_create, VK_API_VERSION_1_2,
              VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME, &EnabledFeatures::buffer_device_address},
    ChainRule{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, ChainPlace::image_create,
              VK_API_VERSION_1_1, VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO, ChainPlace::image_create,
              VK_API_VERSION_1_2, VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO, ChainPlace::image_create,
              VK_API_VERSION_1_2, VK_EXT_SEPARATE_STENCIL_USAGE_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_DEVICE_GROUP_INFO, ChainPlace::bind_buffer,
              VK_API_VERSION_1_1, VK_KHR_DEVICE_GROUP_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_DEVICE_GROUP_INFO, ChainPlace::bind_image,
              VK_API_VERSION_1_1, VK_KHR_DEVICE_GROUP_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO, ChainPlace::bind_image,
              VK_API_VERSION_1_1, VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO,
              ChainPlace::image_requirements_info, VK_API_VERSION_1_1,
              VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS, ChainPlace::requirements,
              VK_API_VERSION_1_1, VK_KHR_DEDICATED_ALLOCATION_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT,
              ChainPlace::memory_properties, kNeverCore, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME,
              nullptr},
    ChainRule{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, ChainPlace::properties,
              VK_API_VERSION_1_1, VK_KHR_MAINTENANCE_3_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES, ChainPlace::properties,
              VK_API_VERSION_1_3, VK_KHR_MAINTENANCE_4_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, ChainPlace::properties,
              VK_API_VERSION_1_1, VK_KHR_EXTERNAL_MEMORY_CAPABILITIES_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, ChainPlace::properties,
              VK_API_VERSION_1_2, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, ChainPlace::properties,
              VK_API_VERSION_1_2, nullptr, nullptr},
    ChainRule{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES, ChainPlace::properties,
              VK_API_VERSION_1_3, nullptr, nullptr},
};

bool enabled(const FakeProfile& profile, const ChainRule& rule) {
  const bool offered =
      (rule.core_version != kNeverCore && profile.effective_version() >= rule.core_version) ||
      (rule.extension != nullptr && profile.has_extension(rule.extension));
  return offered && (rule.feature == nullptr || profile.features.*rule.feature);
}

}  // namespace

void check_chain(Call& call, const void* chain, ChainPlace place) {
  std::vector<VkStructureType> seen;
  for (auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext) {
    const std::string name = "sType " + std::to_string(s->sType);
    if (std::ranges::find(seen, s->sType) != seen.end()) {
      call.violate(Rule::chain_duplicate, name);
      return;
    }
    seen.push_back(s->sType);
    const auto* rule = std::ranges::find_if(
        kChainRules, [&](const ChainRule& r) { return r.type == s->sType && r.place == place; });
    if (rule == kChainRules.end()) {
      call.violate(Rule::chain_unknown, name);
    } else if (!enabled(call->profile, *rule)) {
      call.violate(Rule::chain_not_enabled, name);
    }
  }
}

}  // namespace quarry::fakes
