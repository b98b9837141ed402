// SPDX-License-Identifier: MIT
// Layout, descriptor set and graphics pipeline. See pipeline.hpp.
#include "imgui/pipeline.hpp"

#include <array>
#include <cstddef>
#include <span>

#include <imgui.h>

#include "imgui/imgui_renderer.hpp"
#include "shaders/imgui_frag.hpp"
#include "shaders/imgui_vert.hpp"

namespace quarry::imgui {
namespace {

template <class T>
T zeroed(VkStructureType type) {
  T result{};
  result.sType = type;
  return result;
}

bool is_srgb(VkFormat format) {
  switch (format) {
    case VK_FORMAT_R8G8B8A8_SRGB:
    case VK_FORMAT_B8G8R8A8_SRGB:
    case VK_FORMAT_A8B8G8R8_SRGB_PACK32:
    case VK_FORMAT_R8G8B8_SRGB:
    case VK_FORMAT_B8G8R8_SRGB:
      return true;
    default:
      return false;
  }
}

VkResult create_module(VkDevice device, std::span<const std::uint32_t> code,
                       VkShaderModule& module) {
  auto info = zeroed<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  info.codeSize = code.size_bytes();
  info.pCode = code.data();
  return vkCreateShaderModule(device, &info, nullptr, &module);
}

VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits bit, VkShaderModule module,
                                      const VkSpecializationInfo* specialization) {
  auto info =
      zeroed<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  info.stage = bit;
  info.module = module;
  info.pName = "main";
  info.pSpecializationInfo = specialization;
  return info;
}

/// ImDrawVert as the vertex shader reads it.
struct VertexInput {
  VkVertexInputBindingDescription binding{0, sizeof(ImDrawVert), VK_VERTEX_INPUT_RATE_VERTEX};
  std::array<VkVertexInputAttributeDescription, 3> attributes = {{
      {0, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(ImDrawVert, pos)},
      {1, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(ImDrawVert, uv)},
      {2, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof(ImDrawVert, col)},
  }};
  VkPipelineVertexInputStateCreateInfo info = zeroed<VkPipelineVertexInputStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);

  VertexInput() {
    info.vertexBindingDescriptionCount = 1;
    info.pVertexBindingDescriptions = &binding;
    info.vertexAttributeDescriptionCount = static_cast<std::uint32_t>(attributes.size());
    info.pVertexAttributeDescriptions = attributes.data();
  }
  VertexInput(const VertexInput&) = delete;
  VertexInput& operator=(const VertexInput&) = delete;
};

VkPipelineColorBlendAttachmentState blending() {
  VkPipelineColorBlendAttachmentState state{};
  state.blendEnable = VK_TRUE;
  state.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
  state.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  state.colorBlendOp = VK_BLEND_OP_ADD;
  state.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
  state.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  state.alphaBlendOp = VK_BLEND_OP_ADD;
  state.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                         VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
  return state;
}

}  // namespace

Pipeline::~Pipeline() {
  if (device_ == VK_NULL_HANDLE) return;
  vkDestroyPipeline(device_, pipeline_, nullptr);
  vkDestroyPipelineLayout(device_, layout_, nullptr);
  vkDestroyDescriptorPool(device_, pool_, nullptr);
  vkDestroyDescriptorSetLayout(device_, set_layout_, nullptr);
  vkDestroySampler(device_, sampler_, nullptr);
}

Status Pipeline::create(const RendererDesc& desc, VkImageView font) {
  device_ = desc.device;
  VkResult result = create_layout();
  if (result == VK_SUCCESS) result = create_set(font);
  if (result == VK_SUCCESS) result = create_pipeline(desc);
  if (result != VK_SUCCESS) return Unexpected(Error{result, Reason::driver});
  return {};
}

VkResult Pipeline::create_layout() {
  auto sampler = zeroed<VkSamplerCreateInfo>(VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO);
  sampler.magFilter = VK_FILTER_LINEAR;
  sampler.minFilter = VK_FILTER_LINEAR;
  sampler.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  sampler.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  sampler.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  VkResult result = vkCreateSampler(device_, &sampler, nullptr, &sampler_);
  if (result != VK_SUCCESS) return result;

  VkDescriptorSetLayoutBinding binding{};
  binding.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  binding.descriptorCount = 1;
  binding.stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
  binding.pImmutableSamplers = &sampler_;
  auto set =
      zeroed<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  set.bindingCount = 1;
  set.pBindings = &binding;
  result = vkCreateDescriptorSetLayout(device_, &set, nullptr, &set_layout_);
  if (result != VK_SUCCESS) return result;

  const VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(DisplayTransform)};
  auto layout = zeroed<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout_;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &range;
  return vkCreatePipelineLayout(device_, &layout, nullptr, &layout_);
}

