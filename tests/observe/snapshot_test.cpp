// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <quarry/snapshot.hpp>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::image_info;
using fakes::kKiB;
using fakes::kMiB;

const SnapshotBlock* block_of(const Snapshot& snapshot, VkDeviceMemory memory) {
  for (const SnapshotBlock& block : snapshot.blocks()) {
    if (block.memory == memory) return &block;
  }
  return nullptr;
}

/// The range of an allocation, with its block.
std::pair<const SnapshotBlock*, const SnapshotRange*> find(const Snapshot& snapshot,
                                                           Allocation allocation) {
  for (const SnapshotBlock& block : snapshot.blocks()) {
    for (const SnapshotRange& range : snapshot.ranges(block)) {
      if (range.allocation == allocation) return {&block, &range};
    }
  }
  return {nullptr, nullptr};
}

TEST(Snapshot, AnEmptyOneHoldsNothing) {
  const Snapshot none;
  EXPECT_TRUE(none.blocks().empty());
  EXPECT_TRUE(none.ranges().empty());
  EXPECT_STREQ(none.text(0), "");
  EXPECT_STREQ(none.text(77), "");
  Rig rig(fakes::profiles::discrete());
  const auto snapshot = rig.allocator.snapshot();
  ASSERT_TRUE(snapshot);
  EXPECT_TRUE(snapshot->blocks().empty());
}

