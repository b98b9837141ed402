// SPDX-License-Identifier: MIT
// Defragmentation on whatever device there is: by compute with addresses and without, and by copy
// commands; contents are compared byte for byte and texel for texel.
#include <ostream>

#include "functional/moving.hpp"

namespace quarry::functional {

namespace {

using Copies = DefragmentationDesc::Copies;

struct Way {
  const char* name;
  Copies copies;
  bool addresses = true;  ///< where the device has them
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

class Defragmenting : public Moving, public ::testing::WithParamInterface<Way> {
 protected:
  void adjust(AllocatorDesc& desc) override {
    Moving::adjust(desc);
    desc.features.buffer_device_address =
        desc.features.buffer_device_address && GetParam().addresses;
  }
  Defragmentation begin() { return Moving::begin({.copies = GetParam().copies}); }

  /// Sizes that are no multiples of anything, up to a fifth of a block.
  void add_buffers(std::size_t count) {
    constexpr VkDeviceSize kOdd[] = {1, 2, 3, 5, 17, 255, 4097, 65'537};
    for (std::size_t i = 0; i < count; ++i) {
      const bool odd = i % 5 == 0;
      add_buffer(odd ? kOdd[i / 5 % std::size(kOdd)] : 1 + random_() % 200'000);
    }
  }
  void add_images(std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
      const std::uint32_t more = 7 * static_cast<std::uint32_t>(i % 4);
      VkImageCreateInfo mips = image_info({128, 96 + more}, VK_IMAGE_USAGE_SAMPLED_BIT);
      mips.mipLevels = 8;
      add_image(mips, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
      VkImageCreateInfo blocks = image_info({252, 100 + more}, VK_IMAGE_USAGE_SAMPLED_BIT);
      blocks.format = VK_FORMAT_BC7_UNORM_BLOCK;
      blocks.mipLevels = 7;
      add_image(blocks, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
      VkImageCreateInfo depth =
          image_info({100, 61 + more}, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
      depth.format = VK_FORMAT_D16_UNORM;
      add_image(depth, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
      VkImageCreateInfo layers = image_info({33, 31 + more});
      layers.arrayLayers = 5;
      layers.mipLevels = 3;
      add_image(layers, VK_IMAGE_LAYOUT_GENERAL);
    }
  }
  /// Of each kind some, in each block some.
  void destroy_most() {
    std::ranges::shuffle(items, random_);
    destroy_every_other();
    destroy_every_other();
  }
  bool everything_moved() const {
    return formats_moved.contains(VK_FORMAT_UNDEFINED) &&
           std::ranges::all_of(items, [&](const Item& item) {
             return formats_moved.contains(item.image.info.format);
           });
  }
  /// By the way asked for.
  void expect_way(const DefragmentationFigures& figures) const {
    if (GetParam().copies == Copies::compute) {
      EXPECT_GT(figures.bytes_by_compute, 0u);
    }
    if (GetParam().copies == Copies::commands) {
      EXPECT_EQ(figures.bytes_by_compute, 0u);
    }
  }
  static void expect_no_losses(const DefragmentationFigures& figures) {
    EXPECT_EQ(figures.given_up, 0u);
    EXPECT_EQ(figures.refused, 0u);
    EXPECT_EQ(figures.failed, 0u);
  }

  const std::uint64_t seed_ = test::seeds(1).front();
  std::mt19937_64 random_{seed_};
};

TEST_P(Defragmenting, KeepsEveryByteAndTexel) {
  SCOPED_TRACE(seed_);
  add_buffers(120);
  add_images(20);
  destroy_most();
  {
    Defragmentation pass = begin();
    EXPECT_GT(pass.planned_bytes_freed(), 0u);
    const VkDeviceSize planned = pass.planned_bytes();
    const VkDeviceSize planned_freed = pass.planned_bytes_freed();
    EXPECT_GT(run(pass), 2u);
    EXPECT_EQ(pass.figures().bytes_moved, planned);
    EXPECT_EQ(pass.figures().bytes_freed, planned_freed);
    expect_no_losses(pass.figures());
    expect_way(pass.figures());
  }
  expect_contents();
  destroy_all();
}

TEST_P(Defragmenting, RoundAfterRound) {
  SCOPED_TRACE(seed_);
  for (int round = 0; round < 4 || (!everything_moved() && round < 20); ++round) {
    add_buffers(40);
    add_images(12);
    destroy_most();
    Defragmentation pass = begin();
    (void)run(pass);
    expect_no_losses(pass.figures());
    expect_contents();
  }
  EXPECT_TRUE(everything_moved());
  destroy_all();
}

TEST_P(Defragmenting, StepsInFlightTogether) {
  SCOPED_TRACE(seed_);
  add_buffers(120);
  destroy_most();
  {
    Defragmentation pass = begin();
    std::vector<std::uint64_t> values;
    while (!pass.done()) {
      const DefragmentationStep step = next_step();
      const auto moved = pass.record(step);
      ASSERT_TRUE(moved);
      const bool waits = moved->empty();
      rename(*moved);
      device().submit_commands(step.commands, step.value);
      values.push_back(step.value);
      if (!waits && values.size() < 3) continue;
      device().wait(step.value);
      for (const std::uint64_t value : values)
        pass.complete(value);
      values.clear();
    }
    expect_no_losses(pass.figures());
  }
  expect_contents();
  destroy_all();
}

TEST_P(Defragmenting, FreedInFlightByEitherHandle) {
  SCOPED_TRACE(seed_);
  add_buffers(80);
  add_images(8);
  destroy_most();
  const std::size_t before = items.size();
  {
    Defragmentation pass = begin();
    std::size_t freed = 0;
    while (!pass.done()) {
      const DefragmentationStep step = next_step();
      const auto moved = pass.record(step);
      ASSERT_TRUE(moved);
      const std::vector<MovedResource> all(moved->begin(), moved->end());
      device().submit_commands(step.commands, step.value);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % 3 != 0) rename({&all[i], 1});
        if (i % 3 == 2) continue;
        destroy(static_cast<std::size_t>(find(all[i].allocation) - items.data()));
        ++freed;
      }
      device().wait(step.value);
      pass.complete(step.value);
    }
    EXPECT_GT(freed, 0u);
    EXPECT_EQ(items.size(), before - freed);
    expect_no_losses(pass.figures());
  }
  expect_contents();
  EXPECT_EQ(allocator.totals().allocation_count, items.size());
  destroy_all();
}

TEST_P(Defragmenting, PinnedStayWhereTheyAre) {
  SCOPED_TRACE(seed_);
  add_buffers(80);
  add_images(8);
  destroy_most();
  struct Kept {
    Allocation allocation;
    AllocationInfo info;
    VkBuffer buffer;
    VkImage image;
  };
  std::vector<Kept> kept;
  for (std::size_t i = 0; i < items.size(); i += 3) {
    ASSERT_TRUE(allocator.pin(items[i].allocation));
    const auto info = allocator.info(items[i].allocation);
    ASSERT_TRUE(info);
    kept.push_back({items[i].allocation, *info, items[i].buffer, items[i].image.image});
  }
  {
    Defragmentation pass = begin();
    (void)run(pass);
    expect_no_losses(pass.figures());
  }
  for (const Kept& one : kept) {
    const auto info = allocator.info(one.allocation);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->memory, one.info.memory);
    EXPECT_EQ(info->offset, one.info.offset);
    const Item* item = find(one.allocation);
    ASSERT_NE(item, nullptr);
    EXPECT_EQ(item->buffer, one.buffer);
    EXPECT_EQ(item->image.image, one.image);
    ASSERT_TRUE(allocator.unpin(one.allocation));
  }
  expect_contents();
  destroy_all();
}

INSTANTIATE_TEST_SUITE_P(, Defragmenting,
                         ::testing::Values(Way{"Automatic", Copies::automatic},
                                           Way{"ByAddress", Copies::compute},
                                           Way{"ByWindows", Copies::compute, false},
                                           Way{"ByCommand", Copies::commands}),
                         [](const auto& param) { return param.param.name; });

class DefragmentingByOwner : public Moving {
 protected:
  VkBuffer bound_buffer(VkDeviceSize size, Allocation place) {
    const VkBuffer buffer = unbound_buffer(size);
    EXPECT_TRUE(allocator.bind_buffer(place, buffer));
    return buffer;
  }
  VkBuffer unbound_buffer(VkDeviceSize size) {
    const auto create =
        reinterpret_cast<PFN_vkCreateBuffer>(device().device_function("vkCreateBuffer"));
    const VkBufferCreateInfo info = buffer_info(size);
    VkBuffer buffer = VK_NULL_HANDLE;
    EXPECT_EQ(create(device().device(), &info, nullptr, &buffer), VK_SUCCESS);
    return buffer;
  }
  void destroy_own(VkBuffer buffer) {
    const auto destroy =
        reinterpret_cast<PFN_vkDestroyBuffer>(device().device_function("vkDestroyBuffer"));
    destroy(device().device(), buffer, nullptr);
  }
  void add_own(VkDeviceSize size) {
    const VkBuffer buffer = unbound_buffer(size);
    const auto place = allocator.allocate_for_buffer(buffer, {.movable = true});
    ASSERT_TRUE(place) << to_string(place.error().reason);
    ASSERT_TRUE(allocator.bind_buffer(*place, buffer));
    items.push_back({*place, buffer, {}, noise(size, items.size())});
    write({buffer, *place}, items.back().contents);
  }
  void drop_own(std::size_t index) {
    destroy_own(items[index].buffer);
    ASSERT_TRUE(allocator.free(items[index].allocation));
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
  }
};

TEST_F(DefragmentingByOwner, CommitsSomeAndRefusesOthers) {
  for (std::uint32_t i = 0; i < 40; ++i)
    add_own(100'000 + 333 * i);
  for (std::size_t i = items.size(); i-- > 0;) {
    if (i % 2 == 1) drop_own(i);
  }
  const std::uint64_t blocks = allocator.totals().block_count;
  std::uint32_t proposals = 0;
  std::uint32_t committed = 0;
  {
    Defragmentation pass = begin({.by_owner = true});
    EXPECT_FALSE(pass.done());
    while (!pass.done()) {
      const auto proposed = pass.propose(VkDeviceSize{300} << 10, 8);
      ASSERT_TRUE(proposed);
      for (const ProposedMove& move : *proposed) {
        Item* item = find(move.allocation);
        ASSERT_NE(item, nullptr);
        if (++proposals % 4 == 0) {
          ASSERT_TRUE(allocator.free(move.destination));
          continue;
        }
        const VkBuffer again = bound_buffer(item->contents.size(), move.destination);
        device().copy_buffer(item->buffer, again, {0, 0, item->contents.size()});
        ASSERT_TRUE(pass.commit(move));
        destroy_own(item->buffer);
        item->buffer = again;
        ASSERT_TRUE(allocator.free(move.destination));
        ++committed;
      }
    }
    EXPECT_EQ(pass.figures().moves, committed);
  }
  EXPECT_GE(proposals, 4u);
  EXPECT_LT(allocator.totals().block_count, blocks);
  EXPECT_EQ(allocator.totals().allocation_count, items.size());
  expect_contents();
  while (!items.empty())
    drop_own(items.size() - 1);
}

}  // namespace

}  // namespace quarry::functional
