// SPDX-License-Identifier: MIT
#include "copy/pipelines.hpp"

#include <array>
#include <cstddef>
#include <span>

#include "copy/shader_words.hpp"
#include "device/error.hpp"

namespace quarry::copy {

namespace {

/// Constants 0 and 1 of both shaders.
struct Specialization {
  std::uint32_t lanes;
  std::uint32_t rows;
};

Status create_set_layout(const device::Device& device, VkDescriptorSetLayout& layout) {
  std::array<VkDescriptorSetLayoutBinding, kWindowBindings> bindings{};
  for (std::uint32_t i = 0; i < kWindowBindings; ++i) {
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  }
  VkDescriptorSetLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  info.bindingCount = kWindowBindings;
  info.pBindings = bindings.data();
  const VkResult result =
      device.fn().vkCreateDescriptorSetLayout(device.handle(), &info, device.callbacks(), &layout);
  if (result != VK_SUCCESS) return device::driver_failed(result);
  return {};
}

Status create_layout(const device::Device& device, const VkDescriptorSetLayout* set,
                     std::uint32_t push_bytes, VkPipelineLayout& layout) {
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = set != nullptr ? 1 : 0;
  info.pSetLayouts = set;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  const VkResult result =
      device.fn().vkCreatePipelineLayout(device.handle(), &info, device.callbacks(), &layout);
  if (result != VK_SUCCESS) return device::driver_failed(result);
  return {};
}

Status create_pipeline(const device::Device& device, std::span<const std::uint32_t> code,
                       const Tuning& tuning, VkPipelineLayout layout, VkPipeline& pipeline) {
  const VulkanFunctions& fn = device.fn();
  VkShaderModuleCreateInfo shader_info{};
  shader_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  shader_info.codeSize = code.size_bytes();
  shader_info.pCode = code.data();
  VkShaderModule shader = VK_NULL_HANDLE;
  VkResult result =
      fn.vkCreateShaderModule(device.handle(), &shader_info, device.callbacks(), &shader);
  if (result != VK_SUCCESS) return device::driver_failed(result);

  constexpr std::array<VkSpecializationMapEntry, 2> kEntries{
      {{0, offsetof(Specialization, lanes), sizeof(std::uint32_t)},
       {1, offsetof(Specialization, rows), sizeof(std::uint32_t)}}};
  const Specialization constants{tuning.lanes, tuning.rows};
  const VkSpecializationInfo specialization{kEntries.size(), kEntries.data(), sizeof constants,
                                            &constants};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  info.layout = layout;
  result = fn.vkCreateComputePipelines(device.handle(), VK_NULL_HANDLE, 1, &info,
                                       device.callbacks(), &pipeline);
  fn.vkDestroyShaderModule(device.handle(), shader, device.callbacks());
  if (result != VK_SUCCESS) return device::driver_failed(result);
  return {};
}

}  // namespace

Status create_pipelines(const device::Device& device, const Tuning& tuning, bool addresses,
                        Pipelines& pipelines) {
  if (Status made = create_set_layout(device, pipelines.window_set); !made) return made;
  if (Status made =
          create_layout(device, &pipelines.window_set, sizeof(WindowPush), pipelines.window_layout);
      !made) {
    return made;
  }
  if (Status made = create_pipeline(device, kCopyWindowsWords, tuning, pipelines.window_layout,
                                    pipelines.window);
      !made || !addresses) {
    return made;
  }
  if (Status made = create_layout(device, nullptr, sizeof(AddressPush), pipelines.address_layout);
      !made) {
    return made;
  }
  return create_pipeline(device, kCopyAddressesWords, tuning, pipelines.address_layout,
                         pipelines.address);
}

void destroy_pipelines(const device::Device& device, const Pipelines& pipelines) {
  const VulkanFunctions& fn = device.fn();
  const VkDevice handle = device.handle();
  const VkAllocationCallbacks* callbacks = device.callbacks();
  fn.vkDestroyPipeline(handle, pipelines.address, callbacks);
  fn.vkDestroyPipeline(handle, pipelines.window, callbacks);
  fn.vkDestroyPipelineLayout(handle, pipelines.address_layout, callbacks);
  fn.vkDestroyPipelineLayout(handle, pipelines.window_layout, callbacks);
  fn.vkDestroyDescriptorSetLayout(handle, pipelines.window_set, callbacks);
}

}  // namespace quarry::copy
