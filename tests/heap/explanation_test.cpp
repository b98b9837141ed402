// SPDX-License-Identifier: MIT
// explain() before an allocation, and after it, agree with what happens.
#include "heap/explanation.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::image_info;
using fakes::kGiB;
using fakes::kKiB;
using fakes::kMiB;

TEST(Explanation, NamesTheVerdictOnEachType) {
  Rig rig(fakes::profiles::discrete());
  const auto told = rig.allocator.explain(buffer_info(1'000),
                                          {.intent = MemoryIntent::upload,
                                           .forbidden_flags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                           .memory_type_bits = ~1u});
  ASSERT_TRUE(told);
  EXPECT_EQ(told->type_count, 5u);
  EXPECT_EQ(told->verdicts[0], TypeVerdict::not_in_type_bits);
  EXPECT_EQ(told->verdicts[1], TypeVerdict::lacks_required);
  EXPECT_EQ(told->verdicts[2], TypeVerdict::chosen);
  EXPECT_EQ(told->verdicts[3], TypeVerdict::has_forbidden);
  EXPECT_EQ(told->verdicts[4], TypeVerdict::candidate);
  EXPECT_EQ(told->order_count, 2u);
  EXPECT_EQ(told->order[0], 2u);
  EXPECT_EQ(told->order[1], 4u);
  EXPECT_EQ(told->memory_type, 2u);
  EXPECT_EQ(told->heap, 1u);
  EXPECT_EQ(told->placement, Placement::new_block);
  EXPECT_EQ(told->new_bytes, 4 * kMiB);
}

TEST(Explanation, SaysWhyATypeIsPassedOver) {
  Rig amd(fakes::profiles::amd());
  EXPECT_EQ(amd.allocator.explain(buffer_info(16))->verdicts[4], TypeVerdict::device_coherent);
  Rig secure(fakes::profiles::protected_memory());
  EXPECT_EQ(secure.allocator.explain(requirements(16), ResourceKind::linear)->verdicts[0],
            TypeVerdict::protected_memory);
  Rig mobile(fakes::profiles::mobile());
  EXPECT_EQ(mobile.allocator.explain(requirements(16), ResourceKind::linear)->verdicts[1],
            TypeVerdict::lazily_allocated);
  Rig tiny(fakes::profiles::tiny_first_heap());
  EXPECT_EQ(tiny.allocator.explain(buffer_info(20 * kMiB))->verdicts[0], TypeVerdict::exceeds_heap);
  FakeProfile limited = fakes::profiles::single_type();
  limited.maximum_allocation_size = 1 * kGiB;
  Rig driver(limited);
  const auto none = driver.allocator.explain(buffer_info(3 * kGiB / 2));
  EXPECT_EQ(none->verdicts[0], TypeVerdict::exceeds_driver_size);
  EXPECT_EQ(none->placement, Placement::none);
  EXPECT_EQ(none->memory_type, std::uint32_t{VK_MAX_MEMORY_TYPES});
}

TEST(Explanation, TellsBudgetFromLimit) {
  const std::array<VkDeviceSize, 1> limits{32 * kMiB};
  FakeProfile profile = fakes::profiles::single_type();
  profile.heaps[0].size = 64 * kMiB;
  Rig rig(profile, [&](AllocatorDesc& desc) {
    desc.heap_limits = limits;
    desc.assumed_budget_share = 0.25;
  });
  const auto over_budget = rig.allocator.explain(buffer_info(20 * kMiB), {.within_budget = true});
  EXPECT_EQ(over_budget->verdicts[0], TypeVerdict::over_budget);
  EXPECT_EQ(over_budget->placement, Placement::none);
  const auto beyond = rig.allocator.explain(buffer_info(20 * kMiB));
  EXPECT_EQ(beyond->placement, Placement::new_block);
  EXPECT_EQ(beyond->new_bytes, 20 * kMiB);
  EXPECT_EQ(rig.allocator.explain(buffer_info(33 * kMiB))->verdicts[0], TypeVerdict::over_limit);
}

TEST(Explanation, OfAPoolKnowsItsTypeAndItsLimits) {
  Rig rig(fakes::profiles::discrete());
  const auto pool =
      rig.allocator.create_pool({.memory_type = 3, .block_bytes = 1 * kMiB, .maximum_blocks = 1});
  ASSERT_TRUE(pool);
  const AllocationDesc desc{.pool = *pool};
  const auto first = rig.allocator.explain(buffer_info(600 * kKiB), desc);
  EXPECT_EQ(first->memory_type, 3u);
  EXPECT_EQ(first->placement, Placement::new_block);
  EXPECT_EQ(first->new_bytes, 1 * kMiB);
  EXPECT_EQ(first->verdicts[2], TypeVerdict::not_in_type_bits);
  const auto buffer = rig.allocator.create_buffer(buffer_info(600 * kKiB), desc);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(rig.allocator.explain(buffer_info(100), desc)->placement, Placement::existing_block);
  EXPECT_EQ(rig.allocator.explain(buffer_info(600 * kKiB), desc)->placement, Placement::none);
  EXPECT_EQ(rig.allocator.explain(image_info(16, 16), desc)->verdicts[3],
            TypeVerdict::not_in_type_bits);
  const auto after = rig.allocator.explain(buffer->allocation);
  EXPECT_EQ(after->verdicts[3], TypeVerdict::chosen);
  EXPECT_EQ(after->placement, Placement::new_block);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

TEST(Explanation, ADryRunChangesNothing) {
  Rig rig(fakes::profiles::discrete());
  const auto buffer = rig.allocator.create_buffer(buffer_info(1'000));
  ASSERT_TRUE(buffer);
  const Totals before = rig.allocator.totals();
  const Counters counted = rig.allocator.counters();
  rig.gpu.reset_calls();
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(rig.allocator.explain(buffer_info(5'000)));
    EXPECT_TRUE(rig.allocator.explain(image_info(64, 64)));
    EXPECT_TRUE(rig.allocator.explain(requirements(10 * kMiB), ResourceKind::unknown));
  }
  EXPECT_EQ(rig.driver_allocations(), 0u);
  EXPECT_EQ(rig.gpu.calls(fakes::Function::create_buffer), 0u) << "maintenance4 asks without";
  EXPECT_EQ(rig.allocator.totals().allocation_count, before.allocation_count);
  EXPECT_EQ(rig.allocator.totals().block_bytes, before.block_bytes);
  EXPECT_EQ(rig.allocator.counters().allocations, counted.allocations);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Explanation, OfADisjointImageSpeaksOfItsFirstPlane) {
  Rig rig(fakes::profiles::discrete());
  const auto told = rig.allocator.explain(fakes::disjoint_image_info(64, 64));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->size, 4'096u);
}

// ---- Explain, then do

class AgreesWithWhatHappens : public testing::TestWithParam<FakeProfile> {
 protected:
  struct Live {
    Allocation allocation;
    Buffer buffer;
    Image image;
  };

  AllocationDesc any_desc(Random& random, Pool pool) {
    AllocationDesc desc;
    desc.intent = static_cast<MemoryIntent>(random.below(6));
    if (random.one_in(6)) desc.required_flags = VkMemoryPropertyFlags{1} << random.below(4);
    if (random.one_in(6)) desc.preferred_flags = VkMemoryPropertyFlags{1} << random.below(4);
    if (random.one_in(8)) desc.forbidden_flags = VkMemoryPropertyFlags{1} << random.below(4);
    desc.minimum_alignment = VkDeviceSize{1} << random.below(14);
    desc.priority = static_cast<float>(random.below(9)) / 8.0f;
    desc.lifetime = static_cast<Lifetime>(random.below(3));
    desc.dedicated = static_cast<Dedicated>(random.one_in(4) ? random.below(3) : 0);
    desc.within_budget = random.one_in(3);
    desc.can_alias = random.one_in(8);
    desc.movable = random.one_in(4);
    if (random.one_in(4)) desc.pool = pool;
    return desc;
  }

  void compare(Rig& rig, const Result<Explanation>& before, Reason reason, Allocation allocation,
               VkDeviceSize made_bytes) {
    ASSERT_TRUE(before);
    if (before->placement == Placement::none) {
      EXPECT_NE(reason, Reason::none);
      return;
    }
    ASSERT_EQ(reason, Reason::none);
    const auto after = rig.allocator.explain(allocation);
    ASSERT_TRUE(after);
    EXPECT_EQ(after->memory_type, before->memory_type);
    EXPECT_EQ(after->placement, before->placement);
    EXPECT_EQ(after->new_bytes, before->new_bytes);
    EXPECT_EQ(made_bytes, before->new_bytes);
    EXPECT_EQ(after->heap, before->heap);
    EXPECT_EQ(after->property_flags, before->property_flags);
    EXPECT_EQ(after->verdicts[after->memory_type], TypeVerdict::chosen);
    const auto info = rig.allocator.info(allocation);
    EXPECT_EQ(info->memory_type, before->memory_type);
    EXPECT_EQ(info->dedicated, before->placement == Placement::dedicated);
    EXPECT_GE(info->size, before->size);
  }
};

TEST_P(AgreesWithWhatHappens, BeforeAndAfter) {
  for (const std::uint64_t seed : seeds(3)) {
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(seed));
    Random random(seed);
    // Nothing is retained, so that no empty block has to give way first.
    Rig rig(GetParam(), [](AllocatorDesc& desc) {
      desc.blocks.retained_bytes = 0;
      desc.hot_path.deterministic = true;
    });
    const auto bytes = [&] { return rig.allocator.totals().block_bytes; };
    const auto type = static_cast<std::uint32_t>(random.below(GetParam().types.size()));
    const auto pool = rig.allocator.create_pool(
        {.memory_type = type, .block_bytes = 1 * kMiB, .maximum_blocks = 3});
    const Pool pool_or_none = pool ? *pool : Pool{};
    std::vector<Live> live;
    for (int step = 0; step < 400 && !testing::Test::HasFailure(); ++step) {
      if (random.one_in(3) && !live.empty()) {
        std::swap(live[static_cast<std::size_t>(random.below(live.size()))], live.back());
        const Live gone = live.back();
        live.pop_back();
        if (gone.buffer.allocation) {
          ASSERT_TRUE(rig.allocator.destroy(gone.buffer));
        } else if (gone.image.allocations[0]) {
          ASSERT_TRUE(rig.allocator.destroy(gone.image));
        } else {
          ASSERT_TRUE(rig.allocator.free(gone.allocation));
        }
        continue;
      }
      const AllocationDesc desc = any_desc(random, pool_or_none);
      const VkDeviceSize before_bytes = bytes();
      switch (random.below(3)) {
        case 0: {
          const VkBufferCreateInfo info = buffer_info(random.any_magnitude(25));
          const auto told = rig.allocator.explain(info, desc);
          const auto made = rig.allocator.create_buffer(info, desc);
          if (made) live.push_back({made->allocation, *made, {}});
          compare(rig, told, reason_of(made), made ? made->allocation : Allocation{},
                  bytes() - before_bytes);
          break;
        }
        case 1: {
          const VkImageCreateInfo info =
              image_info(static_cast<std::uint32_t>(random.between(1, 1'500)),
                         static_cast<std::uint32_t>(random.between(1, 1'500)));
          const auto told = rig.allocator.explain(info, desc);
          const auto made = rig.allocator.create_image(info, desc);
          if (made) live.push_back({made->allocations[0], {}, *made});
          compare(rig, told, reason_of(made), made ? made->allocations[0] : Allocation{},
                  bytes() - before_bytes);
          break;
        }
        default: {
          const VkMemoryRequirements needed =
              requirements(random.any_magnitude(25), VkDeviceSize{1} << random.below(17));
          const auto kind = static_cast<ResourceKind>(random.below(3));
          const auto told = rig.allocator.explain(needed, kind, desc);
          const auto made = rig.allocator.allocate(needed, kind, desc);
          if (made) live.push_back({*made, {}, {}});
          compare(rig, told, reason_of(made), made ? *made : Allocation{}, bytes() - before_bytes);
          break;
        }
      }
    }
    for (const Live& each : live) {
      if (each.buffer.allocation) {
        EXPECT_TRUE(rig.allocator.destroy(each.buffer));
      } else if (each.image.allocations[0]) {
        EXPECT_TRUE(rig.allocator.destroy(each.image));
      } else {
        EXPECT_TRUE(rig.allocator.free(each.allocation));
      }
    }
    if (pool) {
      EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, AgreesWithWhatHappens, testing::ValuesIn(fakes::profiles::all()),
                         name_of);

TEST(Explanation, CountsOnEmptyBlocksThatWillGiveWay) {
  FakeProfile profile = fakes::profiles::single_type();
  profile.heaps[0].size = 128 * kMiB;
  Rig rig(profile, [](AllocatorDesc& desc) { desc.assumed_budget_share = 1.0; });
  const auto buffer = rig.allocator.create_buffer(buffer_info(60 * kMiB));
  ASSERT_TRUE(buffer);
  ASSERT_TRUE(rig.allocator.destroy(*buffer));
  for (const Dedicated dedicated : {Dedicated::never, Dedicated::always}) {
    const auto told = rig.allocator.explain(buffer_info(100 * kMiB), {.dedicated = dedicated});
    EXPECT_NE(told->placement, Placement::none);
    const auto made =
        rig.allocator.create_buffer(buffer_info(100 * kMiB), {.dedicated = dedicated});
    ASSERT_TRUE(made);
    EXPECT_EQ(rig.allocator.explain(made->allocation)->placement, told->placement);
    EXPECT_TRUE(rig.allocator.destroy(*made));
  }
}

}  // namespace
}  // namespace quarry::test
