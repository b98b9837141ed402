// SPDX-License-Identifier: MIT
// Adapter for programs that load Vulkan with volk (target quarry::volk, which also compiles volk
// itself).
#pragma once

#include <quarry/vulkan_functions.hpp>

namespace quarry {

/// The table for AllocatorDesc::functions, from volk's global pointers; call after volkLoadInstance
/// and volkLoadDevice. Members that volk did not load stay null. Reads volk's globals: not beside
/// another thread that loads them.
VulkanFunctions functions_from_volk();

}  // namespace quarry
