// SPDX-License-Identifier: MIT
// What every offset algorithm promises, one suite for all of them.
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"
#include "base/seed.hpp"
#include "offset/algorithms.hpp"
#include "offset/interval_model.hpp"

namespace quarry::test {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

template <class Algorithm>
class OffsetConformance : public testing::Test {
 protected:
  static OffsetError refusal(Algorithm& algorithm, const OffsetRequest& request) {
    const auto result = algorithm.allocate(request);
    return result ? OffsetError::none : result.error();
  }
  static OffsetAllocation placed(Algorithm& algorithm, const OffsetRequest& request) {
    const auto result = algorithm.allocate(request);
    EXPECT_TRUE(result) << (result ? "" : to_string(result.error()));
    return result ? *result : OffsetAllocation{};
  }
  static void expect_empty(const Algorithm& algorithm, std::uint64_t size) {
    EXPECT_EQ(IntervalModel(size).compare(algorithm, Traits<Algorithm>::kMergedRanges), "");
  }
};

using Algorithms = testing::Types<Tlsf, Linear, Buddy>;
TYPED_TEST_SUITE(OffsetConformance, Algorithms);

TYPED_TEST(OffsetConformance, ANewOneIsOneFreeSpaceAndCostsNoHostMemory) {
  CountingHost host;
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 40, kMax}) {
    const auto algorithm = make<TypeParam>(size, 0, host.memory());
    this->expect_empty(algorithm, size);
  }
  EXPECT_EQ(host.allocations(), 0u);
}

TYPED_TEST(OffsetConformance, AllContiguousFreeBytesSatisfyARequestOfAsMany) {
  for (std::uint32_t order = 0; order < 64; ++order) {
    const std::uint64_t size = std::uint64_t{1} << order;
    auto algorithm = make<TypeParam>(size);
    for (const std::uint64_t alignment : {std::uint64_t{1}, size, std::uint64_t{1} << 63}) {
      const OffsetAllocation whole =
          this->placed(algorithm, {.size = size, .alignment = alignment});
      EXPECT_EQ(whole.offset, 0u);
      EXPECT_EQ(algorithm.free_bytes(), 0u);
      EXPECT_EQ(this->refusal(algorithm, {.size = 1}), OffsetError::out_of_space);
      EXPECT_EQ(algorithm.free(whole.handle), OffsetError::none);
    }
    this->expect_empty(algorithm, size);
  }
}

TYPED_TEST(OffsetConformance, SizeZeroIsRefused) {
  auto algorithm = make<TypeParam>(1024);
  EXPECT_EQ(this->refusal(algorithm, {.size = 0}), OffsetError::invalid_argument);
  this->expect_empty(algorithm, 1024);
}

TYPED_TEST(OffsetConformance, AnAlignmentThatIsNoPowerOfTwoIsRefused) {
  auto algorithm = make<TypeParam>(1024);
  for (const std::uint64_t alignment :
       {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{48}, kMax}) {
    EXPECT_EQ(this->refusal(algorithm, {.size = 8, .alignment = alignment}),
              OffsetError::invalid_argument);
  }
  this->expect_empty(algorithm, 1024);
}

TYPED_TEST(OffsetConformance, SizesAndAlignmentsUpTo64BitsDoNotOverflow) {
  for (const std::uint64_t size : {std::uint64_t{1000}, std::uint64_t{1} << 63, kMax}) {
    auto algorithm = make<TypeParam>(size);
    EXPECT_EQ(this->refusal(algorithm, {.size = kMax, .alignment = std::uint64_t{1} << 63}) ==
                  OffsetError::none,
              size == kMax && Traits<TypeParam>::kExactSizes);
    algorithm.clear();
    (void)this->placed(algorithm, {.size = 1});
    for (const std::uint64_t request : {kMax, kMax - 1, size}) {
      EXPECT_EQ(this->refusal(algorithm, {.size = request, .alignment = 2}),
                OffsetError::out_of_space);
    }
    const auto far_up = algorithm.allocate({.size = 1, .alignment = std::uint64_t{1} << 63});
    if (size == kMax) {
      EXPECT_TRUE(far_up);
    }
    if (far_up) {
      EXPECT_EQ(far_up->offset << 1, 0u);
    }
    EXPECT_TRUE(algorithm.validate());
  }
}

TYPED_TEST(OffsetConformance, TheUpperEndIsThereOrUnsupported) {
  auto algorithm = make<TypeParam>(1024);
  const OffsetError expected =
      Traits<TypeParam>::kHasUpper ? OffsetError::none : OffsetError::unsupported;
  EXPECT_EQ(this->refusal(algorithm, {.size = 8, .upper = true}), expected);
}

