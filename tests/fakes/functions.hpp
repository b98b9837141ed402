// SPDX-License-Identifier: MIT
// The Vulkan functions that the fake GPU offers, as numbers for call counts and failures, with what
// makes each available.
#pragma once

#include <cstdint>
#include <span>

namespace quarry::fakes {

/// In the order of functions().
enum class Function : std::uint8_t {
  get_physical_device_properties,
  get_physical_device_memory_properties,
  get_physical_device_properties2,
  get_physical_device_memory_properties2,
  allocate_memory,
  free_memory,
  map_memory,
  unmap_memory,
  flush_mapped_memory_ranges,
  invalidate_mapped_memory_ranges,
  bind_buffer_memory,
  bind_image_memory,
  get_buffer_memory_requirements,
  get_image_memory_requirements,
  create_buffer,
  destroy_buffer,
  create_image,
  destroy_image,
  bind_buffer_memory2,
  bind_image_memory2,
  get_buffer_memory_requirements2,
  get_image_memory_requirements2,
  get_semaphore_counter_value,
  get_fence_status,
  get_device_buffer_memory_requirements,
  get_device_image_memory_requirements,
  cmd_pipeline_barrier,
  cmd_copy_buffer,
  cmd_copy_image,
  cmd_copy_image_to_buffer,
  cmd_copy_buffer_to_image,
  cmd_bind_pipeline,
  cmd_bind_descriptor_sets,
  cmd_push_constants,
  cmd_dispatch,
  cmd_reset_query_pool,
  cmd_write_timestamp,
  create_shader_module,
  destroy_shader_module,
  create_descriptor_set_layout,
  destroy_descriptor_set_layout,
  create_pipeline_layout,
  destroy_pipeline_layout,
  create_compute_pipelines,
  destroy_pipeline,
  create_descriptor_pool,
  destroy_descriptor_pool,
  reset_descriptor_pool,
  allocate_descriptor_sets,
  update_descriptor_sets,
  create_query_pool,
  destroy_query_pool,
  get_query_pool_results,
  get_buffer_device_address,
  count,
};

struct FunctionText {
  Function function;
  const char* name;            ///< Vulkan's; with "KHR" appended where `extension` made it
  std::uint32_t core_version;  ///< from which it is core
  const char* extension;       ///< that offers it below; null for functions of Vulkan 1.0
  bool instance_level;
};

/// Every function, indexed by its number.
std::span<const FunctionText> functions();
const FunctionText& text_of(Function function);

}  // namespace quarry::fakes