VkResult Pipeline::create_set(VkImageView font) {
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
  auto pool = zeroed<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  pool.maxSets = 1;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  VkResult result = vkCreateDescriptorPool(device_, &pool, nullptr, &pool_);
  if (result != VK_SUCCESS) return result;

  auto allocate =
      zeroed<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  allocate.descriptorPool = pool_;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &set_layout_;
  result = vkAllocateDescriptorSets(device_, &allocate, &set_);
  if (result != VK_SUCCESS) return result;

  const VkDescriptorImageInfo image{VK_NULL_HANDLE, font, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  auto write = zeroed<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = set_;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  write.pImageInfo = &image;
  vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
  return VK_SUCCESS;
}

VkResult Pipeline::create_pipeline(const RendererDesc& desc) {
  VkShaderModule vertex = VK_NULL_HANDLE;
  VkShaderModule fragment = VK_NULL_HANDLE;
  VkResult result = create_module(device_, shaders::kImguiVert, vertex);
  if (result == VK_SUCCESS) result = create_module(device_, shaders::kImguiFrag, fragment);
  if (result == VK_SUCCESS) result = create_pipeline(desc, vertex, fragment);
  vkDestroyShaderModule(device_, vertex, nullptr);
  vkDestroyShaderModule(device_, fragment, nullptr);
  return result;
}

VkResult Pipeline::create_pipeline(const RendererDesc& desc, VkShaderModule vertex,
                                   VkShaderModule fragment) {
  const VkBool32 target_is_linear = is_srgb(desc.color_format) ? VK_TRUE : VK_FALSE;
  const VkSpecializationMapEntry entry{0, 0, sizeof(target_is_linear)};
  const VkSpecializationInfo specialization{1, &entry, sizeof(target_is_linear), &target_is_linear};
  const std::array stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, vertex, nullptr),
                             stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment, &specialization)};

  const VertexInput input;
  auto assembly = zeroed<VkPipelineInputAssemblyStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  auto viewport = zeroed<VkPipelineViewportStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
  viewport.viewportCount = 1;
  viewport.scissorCount = 1;
  auto raster = zeroed<VkPipelineRasterizationStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
  raster.polygonMode = VK_POLYGON_MODE_FILL;
  raster.cullMode = VK_CULL_MODE_NONE;
  raster.lineWidth = 1.0f;
  auto multisample = zeroed<VkPipelineMultisampleStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
  multisample.rasterizationSamples = desc.samples;
  auto depth = zeroed<VkPipelineDepthStencilStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO);
  const VkPipelineColorBlendAttachmentState attachment = blending();
  auto blend = zeroed<VkPipelineColorBlendStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO);
  blend.attachmentCount = 1;
  blend.pAttachments = &attachment;
  const std::array<VkDynamicState, 2> dynamic_states = {VK_DYNAMIC_STATE_VIEWPORT,
                                                        VK_DYNAMIC_STATE_SCISSOR};
  auto dynamic = zeroed<VkPipelineDynamicStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO);
  dynamic.dynamicStateCount = static_cast<std::uint32_t>(dynamic_states.size());
  dynamic.pDynamicStates = dynamic_states.data();
  auto rendering =
      zeroed<VkPipelineRenderingCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &desc.color_format;
  rendering.depthAttachmentFormat = desc.depth_format;

  auto info = zeroed<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
  info.pNext = &rendering;
  info.stageCount = static_cast<std::uint32_t>(stages.size());
  info.pStages = stages.data();
  info.pVertexInputState = &input.info;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &multisample;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamic;
  info.layout = layout_;
  return vkCreateGraphicsPipelines(device_, desc.pipeline_cache, 1, &info, nullptr, &pipeline_);
}

void Pipeline::bind(VkCommandBuffer commands, const DisplayTransform& transform) const {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_, 0,
                          nullptr);
  vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(transform),
                     &transform);
}

}  // namespace quarry::imgui
