// SPDX-License-Identifier: MIT
// The functions of VulkanFunctions as a table: their names, and what must be declared before each
// may be called.
#pragma once

#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include <quarry/allocator.hpp>
#include <quarry/vulkan_functions.hpp>

namespace quarry::device {

/// How a group of functions became available: with the API version, with its extension, or both.
struct Gate {
  bool core = false;
  bool extension = false;
  bool open() const { return core || extension; }
};

/// One for each group of functions and of pNext structures.
struct Gates {
  Gate properties2;
  Gate requirements2;
  Gate dedicated;
  Gate bind2;
  Gate planes;
  Gate maintenance3;
  Gate device_address;
  Gate protected_memory;
  Gate timeline;
  Gate maintenance4;
  Gate maintenance5;
  Gate memory_budget;
  Gate memory_priority;
  Gate device_coherent;
};

/// What version (without patch) and extensions of the description open; features are not looked at.
Gates open_gates(std::uint32_t api_version, const AllocatorDesc& desc);

/// Fills the members whose gates are open, from the owner's table or through the loader; all others
/// become null. Functions of features count as closed unless the feature is enabled. Returns the
/// name of a function that should be there and is not, or null when all are.
const char* fetch_functions(const AllocatorDesc& desc, const Gates& gates,
                            VulkanFunctions& functions);

/// vkGetPhysicalDeviceProperties alone, which tells what version the gates may open. Null when it
/// is missing.
PFN_vkGetPhysicalDeviceProperties fetch_properties_function(const AllocatorDesc& desc);

}  // namespace quarry::device
