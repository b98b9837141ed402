// SPDX-License-Identifier: MIT
// Slabs over an arena whose blocks the test makes, for tests of slabs and of the caches in front of
// them. Its end checks that no host memory is left.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"
#include "device/opened_device.hpp"
#include "heap/slabs.hpp"
#include "memory/budget.hpp"

namespace quarry::heap {

class SlabBench {
 public:
  explicit SlabBench(std::uint32_t last_generation = base::kHandleMaxGeneration,
                     VkDeviceSize block_bytes = VkDeviceSize{16} << 20)
      : opened_(fakes::profiles::single_type()) {
    budget_.open(opened_.device, {});
    parts_ = std::make_unique<Parts>(host.memory(), last_generation);
    EXPECT_TRUE(
        block_.memory.allocate(opened_.device, budget_, {.memory_type = 0, .size = block_bytes}));
    block_.space.emplace(PoolAlgorithm::tlsf, block_bytes, host.memory());
    OffsetAllocation nowhere;
    EXPECT_EQ(arena().adopt(block_, nullptr, 0, nowhere), OffsetError::none);
  }
  SlabBench(const SlabBench&) = delete;
  SlabBench& operator=(const SlabBench&) = delete;
  ~SlabBench() {
    while (arena().take_any() != nullptr) {
    }
    block_.space.reset();
    parts_.reset();
    EXPECT_EQ(host.outstanding(), 0u);
  }

  Arena& arena() { return parts_->arena; }
  RecordTable& records() { return parts_->records; }
  Slabs& slabs() { return parts_->slabs; }
  SlabSet& set() {
    SlabSet* made = slabs().find_or_make(arena());
    EXPECT_NE(made, nullptr);
    return *made;
  }

  /// A slab without a place, and one for it; false when host memory or the block has no room.
  bool make_slab(std::uint32_t size_class, Slab*& slab, Arena::Placed& placed) {
    slab = slabs().make_slab(set(), size_class);
    if (slab == nullptr) return false;
    if (arena().place(Slabs::place_for(*slab), placed) == OffsetError::none) return true;
    slabs().abandon(*slab);
    return false;
  }
  /// Opens one slab more, for up to `most` of its slots; none when there is no room.
  std::vector<Slot> open(std::uint32_t size_class, std::uint32_t most) {
    Slab* slab = nullptr;
    Arena::Placed placed;
    if (!make_slab(size_class, slab, placed)) return {};
    std::vector<Slot> slots(most);
    slots.resize(slabs().open(*slab, placed, slots.data(), most));
    EXPECT_FALSE(slots.empty());
    return slots;
  }
  /// All slots of so many new slabs.
  std::vector<Slot> open_all(std::uint32_t size_class, int slab_count) {
    std::vector<Slot> all;
    for (int i = 0; i < slab_count; ++i) {
      const auto slots = open(size_class, Slab::kMostSlots);
      all.insert(all.end(), slots.begin(), slots.end());
    }
    return all;
  }
  std::vector<Slot> take(std::uint32_t size_class, std::uint32_t most) {
    std::vector<Slot> slots(most);
    slots.resize(slabs().take(set(), size_class, slots.data(), most));
    return slots;
  }
  void put(const std::vector<Slot>& slots) { slabs().put(slots, 0, emptied); }

  /// Bytes of the block in which slabs lie.
  VkDeviceSize used_bytes() const { return block_.memory.size() - block_.space->free_bytes(); }
  bool is_empty() const { return block_.space->empty(); }

  test::CountingHost host;
  Emptied emptied;

 private:
  struct Parts {
    Parts(const HostMemory& memory, std::uint32_t last_generation)
        : arena({}, memory, nullptr), records(memory, 1, last_generation), slabs(memory, records) {}
    Arena arena;
    RecordTable records;
    Slabs slabs;
  };

  device::OpenedDevice opened_;
  memory::Budget budget_;
  Block block_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace quarry::heap
