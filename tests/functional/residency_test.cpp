// SPDX-License-Identifier: MIT
// Out to host memory and back, on whatever device there is: every byte and texel is the same, mips,
// layers and depth included. QUARRY_TEST_OPERATIONS: rounds.
#include <cstdlib>

#include <quarry/residency.hpp>

#include "functional/moving.hpp"

namespace quarry::functional {

namespace {

class Evicting : public Moving {
 protected:
  void SetUp() override {
    Moving::SetUp();
    auto made = Residency::create(allocator);
    if (made) {
      residency = std::move(*made);
      return;
    }
    // One heap: there is nowhere to go, and it says so.
    EXPECT_EQ(made.error().reason, Reason::unsupported);
    bool host_memory_beside = false;
    const VkPhysicalDeviceMemoryProperties& memory = allocator.facts().memory;
    for (std::uint32_t heap = 0; heap < memory.memoryHeapCount; ++heap)
      host_memory_beside = host_memory_beside ||
                           (memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) == 0;
    EXPECT_FALSE(host_memory_beside);
  }
  void TearDown() override {
    residency = Residency();
    Moving::TearDown();
  }

  void add_everything() {
    for (VkDeviceSize size : {1, 3, 17, 255, 4097, 65'537, 300'000})
      add_buffer(size);
    VkImageCreateInfo mips = image_info({128, 96}, VK_IMAGE_USAGE_SAMPLED_BIT);
    mips.mipLevels = 8;
    add_image(mips, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    VkImageCreateInfo blocks = image_info({252, 100}, VK_IMAGE_USAGE_SAMPLED_BIT);
    blocks.format = VK_FORMAT_BC7_UNORM_BLOCK;
    blocks.mipLevels = 7;
    add_image(blocks, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    VkImageCreateInfo depth = image_info({100, 61}, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
    depth.format = VK_FORMAT_D16_UNORM;
    add_image(depth, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    VkImageCreateInfo layers = image_info({33, 31});
    layers.arrayLayers = 5;
    layers.mipLevels = 3;
    add_image(layers, VK_IMAGE_LAYOUT_GENERAL);
  }
  std::vector<Allocation> allocations() const {
    std::vector<Allocation> all;
    for (const Item& item : items)
      all.push_back(item.allocation);
    return all;
  }
  /// How one that comes back will be used is asked for with null handles.
  static bool use_of(void* user, const MovableResource& resource, ResourceState& state) {
    auto& self = *static_cast<Evicting*>(user);
    if (resource.buffer != VK_NULL_HANDLE || resource.image != VK_NULL_HANDLE)
      return state_of(user, resource, state);
    const Item* item = self.find(resource.allocation);
    if (item == nullptr) return false;
    state.layout = item->image.layout;
    state.access = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    return true;
  }
  /// Until a step has nothing to do.
  void settle() {
    for (int i = 0; i < 1000; ++i) {
      ResidencyStep step = next_step();
      step.state = use_of;
      const auto changes = residency.record(step);
      ASSERT_TRUE(changes);
      for (const DemotedResource& each : changes->demoted) {
        Item* item = find(each.allocation);
        ASSERT_NE(item, nullptr);
        EXPECT_EQ(item->buffer, each.old_buffer);
        EXPECT_EQ(item->image.image, each.old_image);
        item->buffer = VK_NULL_HANDLE;
      }
      for (const PromotedResource& each : changes->promoted) {
        Item* item = find(each.allocation);
        ASSERT_NE(item, nullptr);
        EXPECT_FALSE(each.rebuild);
        item->buffer = each.new_buffer;
        item->image.image = each.new_image;
      }
      const bool none = changes->demoted.empty() && changes->promoted.empty();
      device().submit_commands(step.commands, step.value);
      device().wait(step.value);
      residency.complete(step.value);
      if (none) return;
    }
    ADD_FAILURE() << "it never settles";
  }
  static int rounds() {
    const char* text = std::getenv("QUARRY_TEST_OPERATIONS");
    return text != nullptr ? std::max(1, std::atoi(text)) : 4;
  }

  Residency residency;
};

TEST_F(Evicting, EveryByteAndTexelComesBack) {
  if (!residency) return;  // refused, for the reason that SetUp() looks at
  add_everything();
  const std::vector<Allocation> all = allocations();
  const int most = rounds();
  for (int round = 0; round < most; ++round) {
    ASSERT_TRUE(residency.evict(all));
    settle();
    for (const Allocation& each : all) {
      EXPECT_FALSE(allocator.info(each)->resident);
      EXPECT_EQ(allocator.map(each).error().reason, Reason::not_resident);
    }
    ASSERT_TRUE(residency.make_resident(all));
    settle();
    for (const Allocation& each : all)
      EXPECT_TRUE(allocator.info(each)->resident);
    if (round % 16 == 0 || round + 1 == most) expect_contents();
  }
  const ResidencyFigures figures = residency.figures();
  EXPECT_EQ(figures.demotions, all.size() * static_cast<std::size_t>(most));
  EXPECT_EQ(figures.promotions, figures.demotions);
  EXPECT_EQ(figures.failed + figures.given_up + figures.refused, 0u);
  destroy_all();
}

TEST_F(Evicting, WhatIsFreedWhileAwayIsGone) {
  if (!residency) return;
  add_everything();
  const std::uint64_t others = allocator.totals().allocation_count - items.size();
  ASSERT_TRUE(residency.evict(allocations()));
  settle();
  while (items.size() > 3) {
    ASSERT_TRUE(allocator.free(items.back().allocation));
    items.pop_back();
  }
  ASSERT_TRUE(residency.make_resident(allocations()));
  settle();
  expect_contents();
  destroy_all();
  EXPECT_EQ(allocator.totals().allocation_count, others);
}

}  // namespace

}  // namespace quarry::functional
