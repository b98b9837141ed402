// SPDX-License-Identifier: MIT
#include "heap/slabs.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "base/seed.hpp"
#include "heap/slab_bench.hpp"

namespace quarry::heap {
namespace {

const std::uint32_t k4KiB = offset::size_class_of(4096);
const std::uint32_t k64KiB = offset::size_class_of(65'536);

/// Gives slots out, or takes them back, as the paths above the slabs do.
void publish(const std::vector<Slot>& slots) {
  for (const Slot& slot : slots)
    RecordTable::publish(slot.handle, *slot.record);
}
std::vector<Slot> vacate(const std::vector<Slot>& slots) {
  std::vector<Slot> next;
  for (const Slot& slot : slots) {
    EXPECT_TRUE(RecordTable::claim(slot.handle, *slot.record));
    RecordTable::vacate(slot.handle, *slot.record);
    next.push_back({slot.record, RecordTable::successor(slot.handle)});
  }
  return next;
}

TEST(Slabs, ASlabGivesItsSlotsOnceEachSideBySide) {
  SlabBench bench;
  EXPECT_FALSE(bench.slabs().has_free(bench.set(), k4KiB));
  EXPECT_TRUE(bench.take(k4KiB, 10).empty());
  auto slots = bench.open(k4KiB, 3);
  ASSERT_EQ(slots.size(), 3u);
  EXPECT_TRUE(bench.slabs().has_free(bench.set(), k4KiB));
  EXPECT_FALSE(bench.slabs().has_free(bench.set(), k64KiB));
  for (const Slot& slot : bench.take(k4KiB, 1'000))
    slots.push_back(slot);
  ASSERT_EQ(slots.size(), offset::slots_of_class(k4KiB));
  EXPECT_TRUE(bench.take(k4KiB, 1).empty());
  EXPECT_FALSE(bench.slabs().has_free(bench.set(), k4KiB));
  std::set<VkDeviceSize> offsets;
  for (const Slot& slot : slots) {
    const Location where = bench.records().location(slot.handle, *slot.record);
    EXPECT_EQ(where.size, 4096u);
    EXPECT_EQ(where.offset % 4096, 0u);
    EXPECT_TRUE(offsets.insert(where.offset).second);
  }
  EXPECT_EQ(*offsets.rbegin() - *offsets.begin(), (slots.size() - 1) * 4096);
  bench.put(slots);
  EXPECT_TRUE(bench.is_empty());
}

TEST(Slabs, TheRangeComesBackWithTheLastSlotAndTellsTheHeap) {
  SlabBench bench;
  const auto slots = bench.open_all(k64KiB, 1);
  ASSERT_EQ(slots.size(), 8u);
  for (std::size_t i = 0; i + 1 < slots.size(); ++i)
    bench.put({slots[i]});
  EXPECT_EQ(bench.used_bytes(), 8u * 65'536);
  EXPECT_EQ(bench.emptied.heaps, 0u);
  bench.put({slots.back()});
  EXPECT_TRUE(bench.is_empty());
  EXPECT_EQ(bench.emptied.heaps, 1u);
}

TEST(Slabs, SlotsOfSeveralSlabsMayComeBackTogether) {
  SlabBench bench;
  auto slots = bench.open_all(k4KiB, 3);
  ASSERT_EQ(slots.size(), 3 * offset::slots_of_class(k4KiB));
  test::Random random(1);
  for (std::size_t i = slots.size() - 1; i > 0; --i)
    std::swap(slots[i], slots[random.index(i + 1)]);
  publish(slots);
  bench.put(vacate(slots));
  EXPECT_TRUE(bench.is_empty());
  // The records are used again, under the handles that follow.
  for (const Slot& slot : bench.open_all(k4KiB, 1))
    EXPECT_EQ(base::decode_handle(slot.handle).generation, 2u);
  EXPECT_FALSE(bench.is_empty());
}

TEST(Slabs, WhoeverOpensASlabHasItsSlotsBeforeAnybodyElse) {
  SlabBench bench;
  const auto own = bench.open(k64KiB, 2);
  ASSERT_EQ(own.size(), 2u);
  const auto others = bench.take(k64KiB, 100);
  EXPECT_EQ(others.size(), 6u);
  for (const Slot& other : others) {
    EXPECT_NE(other.record, own[0].record);
    EXPECT_NE(other.record, own[1].record);
  }
  bench.put(others);
  EXPECT_FALSE(bench.is_empty());
  bench.put(own);
  EXPECT_TRUE(bench.is_empty());
  // All of them: then nobody else finds it.
  EXPECT_EQ(bench.open(k64KiB, 100).size(), 8u);
  EXPECT_FALSE(bench.slabs().has_free(bench.set(), k64KiB));
}

TEST(Slabs, AnAbandonedSlabIsTheNextOne) {
  SlabBench bench;
  Slab* slab = bench.slabs().make_slab(bench.set(), k4KiB);
  bench.slabs().abandon(*slab);
  // The kind is the number of slots: another class may get it.
  const std::uint32_t other = k4KiB - 1;
  ASSERT_EQ(offset::slots_of_class(other), offset::slots_of_class(k4KiB));
  EXPECT_EQ(bench.slabs().make_slab(bench.set(), other), slab);
  EXPECT_EQ(slab->slot_bytes(), offset::size_of_class(other));
  bench.slabs().abandon(*slab);
}

TEST(Slabs, WornOutSlotsStayOutAndAWornOutSlabIsGivenBack) {
  SlabBench bench(/*last_generation=*/1);
  for (std::uint32_t left = 8; left > 0; --left) {
    // A slab that lost half of its slots is used, one that lost more is not.
    auto slots = bench.open(k64KiB, 100);
    EXPECT_EQ(slots.size(), left >= 4 ? left : left + 5);
    while (slots.size() > 1) {
      bench.put({slots.back()});
      slots.pop_back();
    }
    publish(slots);
    ASSERT_FALSE(bench.records().has_successor(slots[0].handle));
    ASSERT_TRUE(bench.records().claim(slots[0].handle));
    EXPECT_FALSE(bench.is_empty());
    bench.slabs().retire(slots[0].handle, *slots[0].record, 0, bench.emptied);
    EXPECT_TRUE(bench.is_empty());
    EXPECT_FALSE(bench.slabs().has_free(bench.set(), k64KiB));
  }
}

TEST(Slabs, ASlabThatIsPartlyInUseOutlivesTheRetirementOfASlot) {
  SlabBench bench(/*last_generation=*/1);
  const auto slots = bench.open_all(k64KiB, 1);
  ASSERT_EQ(slots.size(), 8u);
  publish(slots);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_FALSE(bench.is_empty());
    ASSERT_TRUE(bench.records().claim(slots[i].handle));
    bench.slabs().retire(slots[i].handle, *slots[i].record, 0, bench.emptied);
  }
  EXPECT_TRUE(bench.is_empty());
}

TEST(Slabs, ADepotTakesAFewMagazinesAndGivesThemBack) {
  SlabBench bench;
  constexpr std::uint32_t kSlots = 4;
  std::vector<Slot> kept;
  bench.put([&] {
    auto slots = bench.open_all(k64KiB, 12);
    // One of each slab stays out, which keeps the slabs open.
    for (std::size_t i = 0; i < 12; ++i) {
      kept.push_back(slots[i * 7]);
      slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(i * 7));
    }
    return slots;
  }());
  std::vector<Magazine*> mine;
  std::uint32_t taken = 0;
  for (;;) {
    Magazine* magazine = Magazine::make(bench.host.memory(), kSlots);
    ASSERT_NE(magazine, nullptr);
    magazine->count = bench.slabs().take(bench.set(), k64KiB, magazine->slots(), kSlots);
    ASSERT_EQ(magazine->count, kSlots);
    Magazine* empty = bench.slabs().put_full(bench.set(), k64KiB, *magazine, 3);
    if (empty == nullptr) {
      mine.push_back(magazine);
      break;
    }
    EXPECT_EQ(empty->count, 0u);
    EXPECT_EQ(empty->capacity, kSlots);
    mine.push_back(empty);
    ++taken;
    ASSERT_LT(taken, 100u);
  }
  EXPECT_GE(taken, 2u);
  EXPECT_TRUE(bench.slabs().has_free(bench.set(), k64KiB));
  EXPECT_EQ(bench.slabs().take_full(bench.set(), k4KiB, *mine.front(), 3), nullptr);
  // Full as it is, others take from it; but not the last ones, unless they have to.
  std::uint32_t left = taken;
  for (;;) {
    Magazine* back = bench.slabs().take_full(bench.set(), k64KiB, *mine.front(), 5);
    if (back == nullptr) break;
    mine.erase(mine.begin());
    EXPECT_EQ(back->count, kSlots);
    mine.push_back(back);
    --left;
  }
  EXPECT_LT(left, taken);
  ASSERT_GE(left, 2u);
  for (const bool any : {true, false}) {
    Magazine* back = any ? bench.slabs().take_any_full(bench.set(), k64KiB, *mine.front())
                         : bench.slabs().take_full(bench.set(), k64KiB, *mine.front(), 3);
    ASSERT_NE(back, nullptr);
    mine.erase(mine.begin());
    mine.push_back(back);
    --left;
  }
  Magazine* empty = bench.slabs().put_full(bench.set(), k64KiB, *mine.back(), 3);
  ASSERT_NE(empty, nullptr);
  empty->count = 0;
  mine.back() = empty;
  ++left;
  for (Magazine* magazine : mine) {
    bench.slabs().put(magazine->content(), 0, bench.emptied);
    base::release_storage(bench.host.memory(), magazine);
  }
  // Busy a moment ago: only the second look finds it idle.
  EXPECT_EQ(bench.slabs().drain_depots(false, 0, bench.emptied), 0u);
  EXPECT_EQ(bench.slabs().drain_depots(false, 0, bench.emptied),
            left * kSlots * VkDeviceSize{65'536});
  EXPECT_EQ(bench.slabs().drain_depots(true, 0, bench.emptied), 0u);
  bench.put(kept);
  EXPECT_TRUE(bench.is_empty());
}

TEST(Slabs, TheEndTakesTheMagazinesInDepotsAlong) {
  SlabBench bench;
  Magazine* magazine = Magazine::make(bench.host.memory(), 8);
  ASSERT_NE(magazine, nullptr);
  for (const Slot& slot : bench.open_all(k64KiB, 1))
    magazine->slots()[magazine->count++] = slot;
  Magazine* empty = bench.slabs().put_full(bench.set(), k64KiB, *magazine, 3);
  ASSERT_NE(empty, nullptr);
  base::release_storage(bench.host.memory(), empty);
}

TEST(Slabs, WithoutHostMemoryThereIsNoSlabAndNothingIsLost) {
  for (std::uint64_t number = 0;; ++number) {
    SlabBench bench;
    bench.host.fail_at(bench.host.allocations() + number);
    const std::uint64_t refused_before = bench.host.refused();
    SlabSet* set = bench.slabs().find_or_make(bench.arena());
    if (set == nullptr) continue;
    std::vector<std::vector<Slot>> taken;
    for (const std::uint32_t size_class : {0u, k4KiB, k64KiB})
      taken.push_back(bench.open(size_class, 100));
    for (const auto& each : taken)
      bench.put(each);
    EXPECT_TRUE(bench.is_empty());
    if (bench.host.refused() == refused_before) break;
  }
}

TEST(Slabs, EachArenaHasOneSetAndThereAreLimits) {
  SlabBench bench;
  SlabSet& set = bench.set();
  EXPECT_EQ(&bench.set(), &set);
  EXPECT_EQ(bench.arena().slabs(), &set);
  EXPECT_EQ(&bench.slabs().set(set.number), &set);
  std::vector<std::unique_ptr<Arena>> arenas;
  for (std::uint32_t i = 1; i < Slabs::kMostSets; ++i) {
    arenas.push_back(std::make_unique<Arena>(ArenaTraits{}, bench.host.memory(), nullptr));
    SlabSet* made = bench.slabs().find_or_make(*arenas.back());
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->number, i);
  }
  Arena one_more({}, bench.host.memory(), nullptr);
  EXPECT_EQ(bench.slabs().find_or_make(one_more), nullptr);
  EXPECT_EQ(one_more.slabs(), nullptr);
  // The last set's slots know their way back.
  Slab* slab = bench.slabs().make_slab(*arenas.back()->slabs(), offset::kSizeClasses - 1);
  ASSERT_NE(slab, nullptr);
  EXPECT_EQ(slab->set(), Slabs::kMostSets - 1);
  EXPECT_EQ(slab->size_class(), offset::kSizeClasses - 1);
  bench.slabs().abandon(*slab);
}

TEST(SlabsThreads, SlotsAreNeverGivenTwice) {
  for (const std::uint64_t seed : test::seeds(1)) {
    SlabBench bench;
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&bench, seed, thread] {
        test::Random random(seed + thread);
        std::vector<Slot> held;
        Emptied emptied;
        for (int i = 0; i < 3'000; ++i) {
          Slot slots[8];
          const auto most = static_cast<std::uint32_t>(random.between(1, 8));
          std::uint32_t count = bench.slabs().take(bench.set(), k64KiB, slots, most);
          if (count == 0 && held.size() < 24) {
            for (const Slot& slot : bench.open(k64KiB, most))
              slots[count++] = slot;
          }
          for (std::uint32_t j = 0; j < count; ++j) {
            // A second owner would race here, and the handle would not be vacant.
            slots[j].record->resource = thread;
            RecordTable::publish(slots[j].handle, *slots[j].record);
            held.push_back(slots[j]);
          }
          const std::size_t back = random.index(held.size() + 1);
          for (std::size_t j = 0; j < back; ++j) {
            std::swap(held[random.index(held.size())], held.back());
            const Slot slot = held.back();
            held.pop_back();
            EXPECT_EQ(slot.record->resource, thread);
            EXPECT_TRUE(RecordTable::claim(slot.handle, *slot.record));
            RecordTable::vacate(slot.handle, *slot.record);
            const Slot next{slot.record, RecordTable::successor(slot.handle)};
            bench.slabs().put({&next, 1}, 0, emptied);
          }
        }
        for (const Slot& slot : held) {
          EXPECT_TRUE(RecordTable::claim(slot.handle, *slot.record));
          RecordTable::vacate(slot.handle, *slot.record);
          const Slot next{slot.record, RecordTable::successor(slot.handle)};
          bench.slabs().put({&next, 1}, 0, emptied);
        }
      });
    }
    for (std::thread& thread : threads)
      thread.join();
    EXPECT_TRUE(bench.is_empty());
  }
}

}  // namespace
}  // namespace quarry::heap
