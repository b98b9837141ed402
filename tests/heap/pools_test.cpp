// SPDX-License-Identifier: MIT
#include "heap/pools.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::image_info;
using fakes::kGiB;
using fakes::kKiB;
using fakes::kMiB;

constexpr std::uint32_t kDevice = 1;  ///< of profiles::discrete()
constexpr std::uint32_t kHost = 2;

Pool make(Rig& rig, const PoolDesc& desc) {
  const auto pool = rig.allocator.create_pool(desc);
  EXPECT_TRUE(pool) << to_string(reason_of(pool));
  return pool ? *pool : Pool{};
}

Result<Allocation> take(Rig& rig, Pool pool, VkDeviceSize size, AllocationDesc desc = {}) {
  desc.pool = pool;
  return rig.allocator.allocate(requirements(size), ResourceKind::linear, desc);
}

class EachAlgorithm : public testing::TestWithParam<PoolAlgorithm> {};

TEST_P(EachAlgorithm, ServesFromBlocksOfItsOwnType) {
  Rig rig(fakes::profiles::discrete());
  const Pool pool = make(
      rig,
      {.memory_type = kHost, .algorithm = GetParam(), .block_bytes = 1 * kMiB, .name = "staging"});
  std::vector<Buffer> buffers;
  for (int i = 0; i < 40; ++i) {
    const auto buffer = rig.allocator.create_buffer(buffer_info(60'000), {.pool = pool});
    ASSERT_TRUE(buffer);
    const auto info = rig.allocator.info(buffer->allocation);
    EXPECT_EQ(info->memory_type, kHost);
    EXPECT_EQ(info->pool, pool);
    EXPECT_EQ(rig.gpu.memory_facts(info->memory)->size, 1 * kMiB);
    buffers.push_back(*buffer);
  }
  const auto totals = rig.allocator.pool_totals(pool);
  ASSERT_TRUE(totals);
  EXPECT_EQ(totals->allocation_count, 40u);
  EXPECT_EQ(totals->block_bytes, totals->block_count * kMiB);
  EXPECT_EQ(reason_of(rig.allocator.destroy_pool(pool)), Reason::still_in_use);
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
  EXPECT_EQ(rig.allocator.pool_totals(pool)->allocation_bytes, 0u);
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST_P(EachAlgorithm, OneBlockHoldsExactlyItsSize) {
  Rig rig(fakes::profiles::discrete());
  const Pool pool = make(rig, {.memory_type = kHost,
                               .algorithm = GetParam(),
                               .block_bytes = 1 * kMiB,
                               .maximum_blocks = 1});
  const auto all = take(rig, pool, 1 * kMiB);
  ASSERT_TRUE(all);
  EXPECT_EQ(reason_of(take(rig, pool, 16)), Reason::over_limit);
  EXPECT_TRUE(rig.allocator.free(*all));
  EXPECT_EQ(reason_of(take(rig, pool, 1 * kMiB + 1)), Reason::over_limit);
  std::vector<Allocation> quarters;
  for (int i = 0; i < 4; ++i) {
    const auto quarter = take(rig, pool, 256 * kKiB);
    ASSERT_TRUE(quarter);
    quarters.push_back(*quarter);
  }
  EXPECT_EQ(reason_of(take(rig, pool, 16)), Reason::over_limit);
  for (const Allocation quarter : quarters)
    EXPECT_TRUE(rig.allocator.free(quarter));
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

TEST_P(EachAlgorithm, DefaultBlocksAreMadeWithinEveryLimit) {
  Rig rig(fakes::profiles::discrete());
  const Pool pool =
      make(rig, {.memory_type = kHost, .algorithm = GetParam(), .maximum_bytes = 3 * kMiB});
  const auto made = take(rig, pool, 1 * kMiB);
  ASSERT_TRUE(made) << to_string(reason_of(made));
  EXPECT_LE(rig.allocator.pool_totals(pool)->block_bytes, 3 * kMiB);
  EXPECT_TRUE(rig.allocator.free(*made));
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

TEST_P(EachAlgorithm, AnEmptyBlockIsFoundBehindManyThatAreSpoilt) {
  // In a linear block one survivor at the end spoils all free bytes before it but those at the
  // start; in the others there is simply little left.
  Rig rig(fakes::profiles::discrete());
  const Pool pool =
      make(rig, {.memory_type = kHost, .algorithm = GetParam(), .block_bytes = 64 * kKiB});
  std::vector<Allocation> survivors;
  for (int block = 0; block < 20; ++block) {
    const auto first = take(rig, pool, 16);
    const auto bulk = take(rig, pool, 32 * kKiB);
    const auto last = take(rig, pool, 16 * kKiB);
    ASSERT_TRUE(first && bulk && last);
    EXPECT_TRUE(rig.allocator.free(*bulk));
    survivors.push_back(*first);
    survivors.push_back(*last);
  }
  const std::uint64_t before = rig.driver_allocations();
  for (int round = 0; round < 50; ++round) {
    const auto large = take(rig, pool, 40 * kKiB);
    ASSERT_TRUE(large);
    EXPECT_TRUE(rig.allocator.free(*large));
  }
  EXPECT_LE(rig.driver_allocations(), before + 1);
  for (const Allocation survivor : survivors)
    EXPECT_TRUE(rig.allocator.free(survivor));
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

std::string name_of_algorithm(const testing::TestParamInfo<PoolAlgorithm>& info) {
  constexpr const char* kNames[] = {"tlsf", "linear", "buddy"};
  return kNames[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Algorithms, EachAlgorithm,
                         testing::Values(PoolAlgorithm::tlsf, PoolAlgorithm::linear,
                                         PoolAlgorithm::buddy),
                         name_of_algorithm);

TEST(Pools, MinimumBlocksAreThereFromTheStartAndStay) {
  Rig rig(fakes::profiles::discrete());
  const Pool pool =
      make(rig, {.memory_type = kDevice, .block_bytes = 1 * kMiB, .minimum_blocks = 3});
  EXPECT_EQ(rig.driver_allocations(), 3u);
  EXPECT_EQ(rig.allocator.pool_totals(pool)->block_count, 3u);
  EXPECT_EQ(rig.allocator.trim(), 0u);
  rig.now += 1'000'000;
  rig.allocator.tick();
  EXPECT_EQ(rig.allocator.pool_totals(pool)->block_count, 3u);

  std::vector<Allocation> allocations;
  for (int i = 0; i < 5; ++i) {
    const auto made = take(rig, pool, 1 * kMiB);
    ASSERT_TRUE(made);
    allocations.push_back(*made);
  }
  EXPECT_EQ(rig.allocator.pool_totals(pool)->block_count, 5u);
  for (const Allocation allocation : allocations)
    EXPECT_TRUE(rig.allocator.free(allocation));
  EXPECT_EQ(rig.allocator.trim(), 2 * kMiB);
  EXPECT_EQ(rig.allocator.pool_totals(pool)->block_count, 3u);
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

TEST(Pools, BlocksThatAreKeptDoNotCountAgainstRetention) {
  Rig rig(fakes::profiles::discrete(),
          [](AllocatorDesc& desc) { desc.blocks.retained_bytes = 8 * kMiB; });
  const Pool pool =
      make(rig, {.memory_type = kDevice, .block_bytes = 16 * kMiB, .minimum_blocks = 2});
  for (int round = 0; round < 10; ++round) {
    const auto buffer = rig.allocator.create_buffer(buffer_info(1 * kMiB));
    ASSERT_TRUE(buffer);
    EXPECT_TRUE(rig.allocator.destroy(*buffer));
  }
  EXPECT_EQ(rig.driver_allocations(), 3u);
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

TEST(Pools, ByteLimitIsHardAndCountsDedicatedMemory) {
  Rig rig(fakes::profiles::discrete());
  const Pool pool =
      make(rig, {.memory_type = kDevice, .block_bytes = 1 * kMiB, .maximum_bytes = 5 * kMiB / 2});
  const auto suballocated = take(rig, pool, 100);
  const auto own = take(rig, pool, 1 * kMiB, {.dedicated = Dedicated::always});
  ASSERT_TRUE(suballocated && own);
  EXPECT_EQ(rig.allocator.pool_totals(pool)->dedicated_count, 1u);
  EXPECT_EQ(reason_of(take(rig, pool, 1 * kMiB, {.dedicated = Dedicated::always})),
            Reason::over_limit);
  EXPECT_EQ(reason_of(take(rig, pool, 1 * kMiB)), Reason::over_limit);
  const auto small = take(rig, pool, 512 * kKiB, {.dedicated = Dedicated::always});
  EXPECT_TRUE(small);
  EXPECT_TRUE(rig.allocator.free(*own));
  const auto again = take(rig, pool, 1 * kMiB);
  EXPECT_TRUE(again);
  EXPECT_EQ(reason_of(rig.allocator.destroy_pool(pool)), Reason::still_in_use);
  for (const auto& allocation : {*suballocated, *small, *again})
    EXPECT_TRUE(rig.allocator.free(allocation));
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

TEST(Pools, APoolAtItsOwnLimitMakesNobodyElseGiveWay) {
  int asked = 0;
  Rig rig(fakes::profiles::discrete(), [&](AllocatorDesc& desc) {
    desc.on_shortage = [](void* user, std::uint32_t, VkDeviceSize) {
      ++*static_cast<int*>(user);
      return false;
    };
    desc.shortage_user = &asked;
  });
  const auto buffer = rig.allocator.create_buffer(buffer_info(1 * kMiB));
  ASSERT_TRUE(buffer);
  ASSERT_TRUE(rig.allocator.destroy(*buffer));
  ASSERT_EQ(rig.gpu.live().memories, 1u) << "an empty block is kept";
  const Pool pool =
      make(rig, {.memory_type = kDevice, .block_bytes = 1 * kMiB, .maximum_blocks = 1});
  const auto all = take(rig, pool, 1 * kMiB);
  ASSERT_TRUE(all);
  const auto refused = take(rig, pool, 16);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::over_limit);
  EXPECT_EQ(refused.error().tried & static_cast<std::uint32_t>(LadderRung::empty_blocks_of_heap),
            0u);
  EXPECT_EQ(rig.gpu.live().memories, 2u);
  EXPECT_EQ(asked, 1) << "the owner may free something in the pool";
  EXPECT_TRUE(rig.allocator.free(*all));
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

TEST(Pools, ADoubleStackUsesBothEnds) {
  Rig rig(fakes::profiles::discrete());
  const Pool pool = make(rig, {.memory_type = kHost,
                               .algorithm = PoolAlgorithm::linear,
                               .block_bytes = 64 * kKiB,
                               .maximum_blocks = 1});
  const auto low = take(rig, pool, 1'024);
  const auto high = take(rig, pool, 1'024, {.upper_address = true});
  ASSERT_TRUE(low && high);
  EXPECT_EQ(rig.allocator.info(*low)->offset, 0u);
  EXPECT_EQ(rig.allocator.info(*high)->offset, 63 * kKiB);
  const auto middle = take(rig, pool, 62 * kKiB, {.upper_address = true});
  ASSERT_TRUE(middle);
  EXPECT_EQ(rig.allocator.info(*middle)->offset, 1 * kKiB);
  for (const auto& allocation : {*low, *high, *middle})
    EXPECT_TRUE(rig.allocator.free(allocation));
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

TEST(Pools, ARingGoesRound) {
  Rig rig(fakes::profiles::discrete());
  const Pool pool = make(rig, {.memory_type = kHost,
                               .algorithm = PoolAlgorithm::linear,
                               .block_bytes = 64 * kKiB,
                               .maximum_blocks = 1});
  std::vector<Allocation> frames;
  for (int i = 0; i < 4; ++i)
    frames.push_back(*take(rig, pool, 16 * kKiB));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(reason_of(take(rig, pool, 16 * kKiB)), Reason::over_limit);
    EXPECT_TRUE(rig.allocator.free(frames.front()));
    frames.erase(frames.begin());
    const auto next = take(rig, pool, 16 * kKiB);
    ASSERT_TRUE(next);
    frames.push_back(*next);
  }
  for (const Allocation allocation : frames)
    EXPECT_TRUE(rig.allocator.free(allocation));
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

TEST(Pools, UpperAddressesAreForLinearPools) {
  Rig rig(fakes::profiles::discrete());
  const Pool tlsf = make(rig, {.memory_type = kHost});
  const Pool buddy = make(rig, {.memory_type = kHost, .algorithm = PoolAlgorithm::buddy});
  EXPECT_EQ(reason_of(take(rig, tlsf, 16, {.upper_address = true})), Reason::unsupported);
  EXPECT_EQ(reason_of(take(rig, buddy, 16, {.upper_address = true})), Reason::unsupported);
  EXPECT_EQ(reason_of(take(rig, {}, 16, {.upper_address = true})), Reason::unsupported);
  EXPECT_EQ(rig.driver_allocations(), 0u);
  EXPECT_TRUE(rig.allocator.destroy_pool(tlsf));
  EXPECT_TRUE(rig.allocator.destroy_pool(buddy));
}

TEST(Pools, ABuddyPoolCountsWhatItReserves) {
  Rig rig(fakes::profiles::discrete());
  const Pool pool =
      make(rig, {.memory_type = kHost, .algorithm = PoolAlgorithm::buddy, .block_bytes = 3 * kMiB});
  const auto made = take(rig, pool, 600 * kKiB);
  ASSERT_TRUE(made);
  EXPECT_EQ(rig.allocator.info(*made)->size, 1 * kMiB);
  EXPECT_EQ(rig.allocator.pool_totals(pool)->allocation_bytes, 1 * kMiB);
  // 2.5 MiB would reserve 4: no block of 3 MiB is made in vain.
  const std::uint64_t before = rig.driver_allocations();
  EXPECT_EQ(reason_of(take(rig, pool, 5 * kMiB / 2)), Reason::over_limit);
  EXPECT_EQ(rig.driver_allocations(), before);
  EXPECT_TRUE(rig.allocator.free(*made));
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

TEST(Pools, OnlyRequestsThatTheTypeServesComeIn) {
  Rig rig(fakes::profiles::discrete());
  const Pool pool = make(rig, {.memory_type = kHost});
  EXPECT_EQ(reason_of(rig.allocator.create_image(image_info(64, 64), {.pool = pool})),
            Reason::no_memory_type);
  EXPECT_EQ(reason_of(take(rig, pool, 16, {.memory_type_bits = 1u << kDevice})),
            Reason::no_memory_type);
  EXPECT_EQ(reason_of(take(rig, pool, 16, {.required_flags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT})),
            Reason::no_memory_type);
  EXPECT_EQ(
      reason_of(take(rig, pool, 16, {.forbidden_flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT})),
      Reason::no_memory_type);
  EXPECT_EQ(reason_of(take(rig, pool, 17 * kGiB)), Reason::larger_than_heap);
  // What the pool settles, intent and preferences do not change.
  const auto made = take(rig, pool, 16,
                         {.intent = MemoryIntent::transient_attachment,
                          .preferred_flags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT});
  ASSERT_TRUE(made);
  EXPECT_EQ(rig.allocator.info(*made)->memory_type, kHost);
  EXPECT_TRUE(rig.allocator.free(*made));
  EXPECT_EQ(rig.gpu.live().images, 0u);
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

TEST(Pools, ALinearAndAnOptimalResourceKeepWholeGranulesApart) {
  Rig rig(fakes::profiles::discrete());
  const Pool pool =
      make(rig, {.memory_type = kDevice, .block_bytes = 4 * kMiB, .maximum_blocks = 1});
  std::vector<Buffer> buffers;
  std::vector<Image> images;
  for (int i = 0; i < 20; ++i) {
    const auto buffer = rig.allocator.create_buffer(buffer_info(100), {.pool = pool});
    const auto image = rig.allocator.create_image(image_info(17, 13), {.pool = pool});
    ASSERT_TRUE(buffer && image);
    buffers.push_back(*buffer);
    images.push_back(*image);
  }
  fakes::expect_no_violations(rig.gpu);
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
  for (const Image& image : images)
    EXPECT_TRUE(rig.allocator.destroy(image));
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

TEST(Pools, MinimumAlignmentHoldsForEveryAllocation) {
  Rig rig(fakes::profiles::discrete());
  const Pool pool = make(rig, {.memory_type = kHost, .minimum_alignment = 4'096});
  for (int i = 0; i < 5; ++i) {
    const auto made = take(rig, pool, 100);
    ASSERT_TRUE(made);
    EXPECT_EQ(rig.allocator.info(*made)->offset % 4'096, 0u);
    if (i % 2 == 0) continue;
    EXPECT_TRUE(rig.allocator.free(*made));
  }
  const auto snapshot = rig.allocator.snapshot();
  ASSERT_TRUE(snapshot);
  for (const SnapshotRange& range : snapshot->ranges()) {
    if (range.allocation) {
      EXPECT_TRUE(rig.allocator.free(range.allocation));
    }
  }
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

TEST(Pools, NonsenseIsRefused) {
  Rig rig(fakes::profiles::discrete());
  Allocator& allocator = rig.allocator;
  EXPECT_EQ(reason_of(allocator.create_pool({.memory_type = 5})), Reason::bad_argument);
  EXPECT_EQ(reason_of(allocator.create_pool({.memory_type = ~0u})), Reason::bad_argument);
  EXPECT_EQ(reason_of(allocator.create_pool({.algorithm = static_cast<PoolAlgorithm>(3)})),
            Reason::bad_argument);
  EXPECT_EQ(reason_of(allocator.create_pool({.algorithm = static_cast<PoolAlgorithm>(255)})),
            Reason::bad_argument);
  for (const VkDeviceSize alignment : {VkDeviceSize{0}, VkDeviceSize{3}, ~VkDeviceSize{0}}) {
    EXPECT_EQ(reason_of(allocator.create_pool({.minimum_alignment = alignment})),
              Reason::bad_alignment);
  }
  EXPECT_EQ(reason_of(allocator.create_pool({.minimum_blocks = 3, .maximum_blocks = 2})),
            Reason::bad_argument);
  EXPECT_EQ(reason_of(allocator.create_pool({.block_bytes = 2 * kMiB, .maximum_bytes = kMiB})),
            Reason::bad_argument);
  EXPECT_EQ(reason_of(allocator.create_pool({.memory_type = kDevice, .block_bytes = 9 * kGiB})),
            Reason::larger_than_heap);
  EXPECT_EQ(reason_of(allocator.create_pool({.memory_type = kDevice,
                                             .block_bytes = 1 * kMiB,
                                             .minimum_blocks = 3,
                                             .maximum_bytes = 2 * kMiB})),
            Reason::over_limit);
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST(Pools, TypesBehindFeaturesAreRefusedWithoutThem) {
  Rig amd(fakes::profiles::amd());
  EXPECT_EQ(reason_of(amd.allocator.create_pool({.memory_type = 4})), Reason::feature_not_enabled);
  fakes::FakeProfile enabled = fakes::profiles::amd();
  enabled.device_extensions.push_back(VK_AMD_DEVICE_COHERENT_MEMORY_EXTENSION_NAME);
  enabled.features.device_coherent_memory = true;
  Rig coherent(enabled);
  const Pool pool = make(coherent, {.memory_type = 4});
  EXPECT_TRUE(coherent.allocator.destroy_pool(pool));

  fakes::FakeProfile unprotected = fakes::profiles::protected_memory();
  unprotected.features.protected_memory = false;
  Rig without(unprotected);
  EXPECT_EQ(reason_of(without.allocator.create_pool({.memory_type = 0})),
            Reason::feature_not_enabled);
}

TEST(Pools, FailingToMakeTheMinimumLeavesNothing) {
  Rig rig(fakes::profiles::discrete());
  rig.gpu.fail(fakes::Function::allocate_memory, 3, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  const auto pool = rig.allocator.create_pool(
      {.memory_type = kDevice, .block_bytes = 1 * kMiB, .minimum_blocks = 4, .name = "big"});
  EXPECT_EQ(reason_of(pool), Reason::out_of_device_memory);
  EXPECT_EQ(rig.gpu.live().memories, 0u);
  EXPECT_EQ(rig.allocator.totals().block_count, 0u);
  const Pool next = make(rig, {.memory_type = kDevice, .name = "next"});
  EXPECT_EQ(rig.allocator.pool_totals(next)->peak_block_bytes, 0u);
  EXPECT_TRUE(rig.allocator.destroy_pool(next));
}

TEST(Pools, TheBlocksOfAPoolCarryItsChainAndPriority) {
  fakes::FakeProfile profile = fakes::profiles::rebar();
  Rig rig(profile);
  VkExportMemoryAllocateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  const Pool pool = make(
      rig, {.memory_type = 0, .block_bytes = 1 * kMiB, .priority = 1.0f, .memory_next = &exported});
  const auto raw = take(rig, pool, 100);
  const auto own = take(rig, pool, 100, {.dedicated = Dedicated::always});
  ASSERT_TRUE(raw && own);
  for (const auto& allocation : {*raw, *own}) {
    const auto facts = rig.gpu.memory_facts(rig.allocator.info(allocation)->memory);
    EXPECT_EQ(facts->exported, exported.handleTypes);
    EXPECT_EQ(facts->priority, 1.0f);
    EXPECT_TRUE(rig.allocator.free(allocation));
  }
  EXPECT_TRUE(rig.allocator.destroy_pool(pool));
}

TEST(Pools, ManyComeAndGo) {
  Rig rig(fakes::profiles::discrete());
  std::vector<std::pair<Pool, Allocation>> live;
  Random random(7);
  for (int i = 0; i < 500; ++i) {
    if (random.one_in(2) && !live.empty()) {
      std::swap(live[static_cast<std::size_t>(random.below(live.size()))], live.back());
      const auto [pool, allocation] = live.back();
      live.pop_back();
      EXPECT_TRUE(rig.allocator.free(allocation));
      EXPECT_TRUE(rig.allocator.destroy_pool(pool));
      continue;
    }
    const Pool pool = make(rig, {.memory_type = kHost,
                                 .algorithm = static_cast<PoolAlgorithm>(random.below(3)),
                                 .block_bytes = 64 * kKiB,
                                 .name = "one of many"});
    const auto made = take(rig, pool, random.between(1, 30'000));
    ASSERT_TRUE(made);
    EXPECT_EQ(rig.allocator.pool_totals(pool)->allocation_count, 1u);
    live.emplace_back(pool, *made);
  }
  for (const auto& [pool, allocation] : live) {
    EXPECT_TRUE(rig.allocator.free(allocation));
    EXPECT_TRUE(rig.allocator.destroy_pool(pool));
  }
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

}  // namespace
}  // namespace quarry::test
