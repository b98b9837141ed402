// SPDX-License-Identifier: MIT
// Fills the create-infos. Depth runs backwards: 1 is near, 0 is infinitely far.
#include "viewer/pipelines.hpp"

#include <array>
#include <cstddef>
#include <span>

#include "shaders/forward_frag.hpp"
#include "shaders/forward_vert.hpp"
#include "shaders/lod_frag.hpp"
#include "shaders/shadow_vert.hpp"
#include "shaders/sky_frag.hpp"
#include "shaders/sky_vert.hpp"
#include "viewer/scene.hpp"

namespace quarry::viewer {

namespace {

using Words = std::span<const std::uint32_t>;

struct PipelineRecipe {
  Words vertex;
  Words fragment;  ///< empty: depth alone
  VkFormat colour = VK_FORMAT_UNDEFINED;
  VkFormat depth = kDepthFormat;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  bool mesh = true;                 ///< reads vertices, culls back faces, writes depth
  std::int32_t shadow_samples = 1;  ///< constant 0 of the fragment shader, where it has one
};

Outcome<DeviceObject<VkShaderModule>> make_module(VkDevice device, Words words) {
  auto info = structure<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  return make_object<VkShaderModule>(device, vkCreateShaderModule, info, vkDestroyShaderModule,
                                     "vkCreateShaderModule");
}

VkPipelineShaderStageCreateInfo stage_info(VkShaderStageFlagBits stage, VkShaderModule module) {
  auto info = structure<VkPipelineShaderStageCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  info.stage = stage;
  info.module = module;
  info.pName = "main";
  return info;
}

constexpr VkVertexInputBindingDescription kVertexBinding{0, sizeof(Vertex),
                                                         VK_VERTEX_INPUT_RATE_VERTEX};
constexpr std::array<VkVertexInputAttributeDescription, 4> kVertexAttributes{{
    {0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Vertex, position)},
    {1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Vertex, normal)},
    {2, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(Vertex, tangent)},
    {3, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(Vertex, u)},
}};

Outcome<DeviceObject<VkPipeline>> make_pipeline(VkDevice device, VkPipelineLayout layout,
                                                const PipelineRecipe& recipe) {
  auto vertex = make_module(device, recipe.vertex);
  if (!vertex) return failure(vertex.error());
  DeviceObject<VkShaderModule> fragment;
  std::array<VkPipelineShaderStageCreateInfo, 2> stages{
      stage_info(VK_SHADER_STAGE_VERTEX_BIT, vertex->get())};
  std::uint32_t stage_count = 1;
  const VkSpecializationMapEntry entry{0, 0, sizeof recipe.shadow_samples};
  const VkSpecializationInfo constants{1, &entry, sizeof recipe.shadow_samples,
                                       &recipe.shadow_samples};
  if (!recipe.fragment.empty()) {
    auto made = make_module(device, recipe.fragment);
    if (!made) return failure(made.error());
    fragment = std::move(*made);
    stages[stage_count] = stage_info(VK_SHADER_STAGE_FRAGMENT_BIT, fragment.get());
    stages[stage_count++].pSpecializationInfo = &constants;
  }
  auto input = structure<VkPipelineVertexInputStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);
  if (recipe.mesh) {
    input.vertexBindingDescriptionCount = 1;
    input.pVertexBindingDescriptions = &kVertexBinding;
    // Depth alone reads positions only; an attribute that no shader reads is a warning.
    input.vertexAttributeDescriptionCount =
        recipe.fragment.empty() ? 1 : static_cast<std::uint32_t>(kVertexAttributes.size());
    input.pVertexAttributeDescriptions = kVertexAttributes.data();
  }
  auto assembly = structure<VkPipelineInputAssemblyStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  auto viewport = structure<VkPipelineViewportStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
  viewport.viewportCount = 1;
  viewport.scissorCount = 1;
  auto raster = structure<VkPipelineRasterizationStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
  raster.cullMode = recipe.mesh ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE;
  raster.frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
  raster.lineWidth = 1.0f;
  auto multisample = structure<VkPipelineMultisampleStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
  multisample.rasterizationSamples = recipe.samples;
  auto depth = structure<VkPipelineDepthStencilStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO);
  depth.depthTestEnable = VK_TRUE;
  depth.depthWriteEnable = recipe.mesh ? VK_TRUE : VK_FALSE;
  depth.depthCompareOp = VK_COMPARE_OP_GREATER_OR_EQUAL;
  VkPipelineColorBlendAttachmentState attachment{};
  attachment.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                              VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
  auto blend = structure<VkPipelineColorBlendStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO);
  blend.attachmentCount = recipe.colour == VK_FORMAT_UNDEFINED ? 0 : 1;
  blend.pAttachments = &attachment;
  constexpr std::array kDynamic{VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  auto dynamic = structure<VkPipelineDynamicStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO);
  dynamic.dynamicStateCount = static_cast<std::uint32_t>(kDynamic.size());
  dynamic.pDynamicStates = kDynamic.data();
  auto rendering =
      structure<VkPipelineRenderingCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
  rendering.colorAttachmentCount = blend.attachmentCount;
  rendering.pColorAttachmentFormats = &recipe.colour;
  rendering.depthAttachmentFormat = recipe.depth;

  auto info =
      structure<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
  info.pNext = &rendering;
  info.stageCount = stage_count;
  info.pStages = stages.data();
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &multisample;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamic;
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkResult result =
      vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  if (result != VK_SUCCESS) return failure(call_failed("vkCreateGraphicsPipelines", result));
  return DeviceObject<VkPipeline>(device, pipeline, vkDestroyPipeline);
}