TYPED_TEST(OffsetConformance, RefusalsBeforeAnySearchCostNoHostMemory) {
  CountingHost host;
  auto algorithm = make<TypeParam>(1024, 0, host.memory());
  EXPECT_EQ(this->refusal(algorithm, {.size = 0}), OffsetError::invalid_argument);
  EXPECT_EQ(this->refusal(algorithm, {.size = 8, .alignment = 6}), OffsetError::invalid_argument);
  EXPECT_EQ(this->refusal(algorithm, {.size = 1025}), OffsetError::out_of_space);
  EXPECT_EQ(this->refusal(algorithm, {.size = 1025, .upper = true}), OffsetError::out_of_space);
  if (!Traits<TypeParam>::kHasUpper) {
    EXPECT_EQ(this->refusal(algorithm, {.size = 8, .upper = true}), OffsetError::unsupported);
  }
  EXPECT_EQ(host.allocations(), 0u);
}

TYPED_TEST(OffsetConformance, TheCountLimitIsExact) {
  for (const std::uint32_t limit : {1u, 2u, 3u, 10u, 100u}) {
    auto algorithm = make<TypeParam>(1 << 20, limit);
    std::vector<OffsetAllocation> live;
    for (std::uint32_t i = 0; i < limit; ++i) {
      live.push_back(this->placed(algorithm, {.size = 16}));
    }
    EXPECT_EQ(this->refusal(algorithm, {.size = 16}), OffsetError::too_many_allocations);
    EXPECT_EQ(algorithm.allocation_count(), limit);
    EXPECT_EQ(algorithm.free(live.back().handle), OffsetError::none);
    (void)this->placed(algorithm, {.size = 16});
    EXPECT_EQ(this->refusal(algorithm, {.size = 16}), OffsetError::too_many_allocations);
  }
}

TYPED_TEST(OffsetConformance, InfoTellsWhatTheRequestSaid) {
  auto algorithm = make<TypeParam>(1024);
  const OffsetAllocation one = this->placed(algorithm, {.size = 64, .alignment = 32, .user = 77});
  auto info = algorithm.info(one.handle);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->offset, one.offset);
  EXPECT_EQ(info->size, 64u);
  EXPECT_EQ(info->handle, one.handle);
  EXPECT_EQ(info->user, 77u);
  EXPECT_EQ(algorithm.set_user(one.handle, kMax), OffsetError::none);
  EXPECT_EQ(algorithm.info(one.handle)->user, kMax);
}

