// SPDX-License-Identifier: MIT
// The rules that the fake GPU checks each call against: valid usage of the Vulkan specification as
// far as an allocator can break it, and a few of our own where the specification leaves the fault
// undefined but the memory damaged.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace quarry::fakes {

/// In the order of rules().
enum class Rule : std::uint8_t {
  // Calls and structures
  function_not_enabled,
  invalid_handle,
  structure_type,
  chain_unknown,
  chain_not_enabled,
  chain_duplicate,
  external_synchronization,
  foreign_callbacks,
  objects_left,
  // vkAllocateMemory
  allocate_type_index,
  allocate_size_zero,
  allocate_exceeds_heap,
  allocate_exceeds_limit,
  allocate_count,
  allocate_device_coherent,
  allocate_protected,
  allocate_priority_range,
  allocate_address_feature,
  dedicated_two_resources,
  dedicated_image_size,
  dedicated_buffer_size,
  dedicated_disjoint,
  export_handle_type,
  import_handle,
  // vkFreeMemory
  free_in_flight,
  free_while_bound,
  free_while_claimed,
  // vkMapMemory and friends
  map_not_host_visible,
  map_twice,
  map_offset,
  map_size_zero,
  map_range,
  map_flags,
  map_multi_instance,
  unmap_not_mapped,
  range_not_mapped,
  range_outside_mapping,
  range_offset_atom,
  range_size_atom,
  // Creation and requirements
  create_size_zero,
  create_usage_zero,
  create_buffer_size,
  create_protected_feature,
  create_sparse_feature,
  create_image_extent,
  create_image_transient_usage,
  create_image_initial_layout,
  create_image_disjoint,
  requirements_disjoint_without_plane,
  requirements_plane_without_disjoint,
  requirements_plane_aspect,
  // Binding
  bind_twice,
  bind_offset_range,
  bind_memory_type,
  bind_offset_alignment,
  bind_size,
  bind_needs_dedicated,
  bind_dedicated_mismatch,
  bind_protected_resource,
  bind_protected_memory,
  bind_device_address,
  bind_lazily_allocated,
  bind_export_mismatch,
  bind_import_mismatch,
  bind_disjoint_without_plane,
  bind_plane_without_disjoint,
  bind_planes_incomplete,
  bind_same_subresource,
  // Use and destruction
  destroy_in_flight,
  use_unbound,
  use_after_free,
  semaphore_not_increasing,
  host_write_in_flight,
  // Byte map
  resources_overlap,
  granularity_conflict,
  claims_overlap,
  claim_outside,
  // Commands
  record_after_submit,
  queue_lacks_capability,
  transfer_region,
  transfer_size_zero,
  transfer_overlap,
  transfer_usage,
  copy_image_layout,
  copy_image_layout_kind,
  copy_image_region,
  copy_image_compatible,
  copy_image_partial,
  barrier_old_layout,
  barrier_new_layout,
  barrier_layout_usage,
  barrier_stages,
  barrier_access,
  acquire_without_release,
  foreign_queue_family,
  dispatch_without_pipeline,
  dispatch_without_set,
  dispatch_group_count,
  push_constant_range,
  descriptor_range,
  descriptor_alignment,
  descriptor_range_limit,
  descriptor_usage,
  descriptor_pool_full,
  address_usage,
  shader_access,
  shader_unknown,
  query_range,
  count,
};

struct RuleText {
  Rule rule;
  const char* id;  ///< the specification's identifier, or QUARRY-... for a rule of our own
  const char* text;
};

/// Every rule, indexed by its number.
std::span<const RuleText> rules();
const RuleText& text_of(Rule rule);

/// One breach, in the order in which they happened.
struct Violation {
  Rule rule = Rule::count;
  const char* function = "";  ///< the call that broke it
  std::string detail;         ///< the figures
};

std::string to_string(const Violation& violation);

}  // namespace quarry::fakes
