// SPDX-License-Identifier: MIT
// Recording. Attachments go through UNDEFINED each time: nothing of the last frame is kept.
#include "viewer/scene_renderer.hpp"

#include <cmath>
#include <cstring>

namespace quarry::viewer {

namespace {

constexpr Vec3 kToSun{0.52f, 0.74f, 0.42f};
constexpr Vec4 kSunRadiance{3.1f, 2.85f, 2.45f, 0.0f};

void set_viewport(VkCommandBuffer commands, VkExtent2D extent) {
  const VkViewport viewport{
      0.0f, 0.0f, static_cast<float>(extent.width), static_cast<float>(extent.height), 0.0f, 1.0f};
  const VkRect2D scissor{{0, 0}, extent};
  vkCmdSetViewport(commands, 0, 1, &viewport);
  vkCmdSetScissor(commands, 0, 1, &scissor);
}

/// Contents before are dropped; whatever used the image in the frame before is waited for.
VkImageMemoryBarrier2 to_colour(VkImage image) {
  VkImageMemoryBarrier2 barrier = image_barrier(image, VK_IMAGE_ASPECT_COLOR_BIT);
  barrier.srcStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT |
                         VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_BLIT_BIT;
  barrier.srcAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
  barrier.dstStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
  barrier.dstAccessMask =
      VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT;
  barrier.newLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  return barrier;
}

VkImageMemoryBarrier2 to_depth(VkImage image) {
  constexpr VkPipelineStageFlags2 kStages =
      VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
  VkImageMemoryBarrier2 barrier = image_barrier(image, VK_IMAGE_ASPECT_DEPTH_BIT);
  barrier.srcStageMask = kStages;
  barrier.srcAccessMask = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  barrier.dstStageMask = kStages;
  barrier.dstAccessMask = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT |
                          VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
  barrier.newLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
  return barrier;
}

VkRenderingAttachmentInfo attachment_info(VkImageView view, VkImageLayout layout,
                                          VkAttachmentStoreOp store) {
  auto info = structure<VkRenderingAttachmentInfo>(VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO);
  info.imageView = view;
  info.imageLayout = layout;
  info.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  info.storeOp = store;
  return info;
}

VkRenderingInfo rendering_info(VkExtent2D extent, const VkRenderingAttachmentInfo* colour,
                               const VkRenderingAttachmentInfo* depth) {
  auto info = structure<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
  info.renderArea.extent = extent;
  info.layerCount = 1;
  info.colorAttachmentCount = colour != nullptr ? 1 : 0;
  info.pColorAttachments = colour;
  info.pDepthAttachment = depth;
  return info;
}

Outcome<DeviceObject<VkSampler>> make_sampler(VkDevice device, float anisotropy) {
  auto info = structure<VkSamplerCreateInfo>(VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO);
  info.magFilter = VK_FILTER_LINEAR;
  info.minFilter = VK_FILTER_LINEAR;
  info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
  info.anisotropyEnable = anisotropy > 1.0f ? VK_TRUE : VK_FALSE;
  info.maxAnisotropy = anisotropy;
  info.maxLod = VK_LOD_CLAMP_NONE;
  return make_object<VkSampler>(device, vkCreateSampler, info, vkDestroySampler, "vkCreateSampler");
}

Outcome<DeviceObject<VkSampler>> make_shadow_sampler(VkDevice device) {
  auto info = structure<VkSamplerCreateInfo>(VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO);
  info.magFilter = VK_FILTER_LINEAR;
  info.minFilter = VK_FILTER_LINEAR;
  info.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.compareEnable = VK_TRUE;
  info.compareOp = VK_COMPARE_OP_GREATER_OR_EQUAL;
  return make_object<VkSampler>(device, vkCreateSampler, info, vkDestroySampler, "vkCreateSampler");
}

Mat4 sun_matrix(float radius) {
  const float half = radius + kSphereRadius;
  const Vec3 sun = normalize(kToSun) * (2.0f * half);
  return orthographic(half, 4.0f * half) * view_matrix(sun, view_basis(sun, {0, 0, 0}));
}

ObjectConstants object_constants(const Object& object, std::uint32_t number) {
  return {placement(object.position, object.yaw, 1.0f),
          {object.occluder.x, object.occluder.y, object.occluder.z, object.occluder_radius},
          {object.shape == Shape::ground ? 1.0f : 0.0f, static_cast<float>(number), 0.0f, 0.0f}};
}

}  // namespace

Outcome<std::unique_ptr<SceneRenderer>> SceneRenderer::create(Gpu& gpu, Memory& memory,
                                                              SetupCommands& setup, Desc desc) {
  auto renderer = std::make_unique<SceneRenderer>();
  renderer->device_ = gpu.device();
  renderer->constants_alignment_ = gpu.facts().properties.limits.minUniformBufferOffsetAlignment;
  renderer->scene_ = desc.scene;
  renderer->world_to_sun_ = sun_matrix(desc.scene->radius);
  renderer->shadow_texel_ = 1.0f / static_cast<float>(desc.shadow_edge);
  const auto keep = [](auto& place, auto made) -> Outcome<void> {
    if (!made) return failure(made.error());
    place = std::move(*made);
    return {};
  };
  const VkExtent2D shadow_extent{desc.shadow_edge, desc.shadow_edge};
  const AttachmentDesc shadow{
      kShadowFormat, shadow_extent,
      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
      VK_SAMPLE_COUNT_1_BIT, "shadow map"};
  Outcome<void> step = keep(renderer->pipelines_, Pipelines::create(gpu.device(), desc.samples,
                                                                    gpu.facts().is_cpu() ? 1 : 2));
  if (step) step = keep(renderer->buffers_, SceneBuffers::create(memory, setup, *desc.scene));
  if (step) step = keep(renderer->placeholders_, PlaceholderTextures::create(gpu, memory, setup));
  if (step) {
    step = keep(renderer->bindings_,
                MaterialBindings::create(gpu.device(), renderer->pipelines_.material_layout.get(),
                                         std::move(desc.materials), renderer->placeholders_));
  }
  if (step) step = keep(renderer->shadow_map_, Attachment::create(memory, gpu.device(), shadow));
  if (step) step = keep(renderer->shadow_sampler_, make_shadow_sampler(gpu.device()));
  if (step) step = keep(renderer->samplers_[0], make_sampler(gpu.device(), 1.0f));
  if (step) step = keep(renderer->samplers_[1], make_sampler(gpu.device(), desc.anisotropy));
  if (step) step = renderer->make_sets(gpu, setup.ring());
  if (step) step = renderer->draw_shadows(setup, desc.shadow_edge);
  if (!step) return failure(step.error());
  return renderer;
}

Outcome<void> SceneRenderer::make_sets(Gpu& gpu, UploadRing& ring) {
  const std::array<VkDescriptorPoolSize, 3> sizes{{
      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2},
      {VK_DESCRIPTOR_TYPE_SAMPLER, 2},
      {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2},
  }};
  auto info = structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  info.maxSets = 2;
  info.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  auto pool = make_object<VkDescriptorPool>(gpu.device(), vkCreateDescriptorPool, info,
                                            vkDestroyDescriptorPool, "vkCreateDescriptorPool");
  if (!pool) return failure(pool.error());
  pool_ = std::move(*pool);
  const std::array layouts{pipelines_.frame_layout.get(), pipelines_.frame_layout.get()};
  auto allocate =
      structure<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  allocate.descriptorPool = pool_.get();
  allocate.descriptorSetCount = 2;
  allocate.pSetLayouts = layouts.data();
  const VkResult result = vkAllocateDescriptorSets(gpu.device(), &allocate, frame_sets_.data());
  if (result != VK_SUCCESS) return failure(call_failed("vkAllocateDescriptorSets", result));
  auto span = ring.allocate(sizeof(FrameConstants), constants_alignment_);
  if (!span) return failure("frame data: " + describe(span.error()));
  const VkDescriptorBufferInfo constants{span->buffer, 0, sizeof(FrameConstants)};
  const VkDescriptorImageInfo shadow{shadow_sampler_.get(), shadow_map_.view.get(),
                                     VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  for (std::size_t i = 0; i < frame_sets_.size(); ++i) {
    const VkDescriptorImageInfo sampler{samplers_[i].get(), VK_NULL_HANDLE,
                                        VK_IMAGE_LAYOUT_UNDEFINED};
    std::array<VkWriteDescriptorSet, 3> writes{};
    for (std::uint32_t binding = 0; binding < writes.size(); ++binding) {
      writes[binding].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      writes[binding].dstSet = frame_sets_[i];
      writes[binding].dstBinding = binding;
      writes[binding].descriptorCount = 1;
      writes[binding].descriptorType = sizes[binding].type;
    }
    writes[0].pBufferInfo = &constants;
    writes[1].pImageInfo = &sampler;
    writes[2].pImageInfo = &shadow;
    vkUpdateDescriptorSets(gpu.device(), static_cast<std::uint32_t>(writes.size()), writes.data(),
                           0, nullptr);
  }
  return {};
}

Outcome<SceneRenderer::FrameBinding> SceneRenderer::put_constants(
    UploadRing& ring, const ScenePicture& picture) const {
  const View& view = picture.view;
  const ViewBasis basis = view_basis(view.pose.eye, view.pose.target);
  const float focal = focal_length();
  const float aspect = view.aspect();
  FrameConstants constants;
  constants.view_projection =
      perspective(focal, aspect, kNearPlane, picture.shift_x, picture.shift_y) *
      view_matrix(view.pose.eye, basis);
  // (x, y, 0, 1) -> right * x * aspect / focal - up * y / focal - back.
  Mat4& direction = constants.clip_to_direction;
  const Vec3 right = basis.right * (aspect / focal);
  const Vec3 up = basis.up * (-1.0f / focal);
  const Vec3 ahead = basis.back * -1.0f - right * picture.shift_x - up * picture.shift_y;
  direction.m = {right.x, right.y, right.z, 0, up.x,    up.y,    up.z,    0,
                 0,       0,       0,       0, ahead.x, ahead.y, ahead.z, 0};
  constants.world_to_sun = world_to_sun_;
  constants.eye = {view.pose.eye.x, view.pose.eye.y, view.pose.eye.z, shadow_texel_};
  const Vec3 sun = normalize(kToSun);
  constants.sun_direction = {sun.x, sun.y, sun.z, 0.0f};
  constants.sun_radiance = kSunRadiance;
  auto span = ring.allocate(sizeof constants, constants_alignment_);
  if (!span) return failure("frame data: " + describe(span.error()));
  std::memcpy(span->mapped, &constants, sizeof constants);
  return FrameBinding{frame_sets_[picture.anisotropic ? 1 : 0],
                      static_cast<std::uint32_t>(span->offset)};
}

void SceneRenderer::draw_objects(VkCommandBuffer commands, const FrameBinding& frame,
                                 std::uint32_t slot, bool ground) const {
  constexpr VkShaderStageFlags kBoth = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  const VkPipelineLayout layout = pipelines_.layout.get();
  buffers_.bind(commands);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &frame.set, 1,
                          &frame.offset);
  for (std::uint32_t i = 0; i < scene_->objects.size(); ++i) {
    const Object& object = scene_->objects[i];
    if (object.shape == Shape::ground && !ground) continue;
    const VkDescriptorSet material = object.shape == Shape::ground
                                         ? bindings_.neutral_set(slot)
                                         : bindings_.set(slot, object.material);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 1, 1, &material, 0,
                            nullptr);
    const ObjectConstants constants = object_constants(object, i);
    vkCmdPushConstants(commands, layout, kBoth, 0, sizeof constants, &constants);
    buffers_.draw(commands, object.shape);
  }
}