Outcome<DeviceObject<VkDescriptorSetLayout>> make_set_layout(
    VkDevice device, std::span<const VkDescriptorSetLayoutBinding> bindings) {
  auto info = structure<VkDescriptorSetLayoutCreateInfo>(
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  info.bindingCount = static_cast<std::uint32_t>(bindings.size());
  info.pBindings = bindings.data();
  return make_object<VkDescriptorSetLayout>(device, vkCreateDescriptorSetLayout, info,
                                            vkDestroyDescriptorSetLayout,
                                            "vkCreateDescriptorSetLayout");
}

Outcome<void> make_layouts(VkDevice device, Pipelines& pipelines) {
  constexpr VkShaderStageFlags kBoth = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  constexpr VkShaderStageFlags kFragment = VK_SHADER_STAGE_FRAGMENT_BIT;
  const std::array<VkDescriptorSetLayoutBinding, 3> frame{{
      {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, kBoth, nullptr},
      {1, VK_DESCRIPTOR_TYPE_SAMPLER, 1, kFragment, nullptr},
      {2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, kFragment, nullptr},
  }};
  std::array<VkDescriptorSetLayoutBinding, 3> material{};
  for (std::uint32_t i = 0; i < material.size(); ++i) {
    material[i] = {i, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, kFragment, nullptr};
  }
  auto frame_layout = make_set_layout(device, frame);
  if (!frame_layout) return failure(frame_layout.error());
  auto material_layout = make_set_layout(device, material);
  if (!material_layout) return failure(material_layout.error());
  pipelines.frame_layout = std::move(*frame_layout);
  pipelines.material_layout = std::move(*material_layout);
  const std::array sets{pipelines.frame_layout.get(), pipelines.material_layout.get()};
  const VkPushConstantRange object{kBoth, 0, sizeof(ObjectConstants)};
  auto info = structure<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.setLayoutCount = static_cast<std::uint32_t>(sets.size());
  info.pSetLayouts = sets.data();
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &object;
  auto layout = make_object<VkPipelineLayout>(device, vkCreatePipelineLayout, info,
                                              vkDestroyPipelineLayout, "vkCreatePipelineLayout");
  if (!layout) return failure(layout.error());
  pipelines.layout = std::move(*layout);
  return {};
}

}  // namespace

Outcome<Pipelines> Pipelines::create(VkDevice device, VkSampleCountFlagBits samples,
                                     std::int32_t shadow_samples) {
  Pipelines pipelines;
  if (auto layouts = make_layouts(device, pipelines); !layouts) return failure(layouts.error());
  const struct {
    DeviceObject<VkPipeline>& pipeline;
    PipelineRecipe recipe;
  } wanted[] = {
      {pipelines.forward,
       {shaders::kForwardVert, shaders::kForwardFrag, kColourFormat, kDepthFormat, samples, true,
        shadow_samples}},
      {pipelines.sky,
       {shaders::kSkyVert, shaders::kSkyFrag, kColourFormat, kDepthFormat, samples, false}},
      {pipelines.shadow,
       {shaders::kShadowVert, {}, VK_FORMAT_UNDEFINED, kShadowFormat, VK_SAMPLE_COUNT_1_BIT, true}},
      {pipelines.lod,
       {shaders::kForwardVert, shaders::kLodFrag, kLodFormat, kDepthFormat, VK_SAMPLE_COUNT_1_BIT,
        true}},
  };
  for (const auto& want : wanted) {
    auto made = make_pipeline(device, pipelines.layout.get(), want.recipe);
    if (!made) return failure(made.error());
    want.pipeline = std::move(*made);
  }
  return pipelines;
}

}  // namespace quarry::viewer
