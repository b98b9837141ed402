// SPDX-License-Identifier: MIT
#include "base/slot_map.hpp"

#include <map>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"
#include "base/seed.hpp"

namespace quarry::base {
namespace {

TEST(Handle, EncodesAndDecodesAllItsParts) {
  for (const HandleParts& parts :
       {HandleParts{0, 1, 0}, HandleParts{kHandleMaxIndex, kHandleMaxGeneration, 255},
        HandleParts{12'345, 678, 9}}) {
    EXPECT_EQ(decode_handle(encode_handle(parts)), parts);
    EXPECT_NE(encode_handle(parts), 0u);
  }
}

TEST(SlotMap, FindsWhatWasInserted) {
  SlotMap<int> map(HostMemory::standard(), 3);
  const auto one = map.insert(10);
  const auto two = map.insert(20);
  ASSERT_TRUE(one);
  ASSERT_TRUE(two);
  EXPECT_NE(one.handle, two.handle);
  EXPECT_EQ(*map.lookup(one.handle).value, 10);
  EXPECT_EQ(*map.lookup(two.handle).value, 20);
  EXPECT_EQ(decode_handle(one.handle).owner, 3u);
}

TEST(SlotMap, TellsStaleFromForeign) {
  SlotMap<int> map(HostMemory::standard(), 1);
  SlotMap<int> other(HostMemory::standard(), 2);
  const std::uint64_t handle = map.insert(1).handle;
  EXPECT_EQ(other.status(handle), HandleStatus::foreign);
  EXPECT_EQ(other.erase(handle), HandleStatus::foreign);
  EXPECT_EQ(map.status(0), HandleStatus::stale);
  EXPECT_EQ(map.status(encode_handle({5, 1, 1})), HandleStatus::stale)
      << "an index that was never used";
  EXPECT_EQ(map.status(encode_handle({0, 2, 1})), HandleStatus::stale) << "a generation to come";
  EXPECT_EQ(map.erase(handle), HandleStatus::live);
  EXPECT_EQ(map.erase(handle), HandleStatus::stale);
  const std::uint64_t next = map.insert(2).handle;
  EXPECT_EQ(decode_handle(next).index, decode_handle(handle).index);
  EXPECT_EQ(map.status(handle), HandleStatus::stale);
  EXPECT_EQ(map.lookup(handle).value, nullptr);
}

TEST(SlotMap, AClaimEndsTheHandleButKeepsTheValueUntilItsRelease) {
  const auto counter = std::make_shared<int>(1);
  SlotMap<std::shared_ptr<int>> map(HostMemory::standard(), 1);
  const std::uint64_t handle = map.insert(counter).handle;
  const auto claimed = map.claim(handle);
  ASSERT_TRUE(claimed);
  EXPECT_EQ(*claimed.value, counter);
  EXPECT_EQ(map.status(handle), HandleStatus::stale);
  EXPECT_FALSE(map.claim(handle));
  map.unclaim(handle);
  EXPECT_EQ(map.status(handle), HandleStatus::live);
  ASSERT_TRUE(map.claim(handle));
  EXPECT_EQ(counter.use_count(), 2);
  map.release(handle);
  EXPECT_EQ(counter.use_count(), 1);
}

TEST(SlotMap, ASlotWhoseGenerationWouldWrapIsRetired) {
  SlotMap<int> map(HostMemory::standard(), 1, 2, 3);
  std::set<std::uint64_t> handles;
  for (int i = 0; i < 6; ++i) {
    const auto inserted = map.insert(i);
    ASSERT_TRUE(inserted) << i;
    EXPECT_TRUE(handles.insert(inserted.handle).second) << "a handle came back to life";
    EXPECT_EQ(map.erase(inserted.handle), HandleStatus::live);
  }
  const auto refused = map.insert(0);
  EXPECT_FALSE(refused);
  EXPECT_EQ(refused.error, InsertError::full);
  for (const std::uint64_t handle : handles) {
    EXPECT_EQ(map.status(handle), HandleStatus::stale);
  }
}

TEST(SlotMap, RefusesMoreThanItsSlotsAndSurvivesWithoutHostMemory) {
  test::CountingHost host;
  {
    SlotMap<int> map(host.memory(), 1, 100);
    host.fail_at(1);
    std::uint32_t refused = 0;
    while (map.slot_count() < 100) {
      const auto inserted = map.insert(1);
      if (inserted) continue;
      EXPECT_EQ(inserted.error, InsertError::out_of_host_memory);
      ++refused;
    }
    EXPECT_EQ(refused, 1u);
    EXPECT_EQ(map.insert(1).error, InsertError::full);
  }
  EXPECT_EQ(host.outstanding(), 0u);
}

TEST(SlotMap, DestroysSurvivorsAndVisitsEachLiveValueOnce) {
  const auto counter = std::make_shared<int>(1);
  {
    SlotMap<std::shared_ptr<int>> map(HostMemory::standard(), 1);
    std::map<std::uint64_t, int> live;
    for (int i = 0; i < 200; ++i) {
      live[map.insert(counter).handle] = 0;
    }
    for (auto it = live.begin(); it != live.end();) {
      if (decode_handle(it->first).index % 3 == 0) {
        EXPECT_EQ(map.erase(it->first), HandleStatus::live);
        it = live.erase(it);
      } else {
        ++it;
      }
    }
    map.for_each([&](std::uint64_t handle, const std::shared_ptr<int>& value) {
      EXPECT_EQ(value, counter);
      ++live.at(handle);
    });
    for (const auto& [handle, visits] : live) {
      EXPECT_EQ(visits, 1);
    }
    EXPECT_EQ(static_cast<std::size_t>(counter.use_count()), live.size() + 1);
  }
  EXPECT_EQ(counter.use_count(), 1);
}

TEST(SlotMap, AgreesWithAMapUnderRandomOperations) {
  for (const std::uint64_t seed : test::seeds(3)) {
    test::Random random(seed);
    SlotMap<std::uint64_t> map(HostMemory::standard(), 7, 500, 20);
    std::map<std::uint64_t, std::uint64_t> live;
    std::vector<std::uint64_t> dead;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      if (live.empty() || random.one_in(2)) {
        const auto inserted = map.insert(i);
        if (!inserted) continue;
        ASSERT_TRUE(live.emplace(inserted.handle, i).second);
      } else {
        auto victim = live.lower_bound(random.below(~std::uint64_t{0}));
        if (victim == live.end()) victim = live.begin();
        ASSERT_EQ(map.erase(victim->first), HandleStatus::live);
        dead.push_back(victim->first);
        live.erase(victim);
      }
      if (!dead.empty()) {
        ASSERT_EQ(map.status(dead[random.index(dead.size())]), HandleStatus::stale);
      }
    }
    for (const auto& [handle, value] : live) {
      ASSERT_EQ(*map.lookup(handle).value, value);
    }
  }
}

}  // namespace
}  // namespace quarry::base