Outcome<void> SceneRenderer::draw_shadows(SetupCommands& setup, std::uint32_t edge) {
  auto commands = setup.begin();
  if (!commands) return failure(commands.error());
  auto frame = put_constants(setup.ring(), {{{{0, 1, 0}, {1, 1, 1}}, 1, 1}, 0, 0, false, 0});
  if (!frame) return failure(frame.error());
  VkImageMemoryBarrier2 barrier = to_depth(shadow_map_.handle());
  record_barrier(*commands, barrier);
  const VkExtent2D extent{edge, edge};
  const VkRenderingAttachmentInfo depth =
      attachment_info(shadow_map_.view.get(), VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                      VK_ATTACHMENT_STORE_OP_STORE);
  const VkRenderingInfo rendering = rendering_info(extent, nullptr, &depth);
  vkCmdBeginRendering(*commands, &rendering);
  set_viewport(*commands, extent);
  vkCmdBindPipeline(*commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_.shadow.get());
  draw_objects(*commands, *frame, 0, false);
  vkCmdEndRendering(*commands);
  barrier.srcStageMask = VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
  barrier.srcAccessMask = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  barrier.dstStageMask = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
  barrier.dstAccessMask = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  record_barrier(*commands, barrier);
  return setup.finish();
}

Outcome<void> SceneRenderer::record(VkCommandBuffer commands, UploadRing& ring,
                                    const FrameTargets& targets, const ScenePicture& picture) {
  auto frame = put_constants(ring, picture);
  if (!frame) return failure(frame.error());
  const bool resolve = targets.samples != VK_SAMPLE_COUNT_1_BIT;
  std::vector<VkImageMemoryBarrier2> barriers{to_colour(targets.colour.handle()),
                                              to_depth(targets.depth.handle())};
  if (resolve) barriers.push_back(to_colour(targets.multisampled.handle()));
  record_barriers(commands, barriers);
  const Attachment& drawn = resolve ? targets.multisampled : targets.colour;
  VkRenderingAttachmentInfo colour =
      attachment_info(drawn.view.get(), VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                      resolve ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE);
  // The sky covers every pixel that no object does.
  colour.loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  if (resolve) {
    colour.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
    colour.resolveImageView = targets.colour.view.get();
    colour.resolveImageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  }
  const VkRenderingAttachmentInfo depth =
      attachment_info(targets.depth.view.get(), VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                      VK_ATTACHMENT_STORE_OP_DONT_CARE);
  const VkRenderingInfo rendering = rendering_info(targets.extent, &colour, &depth);
  vkCmdBeginRendering(commands, &rendering);
  set_viewport(commands, targets.extent);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_.forward.get());
  draw_objects(commands, *frame, picture.slot, true);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_.sky.get());
  vkCmdDraw(commands, 3, 1, 0, 0);
  vkCmdEndRendering(commands);
  return {};
}

Outcome<void> SceneRenderer::record_lod(VkCommandBuffer commands, UploadRing& ring,
                                        const Attachment& colour, const Attachment& depth,
                                        const ScenePicture& picture) {
  auto frame = put_constants(ring, picture);
  if (!frame) return failure(frame.error());
  const std::array barriers{to_colour(colour.handle()), to_depth(depth.handle())};
  record_barriers(commands, barriers);
  const VkExtent2D extent{picture.view.width, picture.view.height};
  const VkRenderingAttachmentInfo values = attachment_info(
      colour.view.get(), VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_ATTACHMENT_STORE_OP_STORE);
  const VkRenderingAttachmentInfo depths = attachment_info(
      depth.view.get(), VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, VK_ATTACHMENT_STORE_OP_DONT_CARE);
  const VkRenderingInfo rendering = rendering_info(extent, &values, &depths);
  vkCmdBeginRendering(commands, &rendering);
  set_viewport(commands, extent);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_.lod.get());
  draw_objects(commands, *frame, picture.slot, false);
  vkCmdEndRendering(commands);
  return {};
}

}  // namespace quarry::viewer
