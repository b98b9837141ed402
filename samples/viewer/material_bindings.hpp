// SPDX-License-Identifier: MIT
// One descriptor set a material and frame in flight, kept up to date with what is resident.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <quarry/unique.hpp>

#include "viewer/setup_commands.hpp"
#include "viewer/texture_store.hpp"

namespace quarry::viewer {

inline constexpr std::uint32_t kFramesInFlight = 2;

/// What stands behind one map of a material.
struct MapSlot {
  static constexpr std::uint32_t kNoTexture = UINT32_MAX;
  std::uint32_t texture = kNoTexture;  ///< number in the store
  bool broken = false;  ///< there is a file, but it cannot be shown; else no texture: no such map
};
using MaterialSlots = std::array<MapSlot, kMapRoles>;

/// The stand-ins, in each role: neutral and broken.
struct PlaceholderTextures {
  static Outcome<PlaceholderTextures> create(Gpu& gpu, Memory& memory, SetupCommands& setup);

  struct Texture {
    UniqueImage image;
    DeviceObject<VkImageView> view;
  };
  std::array<Texture, kMapRoles> neutral;
  std::array<Texture, kMapRoles> broken;
};

class MaterialBindings {
 public:
  /// `placeholders` must outlive this. There is one set more than materials: all neutral.
  static Outcome<MaterialBindings> create(VkDevice device, VkDescriptorSetLayout layout,
                                          std::vector<MaterialSlots> materials,
                                          const PlaceholderTextures& placeholders);

  /// Before recording in `slot`, whose last frame the GPU is done with.
  void update(std::uint32_t slot, const TextureStore& store);
  /// Lets every set name its placeholders alone; for drawing before there is a store.
  void reset(std::uint32_t slot);
  VkDescriptorSet set(std::uint32_t slot, std::uint32_t material) const {
    return sets_[slot][material].set;
  }
  VkDescriptorSet neutral_set(std::uint32_t slot) const { return sets_[slot].back().set; }

 private:
  using Views = std::array<VkImageView, kMapRoles>;
  struct Set {
    VkDescriptorSet set = VK_NULL_HANDLE;
    Views written{};
  };

  Views neutral_views() const;
  Views views(const MaterialSlots& material, const TextureStore& store) const;
  void write(Set& set, const Views& views);

  VkDevice device_ = VK_NULL_HANDLE;
  DeviceObject<VkDescriptorPool> pool_;
  std::vector<MaterialSlots> materials_;
  std::array<std::vector<Set>, kFramesInFlight> sets_;
  const PlaceholderTextures* placeholders_ = nullptr;
};

}  // namespace quarry::viewer
