// SPDX-License-Identifier: MIT
// A fixture whose movable buffers and images hold noise of their own, in small blocks: whatever is
// moved must hold it afterwards, every byte and every texel.
#pragma once

#include <algorithm>

#include "functional/fixture.hpp"
#include "functional/texels.hpp"

namespace quarry::functional {

class Moving : public Functional {
 protected:
  struct Item {
    Allocation allocation{};
    VkBuffer buffer = VK_NULL_HANDLE;
    TestImage image{};
    std::vector<std::byte> contents;

    bool is_image() const { return image.image != VK_NULL_HANDLE; }
  };

  void adjust(AllocatorDesc& desc) override {
    desc.blocks.first_block = desc.blocks.largest_block = VkDeviceSize{1} << 20;
    desc.blocks.retained_bytes = 0;
  }

  void add_buffer(VkDeviceSize size) {
    const Buffer made = make_buffer(size, {.movable = true});
    items.push_back({made.allocation, made.buffer, {}, noise(size, ++noise_seed_)});
    write(made, items.back().contents);
  }
  void add_image(const VkImageCreateInfo& info, VkImageLayout layout) {
    if (!device().supports(info)) return;
    const auto made = allocator.create_image(info, {.movable = true});
    ASSERT_TRUE(made) << to_string(made.error().reason);
    const VkDeviceSize size = texels_of(info).bytes;
    items.push_back({made->allocations[0],
                     VK_NULL_HANDLE,
                     {made->image, info, layout},
                     noise(size, ++noise_seed_)});
    const Buffer staging = make_buffer(size, {.intent = MemoryIntent::upload});
    ASSERT_TRUE(allocator.copy_to(staging.allocation, 0, items.back().contents));
    device().write_image(staging.buffer, items.back().image);
    ASSERT_TRUE(allocator.destroy(staging));
  }
  void destroy(std::size_t index) {
    const Item& item = items[index];
    ASSERT_TRUE(item.is_image() ? allocator.destroy(Image{item.image.image, {item.allocation}})
                                : allocator.destroy(Buffer{item.buffer, item.allocation}));
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
  }
  void destroy_every_other() {
    for (std::size_t i = items.size(); i-- > 0;) {
      if (i % 2 == 1) destroy(i);
    }
  }
  void destroy_all() {
    while (!items.empty())
      destroy(items.size() - 1);
  }

  Item* find(Allocation allocation) {
    const auto found = std::ranges::find(items, allocation, &Item::allocation);
    return found == items.end() ? nullptr : &*found;
  }
  /// Takes over the new handles.
  void rename(std::span<const MovedResource> moved) {
    for (const MovedResource& each : moved) {
      Item* item = find(each.allocation);
      ASSERT_NE(item, nullptr);
      EXPECT_EQ(item->buffer, each.old_buffer);
      EXPECT_EQ(item->image.image, each.old_image);
      item->buffer = each.new_buffer;
      item->image.image = each.new_image;
    }
  }
  std::vector<std::byte> contents_of(const Item& item) {
    if (!item.is_image()) return read({item.buffer, item.allocation}, item.contents.size());
    const Buffer staging = make_buffer(item.contents.size(), {.intent = MemoryIntent::readback});
    device().read_image(item.image, staging.buffer);
    std::vector<std::byte> bytes(item.contents.size());
    EXPECT_TRUE(allocator.copy_from(staging.allocation, 0, bytes));
    EXPECT_TRUE(allocator.destroy(staging));
    return bytes;
  }
  void expect_contents() {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Item& item = items[i];
      const std::vector<std::byte> found = contents_of(item);
      EXPECT_TRUE(item.is_image() ? texels_of(item.image.info).same(found, item.contents)
                                  : found == item.contents)
          << (item.is_image() ? "image " : "buffer ") << i << " of " << item.contents.size()
          << " bytes";
    }
  }

  /// The last use was one of this fixture's copies; of every third resource nothing is known.
  static bool state_of(void* user, const MovableResource& resource, ResourceState& state) {
    Moving& self = *static_cast<Moving*>(user);
    const Item* item = self.find(resource.allocation);
    if (item == nullptr) return false;
    EXPECT_EQ(item->buffer, resource.buffer);
    EXPECT_EQ(item->image.image, resource.image);
    if (item->is_image()) state.layout = item->image.layout;
    const bool known = ++self.asked_ % 3 != 0;
    state.stages = known ? VK_PIPELINE_STAGE_TRANSFER_BIT : 0;
    state.access = known ? VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT
                         : VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    return true;
  }
  DefragmentationStep next_step() {
    return {.commands = device().begin_commands(),
            .queue_family = 0,
            .value = device().next_value(),
            .state = state_of,
            .user = this,
            .max_bytes = VkDeviceSize{256} << 10};
  }
  Defragmentation begin(DefragmentationDesc desc = {}) {
    desc.host_visible = true;  // some devices have no other memory
    auto pass = Defragmentation::begin(allocator, desc);
    EXPECT_TRUE(pass) << to_string(pass.error().reason);
    return pass ? std::move(*pass) : Defragmentation();
  }
  /// To the end of the pass, one step after the other; how many there were.
  std::uint32_t run(Defragmentation& pass) {
    std::uint32_t steps = 0;
    for (; !pass.done() && steps < 1000; ++steps) {
      const DefragmentationStep step = next_step();
      const auto moved = pass.record(step);
      EXPECT_TRUE(moved);
      if (moved) rename(*moved);
      device().submit_commands(step.commands, step.value);
      device().wait(step.value);
      pass.complete(step.value);
    }
    EXPECT_TRUE(pass.done());
    return steps;
  }

  std::vector<Item> items;

 private:
  std::uint64_t noise_seed_ = test::seeds(1).front();
  std::uint32_t asked_ = 0;
};

}  // namespace quarry::functional
