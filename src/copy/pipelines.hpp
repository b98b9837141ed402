// SPDX-License-Identifier: MIT
// The two compute pipelines of the copy engine, with their layouts. Made once.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <quarry/result.hpp>

#include "device/device.hpp"

namespace quarry::copy {

/// How the shader works; for measuring. Powers of two.
struct Tuning {
  std::uint32_t lanes = 64;        ///< invocations that copy one entry
  std::uint32_t rows = 4;          ///< entries of one work group
  VkDeviceSize chunk = 16u << 10;  ///< bytes of one entry at most, a multiple of 16
};

/// Push constants of copy_addresses.comp.
struct AddressPush {
  std::uint64_t list = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Push constants of copy_windows.comp.
struct WindowPush {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Bindings of copy_windows.comp.
constexpr std::uint32_t kWindowBindings = 3;

struct Pipelines {
  VkDescriptorSetLayout window_set = VK_NULL_HANDLE;
  VkPipelineLayout window_layout = VK_NULL_HANDLE;
  VkPipelineLayout address_layout = VK_NULL_HANDLE;
  VkPipeline window = VK_NULL_HANDLE;
  VkPipeline address = VK_NULL_HANDLE;  ///< null without bufferDeviceAddress
};

/// On an error `pipelines` holds what was made until then, for destroy_pipelines. Precondition: the
/// functions are there.
Status create_pipelines(const device::Device& device, const Tuning& tuning, bool addresses,
                        Pipelines& pipelines);
void destroy_pipelines(const device::Device& device, const Pipelines& pipelines);

}  // namespace quarry::copy
