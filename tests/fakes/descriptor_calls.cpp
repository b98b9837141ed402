// SPDX-License-Identifier: MIT
// Descriptor pools and sets of storage buffers; query pools.
#include <cstring>
#include <string>

#include "fakes/calls.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes::calls {

namespace {

void erase_sets(State& state, std::uint64_t pool) {
  std::erase_if(state.descriptor_sets,
                [&](const auto& entry) { return entry.second.pool == pool; });
}

BoundRange checked_range(Call& call, const VkDescriptorBufferInfo& info) {
  BoundRange range{id_of(info.buffer), info.offset, info.range};
  const Resource* buffer = call.buffer(info.buffer);
  if (buffer == nullptr) return range;
  if (info.range == VK_WHOLE_SIZE) range.range = buffer->size - info.offset;
  const std::string text = std::to_string(range.offset) + " + " + std::to_string(range.range);
  if (range.offset >= buffer->size || range.range == 0 ||
      range.range > buffer->size - range.offset) {
    call.violate(Rule::descriptor_range, text);
  }
  if (range.offset % call->profile.storage_alignment != 0)
    call.violate(Rule::descriptor_alignment, text);
  if (range.range > call->profile.maximum_storage_range)
    call.violate(Rule::descriptor_range_limit, text);
  if ((buffer->usage & VK_BUFFER_USAGE_STORAGE_BUFFER_BIT) == 0)
    call.violate(Rule::descriptor_usage, std::to_string(buffer->usage));
  return range;
}

}  // namespace

VkResult create_descriptor_pool(VkDevice device, const VkDescriptorPoolCreateInfo* info,
                                const VkAllocationCallbacks*, VkDescriptorPool* pool) {
  Call call(state_of(device), Function::create_descriptor_pool);
  call.check_type(info->sType, VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  *pool = VK_NULL_HANDLE;
  if (call.ordered() != VK_SUCCESS) return call.ordered();
  const std::uint64_t id = next_id();
  call->descriptor_pools.emplace(id, DescriptorPool{info->maxSets, info->maxSets});
  *pool = handle_of<VkDescriptorPool>(id);
  return VK_SUCCESS;
}

void destroy_descriptor_pool(VkDevice device, VkDescriptorPool pool, const VkAllocationCallbacks*) {
  Call call(state_of(device), Function::destroy_descriptor_pool, id_of(pool));
  if (pool == VK_NULL_HANDLE) return;
  if (submission_uses(call.state(), id_of(pool)))
    call.violate(Rule::destroy_in_flight, "descriptor pool");
  erase_sets(call.state(), id_of(pool));
  if (call->descriptor_pools.erase(id_of(pool)) == 0)
    call.violate(Rule::invalid_handle, "descriptor pool");
}

VkResult reset_descriptor_pool(VkDevice device, VkDescriptorPool pool, VkDescriptorPoolResetFlags) {
  Call call(state_of(device), Function::reset_descriptor_pool, id_of(pool));
  const auto it = call->descriptor_pools.find(id_of(pool));
  if (it == call->descriptor_pools.end()) {
    call.violate(Rule::invalid_handle, "descriptor pool");
    return VK_ERROR_UNKNOWN;
  }
  if (submission_uses(call.state(), id_of(pool)))
    call.violate(Rule::destroy_in_flight, "descriptor pool");
  erase_sets(call.state(), id_of(pool));
  it->second.sets_left = it->second.sets;
  return VK_SUCCESS;
}

VkResult allocate_descriptor_sets(VkDevice device, const VkDescriptorSetAllocateInfo* info,
                                  VkDescriptorSet* sets) {
  Call call(state_of(device), Function::allocate_descriptor_sets, id_of(info->descriptorPool));
  call.check_type(info->sType, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  if (call.ordered() != VK_SUCCESS) return call.ordered();
  const auto it = call->descriptor_pools.find(id_of(info->descriptorPool));
  if (it == call->descriptor_pools.end()) {
    call.violate(Rule::invalid_handle, "descriptor pool");
    return VK_ERROR_UNKNOWN;
  }
  if (it->second.sets_left < info->descriptorSetCount) {
    call.violate(Rule::descriptor_pool_full, std::to_string(it->second.sets) + " sets");
    return VK_ERROR_OUT_OF_POOL_MEMORY;
  }
  it->second.sets_left -= info->descriptorSetCount;
  for (std::uint32_t i = 0; i < info->descriptorSetCount; ++i) {
    const std::uint64_t id = next_id();
    call->descriptor_sets[id].pool = it->first;
    sets[i] = handle_of<VkDescriptorSet>(id);
  }
  return VK_SUCCESS;
}

void update_descriptor_sets(VkDevice device, std::uint32_t write_count,
                            const VkWriteDescriptorSet* writes, std::uint32_t,
                            const VkCopyDescriptorSet*) {
  Call call(state_of(device), Function::update_descriptor_sets);
  for (std::uint32_t i = 0; i < write_count; ++i) {
    const VkWriteDescriptorSet& write = writes[i];
    call.check_type(write.sType, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
    const auto it = call->descriptor_sets.find(id_of(write.dstSet));
    if (it == call->descriptor_sets.end()) {
      call.violate(Rule::invalid_handle, "descriptor set");
      continue;
    }
    for (std::uint32_t j = 0; j < write.descriptorCount; ++j)
      it->second.bindings[write.dstBinding + j] = checked_range(call, write.pBufferInfo[j]);
  }
}

VkResult create_query_pool(VkDevice device, const VkQueryPoolCreateInfo* info,
                           const VkAllocationCallbacks*, VkQueryPool* pool) {
  Call call(state_of(device), Function::create_query_pool);
  call.check_type(info->sType, VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  *pool = VK_NULL_HANDLE;
  if (call.ordered() != VK_SUCCESS) return call.ordered();
  const std::uint64_t id = next_id();
  call->query_pools[id].assign(info->queryCount, ~std::uint64_t{0});
  *pool = handle_of<VkQueryPool>(id);
  return VK_SUCCESS;
}

void destroy_query_pool(VkDevice device, VkQueryPool pool, const VkAllocationCallbacks*) {
  Call call(state_of(device), Function::destroy_query_pool, id_of(pool));
  if (pool == VK_NULL_HANDLE) return;
  if (call->query_pools.erase(id_of(pool)) == 0) call.violate(Rule::invalid_handle, "query pool");
}

VkResult get_query_pool_results(VkDevice device, VkQueryPool pool, std::uint32_t first,
                                std::uint32_t count, std::size_t, void* data, VkDeviceSize stride,
                                VkQueryResultFlags) {
  Call call(state_of(device), Function::get_query_pool_results);
  if (call.ordered() != VK_SUCCESS) return call.ordered();
  const auto it = call->query_pools.find(id_of(pool));
  if (it == call->query_pools.end() || first + count > it->second.size()) {
    call.violate(Rule::query_range, std::to_string(first) + ", " + std::to_string(count));
    return VK_ERROR_UNKNOWN;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (it->second[first + i] == ~std::uint64_t{0}) return VK_NOT_READY;
    std::memcpy(static_cast<std::byte*>(data) + static_cast<std::size_t>(stride) * i,
                &it->second[first + i], sizeof(std::uint64_t));
  }
  return VK_SUCCESS;
}

}  // namespace quarry::fakes::calls
