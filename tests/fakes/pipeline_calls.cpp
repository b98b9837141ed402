// SPDX-License-Identifier: MIT
// Shader modules, layouts and compute pipelines; addresses of buffers.
#include <algorithm>
#include <string>

#include "fakes/calls.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes::calls {

namespace {

/// Destruction of an object that has no host memory of the caller's in the fake.
template <class Map, class Handle>
void destroy(Call& call, Map& map, Handle handle, const char* what) {
  if (handle == VK_NULL_HANDLE) return;
  if (submission_uses(call.state(), id_of(handle))) call.violate(Rule::destroy_in_flight, what);
  if (map.erase(id_of(handle)) == 0) call.violate(Rule::invalid_handle, what);
}

template <class Map, class Handle, class Object>
VkResult create(Call& call, Map& map, Handle* handle, Object object) {
  *handle = VK_NULL_HANDLE;
  if (call.ordered() != VK_SUCCESS) return call.ordered();
  const std::uint64_t id = next_id();
  map.emplace(id, std::move(object));
  *handle = handle_of<Handle>(id);
  return VK_SUCCESS;
}

}  // namespace

VkResult create_shader_module(VkDevice device, const VkShaderModuleCreateInfo* info,
                              const VkAllocationCallbacks*, VkShaderModule* shader) {
  Call call(state_of(device), Function::create_shader_module);
  call.check_type(info->sType, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  return create(call, call->shader_modules, shader,
                std::vector<std::uint32_t>(info->pCode, info->pCode + info->codeSize / 4));
}

void destroy_shader_module(VkDevice device, VkShaderModule shader, const VkAllocationCallbacks*) {
  Call call(state_of(device), Function::destroy_shader_module, id_of(shader));
  destroy(call, call->shader_modules, shader, "shader module");
}

VkResult create_descriptor_set_layout(VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                                      const VkAllocationCallbacks*, VkDescriptorSetLayout* layout) {
  Call call(state_of(device), Function::create_descriptor_set_layout);
  call.check_type(info->sType, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  return create(call, call->set_layouts, layout, std::size_t{info->bindingCount});
}

void destroy_descriptor_set_layout(VkDevice device, VkDescriptorSetLayout layout,
                                   const VkAllocationCallbacks*) {
  Call call(state_of(device), Function::destroy_descriptor_set_layout, id_of(layout));
  destroy(call, call->set_layouts, layout, "descriptor set layout");
}

VkResult create_pipeline_layout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                                const VkAllocationCallbacks*, VkPipelineLayout* layout) {
  Call call(state_of(device), Function::create_pipeline_layout);
  call.check_type(info->sType, VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  PipelineLayout made;
  made.set_count = info->setLayoutCount;
  for (std::uint32_t i = 0; i < info->pushConstantRangeCount; ++i) {
    const VkPushConstantRange& range = info->pPushConstantRanges[i];
    made.push_bytes = std::max(made.push_bytes, range.offset + range.size);
  }
  return create(call, call->pipeline_layouts, layout, made);
}

void destroy_pipeline_layout(VkDevice device, VkPipelineLayout layout,
                             const VkAllocationCallbacks*) {
  Call call(state_of(device), Function::destroy_pipeline_layout, id_of(layout));
  destroy(call, call->pipeline_layouts, layout, "pipeline layout");
}

VkResult create_compute_pipelines(VkDevice device, VkPipelineCache, std::uint32_t count,
                                  const VkComputePipelineCreateInfo* infos,
                                  const VkAllocationCallbacks*, VkPipeline* pipelines) {
  Call call(state_of(device), Function::create_compute_pipelines);
  VkResult result = VK_SUCCESS;
  for (std::uint32_t i = 0; i < count; ++i) {
    call.check_type(infos[i].sType, VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    const auto shader = call->shader_modules.find(id_of(infos[i].stage.module));
    if (shader == call->shader_modules.end()) {
      call.violate(Rule::invalid_handle, "shader module");
      pipelines[i] = VK_NULL_HANDLE;
      continue;
    }
    const VkResult made = create(call, call->pipelines, &pipelines[i],
                                 Pipeline{id_of(infos[i].layout), shader->second});
    if (made != VK_SUCCESS) result = made;
  }
  return result;
}

void destroy_pipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks*) {
  Call call(state_of(device), Function::destroy_pipeline, id_of(pipeline));
  destroy(call, call->pipelines, pipeline, "pipeline");
}

VkDeviceAddress get_buffer_device_address(VkDevice device, const VkBufferDeviceAddressInfo* info) {
  Call call(state_of(device), Function::get_buffer_device_address);
  call.check_type(info->sType, VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO);
  Resource* buffer = call.buffer(info->buffer);
  if (buffer == nullptr) return 0;
  if (!buffer->needs_address) {
    call.violate(Rule::address_usage, "usage " + std::to_string(buffer->usage));
    return 0;
  }
  call->use_resource(buffer, call.name());
  const BindPoint& point = buffer->parts[0];
  const MemoryObject* memory = call->find_memory(point.memory);
  return memory == nullptr ? 0 : memory->address + point.offset;
}

}  // namespace quarry::fakes::calls
