// SPDX-License-Identifier: MIT
#include "heap/record_table.hpp"

#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"
#include "base/seed.hpp"

namespace quarry::heap {
namespace {

using base::encode_handle;
using base::HandleStatus;
using base::InsertError;

/// Owners whose low bits are part of a record's state, and those whose are zero.
constexpr std::uint8_t kOwners[] = {1, 2, 3, 15, 16, 32, 255};

/// Null where has_slot() is false.
Record* find_slot(const RecordTable& table, std::uint64_t handle) {
  return table.has_slot(handle) ? &table.slot_record(handle) : nullptr;
}

Slot take_large(RecordTable& table) {
  InsertError error = InsertError::full;
  const Slot slot = table.take_large(error);
  EXPECT_NE(slot.record, nullptr);
  return slot;
}

std::uint64_t publish_large(RecordTable& table) {
  const Slot slot = take_large(table);
  RecordTable::publish(slot.handle, *slot.record);
  return slot.handle;
}

void free_large(RecordTable& table, std::uint64_t handle) {
  const auto claimed = table.claim(handle);
  ASSERT_TRUE(claimed);
  table.release_large(handle, *claimed.record);
}

std::vector<std::uint64_t> live_handles(RecordTable& table) {
  std::vector<std::uint64_t> handles;
  table.for_each([&](std::uint64_t handle, const Record&) { handles.push_back(handle); });
  return handles;
}

TEST(RecordTable, ASlotIsLiveFromPublishToClaimAndNeverAgain) {
  for (const std::uint8_t owner : kOwners) {
    RecordTable table(HostMemory::standard(), owner);
    Slab* slab = table.take_slab(8);
    ASSERT_NE(slab, nullptr);
    EXPECT_EQ(slab->free_count(), 8u);
    Record& record = slab->records()[3];
    Slot slot = table.slot(*slab, record);
    EXPECT_TRUE(RecordTable::is_slot(slot.handle));
    std::vector<std::uint64_t> dead;
    for (int life = 0; life < 5; ++life) {
      EXPECT_FALSE(table.lookup(slot.handle));
      EXPECT_EQ(table.live_handle(*slab, 3), 0u);
      RecordTable::publish(slot.handle, record);
      const auto found = table.lookup(slot.handle);
      EXPECT_EQ(found.record, &record);
      EXPECT_EQ(found.status, HandleStatus::live);
      EXPECT_EQ(table.live_handle(*slab, 3), slot.handle);
      EXPECT_EQ(&table.slab_of(slot.handle), slab);
      EXPECT_EQ(live_handles(table), std::vector{slot.handle});
      for (const std::uint64_t stale : dead)
        EXPECT_EQ(table.lookup(stale).status, HandleStatus::stale);
      ASSERT_TRUE(table.claim(slot.handle));
      EXPECT_FALSE(table.claim(slot.handle));
      EXPECT_FALSE(RecordTable::claim(slot.handle, record));
      EXPECT_EQ(table.live_handle(*slab, 3), 0u);
      RecordTable::unclaim(slot.handle, record);
      EXPECT_TRUE(table.lookup(slot.handle));
      ASSERT_TRUE(RecordTable::claim(slot.handle, record));
      RecordTable::vacate(slot.handle, record);
      dead.push_back(slot.handle);
      slot = table.slot(*slab, record);
      EXPECT_EQ(slot.handle, RecordTable::successor(dead.back()));
    }
  }
}

TEST(RecordTable, LargeRecordsAreReusedUnderNewHandles) {
  RecordTable table(HostMemory::standard(), 7);
  const std::uint64_t first = publish_large(table);
  EXPECT_FALSE(RecordTable::is_slot(first));
  EXPECT_EQ(find_slot(table, first), nullptr);
  Record* record = table.lookup(first).record;
  ASSERT_NE(record, nullptr);
  free_large(table, first);
  EXPECT_EQ(table.lookup(first).status, HandleStatus::stale);
  const std::uint64_t second = publish_large(table);
  EXPECT_NE(first, second);
  EXPECT_EQ(table.lookup(second).record, record);
  const Slot unused = take_large(table);
  table.put_large({&unused, 1});
  EXPECT_EQ(take_large(table).handle, unused.handle);
}

TEST(RecordTable, ALargeRecordWhoseGenerationsAreUsedUpIsRetired) {
  constexpr std::uint32_t kLast = 3;
  for (const std::uint8_t owner : kOwners) {
    RecordTable table(HostMemory::standard(), owner, kLast);
    std::vector<std::uint64_t> dead;
    for (std::uint32_t life = 1; life <= kLast; ++life) {
      const std::uint64_t handle = publish_large(table);
      EXPECT_EQ(table.has_successor(handle), life != kLast);
      free_large(table, handle);
      dead.push_back(handle);
    }
    const std::uint64_t next = publish_large(table);
    EXPECT_NE(base::decode_handle(next).index, base::decode_handle(dead[0]).index);
    const std::uint32_t retired = base::decode_handle(dead[0]).index;
    for (std::uint32_t generation = 0; generation <= kLast + 2; ++generation) {
      const std::uint64_t handle = encode_handle({retired, generation, owner});
      EXPECT_EQ(table.lookup(handle).status, HandleStatus::stale)
          << "owner " << int(owner) << ", generation " << generation;
      EXPECT_FALSE(table.claim(handle));
    }
    EXPECT_EQ(live_handles(table), std::vector{next}) << "owner " << int(owner);
  }
}

TEST(RecordTable, ARetiredSlotIsNeitherLiveNorGivenOut) {
  for (const std::uint8_t owner : kOwners) {
    RecordTable table(HostMemory::standard(), owner, 1);
    Slab* slab = table.take_slab(8);
    ASSERT_NE(slab, nullptr);
    const Slot slot = table.slot(*slab, slab->records()[2]);
    ASSERT_FALSE(table.has_successor(slot.handle));
    RecordTable::publish(slot.handle, *slot.record);
    ASSERT_TRUE(table.claim(slot.handle));
    RecordTable::retire(*slot.record);
    ++slab->retired;
    slab->free &= ~(std::uint64_t{1} << 2);
    const std::uint32_t index = base::decode_handle(slot.handle).index;
    for (std::uint32_t generation = 0; generation < 4; ++generation)
      EXPECT_FALSE(table.lookup(encode_handle({index, generation, owner})));
    EXPECT_EQ(table.live_handle(*slab, 2), 0u) << "owner " << int(owner);
    EXPECT_TRUE(live_handles(table).empty()) << "owner " << int(owner);
    table.put_slab(*slab);
    // The same slab again, with seven slots.
    ASSERT_EQ(table.take_slab(8), slab);
    EXPECT_EQ(slab->retired, 1u);
    EXPECT_EQ(slab->free, 0b1111'1011u);
  }
}

TEST(RecordTable, ASlabThatIsWornOutByMoreThanHalfIsNotTakenAgain) {
  RecordTable table(HostMemory::standard(), 1, 1);
  Slab* slab = table.take_slab(8);
  ASSERT_NE(slab, nullptr);
  const auto wear_out = [&](std::uint32_t i) {
    const Slot slot = table.slot(*slab, slab->records()[i]);
    RecordTable::publish(slot.handle, *slot.record);
    ASSERT_TRUE(table.claim(slot.handle));
    RecordTable::retire(*slot.record);
    slab->free &= ~(std::uint64_t{1} << i);
    ++slab->retired;
  };
  for (std::uint32_t i = 0; i < 4; ++i)
    wear_out(i);
  table.put_slab(*slab);
  ASSERT_EQ(table.take_slab(8), slab);
  EXPECT_EQ(slab->free_count(), 4u);
  wear_out(4);
  table.put_slab(*slab);
  EXPECT_NE(table.take_slab(8), slab);
}

TEST(RecordTable, OfAllHandlesThatCanBeMadeUpOnlyTheLiveOnesAreLive) {
  for (const std::uint8_t owner : kOwners) {
    RecordTable table(HostMemory::standard(), owner, 3);
    std::set<std::uint64_t> live;
    for (const std::uint32_t slots : {8u, 64u, 16u, 32u}) {
      Slab* slab = table.take_slab(slots);
      ASSERT_NE(slab, nullptr);
      for (std::uint32_t i = 0; i < slots; ++i) {
        Slot slot = table.slot(*slab, slab->records()[i]);
        for (std::uint32_t life = 0; life < i % 4; ++life) {
          RecordTable::publish(slot.handle, *slot.record);
          if (life + 1 == i % 4 && i % 8 < 4) {
            live.insert(slot.handle);
            break;
          }
          ASSERT_TRUE(table.claim(slot.handle));
          if (!table.has_successor(slot.handle)) {
            RecordTable::retire(*slot.record);
            break;
          }
          RecordTable::vacate(slot.handle, *slot.record);
          slot = table.slot(*slab, *slot.record);
        }
      }
    }
    for (int i = 0; i < 6; ++i)
      live.insert(publish_large(table));
    constexpr std::uint32_t kLarge = 1u << (base::kHandleIndexBits - 1);
    for (std::uint32_t generation = 0; generation <= 5; ++generation) {
      for (std::uint32_t index = 0; index < 140; ++index) {
        for (const std::uint32_t kind : {0u, kLarge}) {
          const std::uint64_t handle = encode_handle({index | kind, generation, owner});
          const auto found = table.lookup(handle);
          ASSERT_EQ(bool(found), live.count(handle) == 1)
              << "owner " << int(owner) << ", index " << index << ", generation " << generation;
          if (Record* slot = find_slot(table, handle); slot != nullptr && !found) {
            ASSERT_FALSE(RecordTable::claim(handle, *slot));
          }
          for (const unsigned other : {0u, owner ^ 1u, owner ^ 16u, owner ^ 128u}) {
            const std::uint64_t foreign =
                encode_handle({index | kind, generation, static_cast<std::uint8_t>(other)});
            ASSERT_EQ(table.lookup(foreign).status,
                      foreign == 0 ? HandleStatus::stale : HandleStatus::foreign);
            ASSERT_EQ(find_slot(table, foreign), nullptr);
          }
        }
      }
    }
    const auto seen = live_handles(table);
    EXPECT_EQ(std::set(seen.begin(), seen.end()), live) << "owner " << int(owner);
  }
}

TEST(RecordTable, RandomHandlesAreNeverLive) {
  for (const std::uint64_t seed : test::seeds(1)) {
    test::Random random(seed);
    RecordTable table(HostMemory::standard(), 16);
    ASSERT_NE(table.take_slab(64), nullptr);
    (void)take_large(table);
    for (int i = 0; i < 100'000; ++i) {
      const std::uint64_t handle =
          random.one_in(2) ? random.below(~std::uint64_t{0})
                           : encode_handle({static_cast<std::uint32_t>(random.below(80)),
                                            static_cast<std::uint32_t>(random.below(4)), 16});
      ASSERT_FALSE(table.lookup(handle)) << handle;
      ASSERT_FALSE(table.claim(handle));
    }
  }
}

TEST(RecordTable, TheOwnersValueOfASlabsRangeNamesTheSlabAndNoHandleDoes) {
  RecordTable table(HostMemory::standard(), 16);
  std::vector<Slab*> slabs;
  for (const std::uint32_t slots : {8u, 16u, 64u, 32u, 8u})
    slabs.push_back(table.take_slab(slots));
  for (Slab* slab : slabs)
    EXPECT_EQ(table.slab_of_range(RecordTable::range_user(*slab)), slab);
  EXPECT_EQ(table.slab_of_range(0), nullptr);
  EXPECT_EQ(table.slab_of_range(129), nullptr);
  EXPECT_EQ(table.slab_of_range(~std::uint64_t{0}), nullptr);
  const std::uint64_t large = publish_large(table);
  EXPECT_EQ(table.slab_of_range(large), nullptr);
  EXPECT_EQ(table.slab_of_range(table.slot(*slabs[0], slabs[0]->records()[0]).handle), nullptr);
}

TEST(RecordTable, WithoutHostMemoryNothingIsTakenAndNothingLost) {
  for (std::uint64_t number = 0;; ++number) {
    test::CountingHost host;
    {
      RecordTable table(host.memory(), 1);
      host.fail_at(number);
      std::set<std::uint64_t> handles;
      std::uint32_t failures = 0;
      for (int i = 0; i < 200; ++i) {
        if (Slab* slab = table.take_slab(8u << (i % 4))) {
          EXPECT_EQ(slab->first_index % 8, 0u);
          EXPECT_TRUE(handles.insert(table.slot(*slab, slab->records()[0]).handle).second);
        } else {
          ++failures;
        }
        InsertError error = InsertError::none;
        const Slot slot = table.take_large(error);
        if (slot.record == nullptr) {
          EXPECT_EQ(error, InsertError::out_of_host_memory);
          ++failures;
        } else {
          EXPECT_TRUE(handles.insert(slot.handle).second);
        }
      }
      EXPECT_EQ(failures, host.refused());
      EXPECT_EQ(handles.size(), 400u - failures);
    }
    EXPECT_EQ(host.outstanding(), 0u);
    if (host.refused() == 0) break;
  }
}

TEST(RecordTable, SlabsOfAKindAreKeptForReuse) {
  test::CountingHost host;
  RecordTable table(host.memory(), 1);
  Slab* small = table.take_slab(8);
  Slab* large = table.take_slab(64);
  const std::uint64_t allocations = host.allocations();
  table.put_slab(*small);
  table.put_slab(*large);
  EXPECT_EQ(table.take_slab(64), large);
  EXPECT_EQ(table.take_slab(8), small);
  EXPECT_EQ(host.allocations(), allocations);
}

TEST(RecordTableThreads, OfConcurrentClaimsExactlyOneWins) {
  constexpr std::uint32_t kHandles = 1'000;
  constexpr int kThreads = 4;
  RecordTable table(HostMemory::standard(), 1);
  std::vector<std::uint64_t> handles;
  while (handles.size() < kHandles) {
    handles.push_back(publish_large(table));
    Slab* slab = table.take_slab(8);
    ASSERT_NE(slab, nullptr);
    const Slot slot = table.slot(*slab, slab->records()[5]);
    RecordTable::publish(slot.handle, *slot.record);
    handles.push_back(slot.handle);
  }
  std::atomic<std::uint32_t> won{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (const std::uint64_t handle : handles) {
        const auto claimed = table.claim(handle);
        if (!claimed) continue;
        ++won;
        claimed.record->resource = 1;  // another winner would race with this
        if (RecordTable::is_slot(handle)) {
          RecordTable::vacate(handle, *claimed.record);
        } else {
          table.release_large(handle, *claimed.record);
        }
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(won, handles.size());
  EXPECT_TRUE(live_handles(table).empty());
}

TEST(RecordTableThreads, HandlesAreLookedUpWhileTheTableGrows) {
  constexpr std::uint32_t kSlabs = 3'000;
  RecordTable table(HostMemory::standard(), 1);
  std::vector<std::atomic<std::uint64_t>> published(kSlabs);
  std::atomic<bool> done{false};
  std::atomic<std::uint32_t> wrong{0};
  std::vector<std::thread> readers;
  for (std::uint64_t reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&, reader] {
      test::Random random(reader + 1);
      while (!done) {
        const std::uint64_t handle = published[random.index(kSlabs)].load();
        if (handle != 0) {
          Record* record = find_slot(table, handle);
          if (record == nullptr || !table.lookup(handle) || table.slab_of(handle).slots == 0)
            ++wrong;
        }
        // Whatever a program may pass, there or not there yet.
        if (table.lookup(encode_handle({static_cast<std::uint32_t>(random.below(200'000)),
                                        base::kHandleMaxGeneration, 1})))
          ++wrong;
      }
    });
  }
  for (std::uint32_t i = 0; i < kSlabs; ++i) {
    Slab* slab = table.take_slab(8u << (i % 4));
    ASSERT_NE(slab, nullptr);
    const Slot slot = table.slot(*slab, slab->records()[i % 8]);
    RecordTable::publish(slot.handle, *slot.record);
    published[i].store(slot.handle);
  }
  done = true;
  for (std::thread& reader : readers)
    reader.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace quarry::heap
