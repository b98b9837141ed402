// SPDX-License-Identifier: MIT
// A set is rewritten only when one of its images changed. A material shows neutral stand-ins until
// the first mips of all its maps are there: drivers that compile shaders for each mix of formats
// then meet two mixes instead of eight.
#include "viewer/material_bindings.hpp"

#include "materials/material_set.hpp"

namespace quarry::viewer {

namespace {

Outcome<PlaceholderTextures::Texture> upload(Gpu& gpu, Memory& memory, SetupCommands& setup,
                                             const PlaceholderImage& placeholder) {
  const auto mips = static_cast<std::uint32_t>(placeholder.levels.size());
  const auto info =
      texture_image_info(placeholder.format, placeholder.edge, placeholder.edge, mips);
  auto image = memory.create_image(
      info, {.lifetime = Lifetime::long_lived, .tag = memory.frame_tag(), .name = "placeholder"});
  if (!image) return failure("placeholder: " + describe(image.error()));
  PlaceholderTextures::Texture texture{UniqueImage(memory.allocator(), *image), {}};
  auto commands = setup.begin();
  if (!commands) return failure(commands.error());
  VkImageMemoryBarrier2 barrier = image_barrier(image->image, VK_IMAGE_ASPECT_COLOR_BIT);
  barrier.dstStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
  barrier.dstAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  record_barrier(*commands, barrier);
  for (std::uint32_t mip = 0; mip < mips; ++mip) {
    const std::uint32_t edge = placeholder.edge >> mip;
    if (auto filled = setup.fill_image(image->image, mip, {edge, edge}, placeholder.levels[mip]);
        !filled) {
      return failure(filled.error());
    }
  }
  barrier.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
  barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  barrier.dstStageMask = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
  barrier.dstAccessMask = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  record_barrier(*commands, barrier);
  if (auto finished = setup.finish(); !finished) return failure(finished.error());
  auto view = make_object<VkImageView>(gpu.device(), vkCreateImageView,
                                       texture_view_info(image->image, placeholder.format),
                                       vkDestroyImageView, "vkCreateImageView");
  if (!view) return failure(view.error());
  texture.view = std::move(*view);
  return texture;
}

}  // namespace

Outcome<PlaceholderTextures> PlaceholderTextures::create(Gpu& gpu, Memory& memory,
                                                         SetupCommands& setup) {
  PlaceholderTextures textures;
  for (std::size_t i = 0; i < kMapRoles; ++i) {
    const auto role = static_cast<MapRole>(i);
    const VkFormat format = placeholder_format(role, gpu.facts().block_compression);
    const auto texel = materials::neutral_texel(static_cast<materials::MapKind>(i));
    auto neutral = upload(gpu, memory, setup, neutral_placeholder(format, texel));
    if (!neutral) return failure(neutral.error());
    auto broken = upload(gpu, memory, setup, checker_placeholder(role, format));
    if (!broken) return failure(broken.error());
    textures.neutral[i] = std::move(*neutral);
    textures.broken[i] = std::move(*broken);
  }
  return textures;
}

Outcome<MaterialBindings> MaterialBindings::create(VkDevice device, VkDescriptorSetLayout layout,
                                                   std::vector<MaterialSlots> materials,
                                                   const PlaceholderTextures& placeholders) {
  MaterialBindings bindings;
  bindings.device_ = device;
  bindings.materials_ = std::move(materials);
  bindings.placeholders_ = &placeholders;
  const auto sets = static_cast<std::uint32_t>(bindings.materials_.size() + 1);
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                                  sets * kFramesInFlight * static_cast<std::uint32_t>(kMapRoles)};
  auto info = structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  info.maxSets = sets * kFramesInFlight;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  auto pool = make_object<VkDescriptorPool>(device, vkCreateDescriptorPool, info,
                                            vkDestroyDescriptorPool, "vkCreateDescriptorPool");
  if (!pool) return failure(pool.error());
  bindings.pool_ = std::move(*pool);
  const std::vector<VkDescriptorSetLayout> layouts(sets, layout);
  for (std::uint32_t slot = 0; slot < kFramesInFlight; ++slot) {
    std::vector<VkDescriptorSet> handles(sets);
    auto allocate =
        structure<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
    allocate.descriptorPool = bindings.pool_.get();
    allocate.descriptorSetCount = sets;
    allocate.pSetLayouts = layouts.data();
    const VkResult result = vkAllocateDescriptorSets(device, &allocate, handles.data());
    if (result != VK_SUCCESS) return failure(call_failed("vkAllocateDescriptorSets", result));
    for (const VkDescriptorSet handle : handles)
      bindings.sets_[slot].push_back({handle, {}});
    bindings.reset(slot);
  }
  return bindings;
}

MaterialBindings::Views MaterialBindings::neutral_views() const {
  Views views{};
  for (std::size_t i = 0; i < kMapRoles; ++i)
    views[i] = placeholders_->neutral[i].view.get();
  return views;
}

MaterialBindings::Views MaterialBindings::views(const MaterialSlots& material,
                                                const TextureStore& store) const {
  Views views = neutral_views();
  for (const MapSlot& map : material) {
    const bool awaited = map.texture != MapSlot::kNoTexture && !store.broken(map.texture) &&
                         store.view(map.texture) == VK_NULL_HANDLE;
    if (awaited) return views;
  }
  for (std::size_t i = 0; i < kMapRoles; ++i) {
    const MapSlot& map = material[i];
    const bool textured = map.texture != MapSlot::kNoTexture;
    if (textured && store.view(map.texture) != VK_NULL_HANDLE) {
      views[i] = store.view(map.texture);
    } else if (textured || map.broken) {
      views[i] = placeholders_->broken[i].view.get();
    }
  }
  return views;
}

void MaterialBindings::write(Set& set, const Views& views) {
  if (set.written == views) return;
  set.written = views;
  std::array<VkDescriptorImageInfo, kMapRoles> images{};
  std::array<VkWriteDescriptorSet, kMapRoles> writes{};
  for (std::uint32_t i = 0; i < kMapRoles; ++i) {
    images[i] = {VK_NULL_HANDLE, views[i], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set.set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    writes[i].pImageInfo = &images[i];
  }
  vkUpdateDescriptorSets(device_, static_cast<std::uint32_t>(writes.size()), writes.data(), 0,
                         nullptr);
}

void MaterialBindings::update(std::uint32_t slot, const TextureStore& store) {
  for (std::size_t i = 0; i < materials_.size(); ++i) {
    write(sets_[slot][i], views(materials_[i], store));
  }
}

void MaterialBindings::reset(std::uint32_t slot) {
  for (Set& set : sets_[slot])
    write(set, neutral_views());
}

}  // namespace quarry::viewer