TYPED_TEST(OffsetConformance, HandlesThatNameNothingLiveAreStale) {
  auto algorithm = make<TypeParam>(1024);
  const OffsetHandle never[] = {{0}, {1}, {kMax}, {std::uint64_t{1} << 32}, {0xFFFF'FFFFu}};
  for (const OffsetHandle handle : never) {
    EXPECT_EQ(algorithm.free(handle), OffsetError::stale_handle);
  }
  const OffsetAllocation kept = this->placed(algorithm, {.size = 64});
  const OffsetAllocation gone = this->placed(algorithm, {.size = 64});
  EXPECT_EQ(algorithm.free(gone.handle), OffsetError::none);
  EXPECT_EQ(algorithm.free(gone.handle), OffsetError::stale_handle);
  const OffsetAllocation next = this->placed(algorithm, {.size = 64});
  EXPECT_EQ(next.offset, gone.offset);
  EXPECT_EQ(algorithm.free(gone.handle), OffsetError::stale_handle);
  EXPECT_EQ(algorithm.set_user(gone.handle, 1), OffsetError::stale_handle);
  EXPECT_FALSE(algorithm.info(gone.handle));
  EXPECT_EQ(algorithm.free({0}), OffsetError::stale_handle);
  EXPECT_EQ(algorithm.allocation_count(), 2u);
  EXPECT_TRUE(algorithm.info(kept.handle));
  EXPECT_TRUE(algorithm.validate());
}

TYPED_TEST(OffsetConformance, ClearFreesEverythingAndOldHandlesStayStale) {
  CountingHost host;
  auto algorithm = make<TypeParam>(1024, 0, host.memory());
  std::vector<OffsetAllocation> old(8);
  for (OffsetAllocation& allocation : old) {
    allocation = this->placed(algorithm, {.size = 64});
  }
  algorithm.clear();
  EXPECT_EQ(host.outstanding(), 0u);
  this->expect_empty(algorithm, 1024);
  for (int i = 0; i < 8; ++i) {
    (void)this->placed(algorithm, {.size = 64});
  }
  for (const OffsetAllocation& allocation : old) {
    EXPECT_EQ(algorithm.free(allocation.handle), OffsetError::stale_handle);
  }
  EXPECT_EQ(algorithm.allocation_count(), 8u);
}

TYPED_TEST(OffsetConformance, GrowingAddsContiguousSpaceAtTheEnd) {
  auto algorithm = make<TypeParam>(0);
  EXPECT_EQ(this->refusal(algorithm, {.size = 1}), OffsetError::out_of_space);
  EXPECT_EQ(algorithm.grow(100), OffsetError::none);
  const OffsetAllocation first = this->placed(algorithm, {.size = 64});
  EXPECT_EQ(algorithm.grow(99), OffsetError::invalid_argument);
  EXPECT_EQ(algorithm.grow(100), OffsetError::none);
  for (const std::uint64_t size :
       {std::uint64_t{101}, std::uint64_t{4096}, std::uint64_t{1} << 50}) {
    EXPECT_EQ(algorithm.grow(size), OffsetError::none);
    EXPECT_EQ(algorithm.size(), size);
    EXPECT_EQ(algorithm.free_bytes(), size - 64);
    EXPECT_TRUE(algorithm.validate());
  }
  const OffsetAllocation large =
      this->placed(algorithm, {.size = std::uint64_t{1} << 49, .alignment = 64});
  EXPECT_EQ(algorithm.free(first.handle), OffsetError::none);
  EXPECT_EQ(algorithm.free(large.handle), OffsetError::none);
  EXPECT_EQ(this->placed(algorithm, {.size = std::uint64_t{1} << 50}).offset, 0u);
}

TYPED_TEST(OffsetConformance, MovingTakesEverythingAlong) {
  CountingHost host;
  {
    auto from = make<TypeParam>(1024, 5, host.memory());
    const OffsetAllocation one = this->placed(from, {.size = 64, .user = 9});
    TypeParam to(std::move(from));
    // NOLINTBEGIN(bugprone-use-after-move,clang-analyzer-cplusplus.Move): it is promised
    EXPECT_EQ(from.size(), 0u);
    EXPECT_TRUE(from.empty());
    EXPECT_EQ(this->refusal(from, {.size = 1}), OffsetError::out_of_space);
    // NOLINTEND(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
    EXPECT_EQ(to.info(one.handle)->user, 9u);
    auto other = make<TypeParam>(64, 0, host.memory());
    (void)this->placed(other, {.size = 64});
    other = std::move(to);
    EXPECT_EQ(other.size(), 1024u);
    EXPECT_EQ(other.free(one.handle), OffsetError::none);
    this->expect_empty(other, 1024);
  }
  EXPECT_EQ(host.outstanding(), 0u);
}

// Some work that makes, splits, merges and grows; returns the refusals for want of host memory.
template <class Algorithm>
std::uint64_t work(Algorithm& algorithm, std::uint64_t seed, bool& consistent) {
  Random random(seed);
  std::uint64_t refusals = 0;
  std::vector<OffsetHandle> live;
  for (int i = 0; i < 300; ++i) {
    if (random.one_in(40)) {
      const std::uint64_t before = algorithm.size();
      const OffsetError error = algorithm.grow(before * 2 + random.below(1000));
      if (error == OffsetError::out_of_host_memory) {
        ++refusals;
        consistent = consistent && algorithm.size() == before;
      }
    } else if (!live.empty() && random.one_in(3)) {
      std::swap(live[random.index(live.size())], live.back());
      consistent = consistent && algorithm.free(live.back()) == OffsetError::none;
      live.pop_back();
    } else {
      const std::uint64_t count = algorithm.allocation_count();
      const std::uint64_t free_bytes = algorithm.free_bytes();
      const auto result = algorithm.allocate(
          {.size = random.between(1, 300), .alignment = std::uint64_t{1} << random.below(8)});
      if (result) {
        live.push_back(result->handle);
      } else {
        refusals += result.error() == OffsetError::out_of_host_memory ? 1 : 0;
        consistent = consistent && algorithm.allocation_count() == count &&
                     algorithm.free_bytes() == free_bytes;
      }
    }
    consistent = consistent && algorithm.validate();
  }
  return refusals;
}

TYPED_TEST(OffsetConformance, WithoutHostMemoryNothingIsDamagedOrLeaked) {
  CountingHost counted;
  bool consistent = true;
  {
    auto algorithm = make<TypeParam>(1 << 14, 0, counted.memory());
    EXPECT_EQ(work(algorithm, 1, consistent), 0u);
  }
  ASSERT_TRUE(consistent);
  ASSERT_GT(counted.allocations(), 2u);
  for (std::uint64_t n = 0; n < counted.allocations(); ++n) {
    for (const bool forever : {false, true}) {
      CountingHost host;
      if (forever) {
        host.fail_from(n);
      } else {
        host.fail_at(n);
      }
      {
        auto algorithm = make<TypeParam>(1 << 14, 0, host.memory());
        EXPECT_GE(work(algorithm, 1, consistent), 1u) << n;
        ASSERT_TRUE(consistent) << n;
      }
      EXPECT_EQ(host.outstanding(), 0u) << n;
    }
  }
}

TYPED_TEST(OffsetConformance, EverythingFreedInAnyOrderIsOneSpaceAgain) {
  for (const std::uint64_t seed : seeds(8)) {
    Random random(seed);
    const std::uint64_t size = std::uint64_t{1} << 24;
    auto algorithm = make<TypeParam>(size);
    std::vector<OffsetHandle> live;
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t bytes =
          random.one_in(2) ? random.between(1, 256) : random.between(1, 16384);
      live.push_back(this->placed(algorithm, {.size = bytes}).handle);
    }
    while (!live.empty()) {
      std::swap(live[random.index(live.size())], live.back());
      EXPECT_EQ(algorithm.free(live.back()), OffsetError::none);
      live.pop_back();
    }
    this->expect_empty(algorithm, size);
    EXPECT_EQ(algorithm.statistics().free_range_count, 1u);
    EXPECT_EQ(this->placed(algorithm, {.size = size}).offset, 0u);
  }
}

template <class Algorithm>
OffsetRequest random_request(Random& random) {
  OffsetRequest request;
  request.size = random.any_magnitude(14);
  request.alignment = random.one_in(2) ? 1 : std::uint64_t{1} << random.below(16);
  request.user = random.below(1000);
  request.strategy = static_cast<OffsetStrategy>(random.below(4));
  request.upper = Traits<Algorithm>::kHasUpper && random.one_in(4);
  return request;
}

TYPED_TEST(OffsetConformance, RandomOperationsAgreeWithTheIntervalModel) {
  for (const std::uint64_t seed : seeds(4)) {
    Random random(seed);
    SCOPED_TRACE(seed);
    const std::uint64_t size = random.between(1 << 16, 1 << 20);
    auto algorithm = make<TypeParam>(size);
    IntervalModel model(size);
    for (int step = 0; step < 4000; ++step) {
      const std::uint64_t choice = random.below(100);
      // Long stretches that mostly fill or mostly empty reach both ends.
      const bool filling = (step / 500) % 2 == 0;
      if (choice < (filling ? 60u : 30u)) {
        const OffsetRequest request = random_request<TypeParam>(random);
        const auto result = algorithm.allocate(request);
        if (result) {
          const auto info = algorithm.info(result->handle);
          ASSERT_TRUE(info);
          ASSERT_EQ(model.add(request, *result, info->size), "") << "step " << step;
        } else {
          ASSERT_EQ(result.error(), OffsetError::out_of_space);
        }
      } else if (choice < 98 && !model.live().empty()) {
        auto victim = model.live().begin();
        std::advance(victim, static_cast<std::ptrdiff_t>(random.below(model.live().size())));
        ASSERT_EQ(algorithm.free(victim->second.handle), OffsetError::none);
        ASSERT_EQ(algorithm.free(victim->second.handle), OffsetError::stale_handle);
        model.remove(victim->first);
      } else if (choice == 98 && random.one_in(8)) {
        const std::uint64_t larger = model.size() + random.below(5000);
        const OffsetError error = algorithm.grow(larger);
        if (error == OffsetError::none) model.grow(larger);
        ASSERT_TRUE(error == OffsetError::none || Traits<TypeParam>::kHasUpper);
      } else if (choice == 99 && random.one_in(50)) {
        algorithm.clear();
        model.clear();
      }
      if (step % 16 == 0) {
        ASSERT_EQ(model.compare(algorithm, Traits<TypeParam>::kMergedRanges), "")
            << "step " << step;
      }
    }
    while (!model.live().empty()) {
      ASSERT_EQ(algorithm.free(model.live().begin()->second.handle), OffsetError::none);
      model.remove(model.live().begin()->first);
    }
    ASSERT_EQ(model.compare(algorithm, Traits<TypeParam>::kMergedRanges), "");
  }
}

}  // namespace
}  // namespace quarry::test