TEST(Snapshot, ShowsEveryBlockAndEveryRange) {
  Rig rig(fakes::profiles::discrete());
  const auto tag = rig.allocator.register_tag("textures");
  const auto pool = rig.allocator.create_pool({.memory_type = 2, .block_bytes = 64 * kKiB});
  const auto buffer = rig.allocator.create_buffer(buffer_info(1'000), {.name = "vertices"});
  const auto image = rig.allocator.create_image(image_info(64, 64),
                                                {.lifetime = Lifetime::long_lived, .tag = *tag});
  const auto own = rig.allocator.create_buffer(buffer_info(5'000), {.intent = MemoryIntent::upload,
                                                                    .dedicated = Dedicated::always,
                                                                    .mapped = true,
                                                                    .name = "own"});
  const auto pooled = rig.allocator.create_buffer(buffer_info(100), {.pool = *pool});
  ASSERT_TRUE(tag && pool && buffer && image && own && pooled);

  const auto snapshot = rig.allocator.snapshot();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->blocks().size(), 4u);
  {
    const auto [block, range] = find(*snapshot, buffer->allocation);
    ASSERT_NE(block, nullptr);
    const auto info = rig.allocator.info(buffer->allocation);
    EXPECT_EQ(block->memory, info->memory);
    EXPECT_EQ(block->memory_type, 1u);
    EXPECT_EQ(block->heap, 0u);
    EXPECT_EQ(block->size, 4 * kMiB);
    EXPECT_FALSE(block->dedicated);
    EXPECT_FALSE(block->optimal);
    EXPECT_FALSE(block->mapped);
    EXPECT_EQ(range->offset, info->offset);
    EXPECT_EQ(range->size, info->size);
    EXPECT_STREQ(snapshot->text(range->name), "vertices");
    EXPECT_EQ(range->tag, Tag{});
  }
  {
    const auto [block, range] = find(*snapshot, image->allocations[0]);
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(block->optimal);
    EXPECT_EQ(block->lifetime, Lifetime::long_lived);
    EXPECT_EQ(range->tag, *tag);
    EXPECT_EQ(range->name, 0u);
    EXPECT_STREQ(snapshot->text(range->name), "");
  }
  {
    const auto [block, range] = find(*snapshot, own->allocation);
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(block->dedicated);
    EXPECT_TRUE(block->mapped);
    EXPECT_EQ(block->range_count, 1u);
    EXPECT_EQ(block->used_bytes, block->size);
    EXPECT_STREQ(snapshot->text(range->name), "own");
  }
  {
    const auto [block, range] = find(*snapshot, pooled->allocation);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block->pool, *pool);
    EXPECT_EQ(block->size, 64 * kKiB);
  }
  for (const Buffer& each : {*buffer, *own, *pooled})
    EXPECT_TRUE(rig.allocator.destroy(each));
  EXPECT_TRUE(rig.allocator.destroy(*image));
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

TEST(Snapshot, RangesCoverEachBlockWithoutGaps) {
  for (const std::uint64_t seed : seeds(2)) {
    Random random(seed);
    Rig rig(fakes::profiles::discrete());
    const auto linear = rig.allocator.create_pool(
        {.memory_type = 2, .algorithm = PoolAlgorithm::linear, .block_bytes = 256 * kKiB});
    const auto buddy = rig.allocator.create_pool(
        {.memory_type = 2, .algorithm = PoolAlgorithm::buddy, .block_bytes = 200 * kKiB});
    ASSERT_TRUE(linear && buddy);
    std::vector<Allocation> live;
    for (int i = 0; i < 300; ++i) {
      if (random.one_in(3) && !live.empty()) {
        std::swap(live[static_cast<std::size_t>(random.below(live.size()))], live.back());
        ASSERT_TRUE(rig.allocator.free(live.back()));
        live.pop_back();
        continue;
      }
      AllocationDesc desc;
      if (random.one_in(3)) desc.pool = random.one_in(2) ? *linear : *buddy;
      const auto made = rig.allocator.allocate(requirements(random.any_magnitude(17)),
                                               ResourceKind::linear, desc);
      ASSERT_TRUE(made);
      live.push_back(*made);
    }
    const auto snapshot = rig.allocator.snapshot();
    ASSERT_TRUE(snapshot);
    std::size_t seen = 0;
    std::size_t ranges = 0;
    VkDeviceSize bytes = 0;
    for (const SnapshotBlock& block : snapshot->blocks()) {
      VkDeviceSize end = 0;
      VkDeviceSize used = 0;
      for (const SnapshotRange& range : snapshot->ranges(block)) {
        ASSERT_EQ(range.offset, end);
        ASSERT_GT(range.size, 0u);
        end += range.size;
        ++ranges;
        if (!range.allocation) continue;
        ++seen;
        used += range.size;
        const auto info = rig.allocator.info(range.allocation);
        ASSERT_TRUE(info);
        EXPECT_EQ(info->offset, range.offset);
        EXPECT_EQ(info->size, range.size);
        EXPECT_EQ(info->memory, block.memory);
      }
      EXPECT_EQ(end, block.size);
      EXPECT_EQ(used, block.used_bytes);
      bytes += block.size;
    }
    EXPECT_EQ(seen, live.size());
    EXPECT_EQ(ranges, snapshot->ranges().size());
    EXPECT_EQ(bytes, rig.allocator.totals().block_bytes);
    for (const Allocation allocation : live)
      EXPECT_TRUE(rig.allocator.free(allocation));
    EXPECT_TRUE(rig.allocator.destroy_pool(*linear));
    EXPECT_TRUE(rig.allocator.destroy_pool(*buddy));
  }
}

TEST(Snapshot, IsACopyThatLaterChangesLeaveAlone) {
  Rig rig(fakes::profiles::discrete());
  const auto buffer = rig.allocator.create_buffer(buffer_info(1'000), {.name = "before"});
  ASSERT_TRUE(buffer);
  const VkDeviceMemory memory = rig.allocator.info(buffer->allocation)->memory;
  auto made = rig.allocator.snapshot();
  ASSERT_TRUE(made);
  EXPECT_TRUE(rig.allocator.set_name(buffer->allocation, "after"));
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
  EXPECT_GT(rig.allocator.trim(), 0u);
  Snapshot snapshot = std::move(*made);
  Snapshot other;
  other = std::move(snapshot);
  EXPECT_TRUE(snapshot.blocks().empty());  // NOLINT(bugprone-use-after-move)
  ASSERT_NE(block_of(other, memory), nullptr);
  EXPECT_STREQ(other.text(find(other, buffer->allocation).second->name), "before");
}

TEST(Snapshot, WithoutHostMemoryIsAnErrorAndLeavesNothing) {
  Rig rig(fakes::profiles::discrete());
  std::vector<Buffer> buffers;
  for (int i = 0; i < 30; ++i) {
    const std::string name = "a name that is long enough to need room " + std::to_string(i);
    buffers.push_back(*rig.allocator.create_buffer(buffer_info(1'000), {.name = name.c_str()}));
  }
  const std::size_t before = rig.host.live_blocks();
  int failed = 0;
  for (std::uint64_t n = 1;; ++n) {
    rig.host.fail(n);
    const auto snapshot = rig.allocator.snapshot();
    rig.host.succeed();
    if (snapshot) break;
    ++failed;
    EXPECT_EQ(reason_of(snapshot), Reason::out_of_host_memory);
    EXPECT_EQ(rig.host.live_blocks(), before);
  }
  EXPECT_GE(failed, 4);
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
}

}  // namespace
}  // namespace quarry::test
