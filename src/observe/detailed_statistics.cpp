// SPDX-License-Identifier: MIT
// The detailed pass: walks every range of every block that counts. Linear in their number; each
// arena is locked in turn.
#include <algorithm>

#include <quarry/allocator.hpp>

#include "heap/core.hpp"
#include "heap/lookup.hpp"
#include "heap/range_parts.hpp"

namespace quarry {

namespace {

class Walk {
 public:
  Walk(heap::Core& core, const Totals& totals) : core_(core) { result_.totals = totals; }

  void add(const heap::Arena& arena) {
    arena.for_each_block([this](const heap::Block& block) {
      block.space->for_each_range(
          [](void* context, const OffsetRange& range) {
            Walk& walk = *static_cast<Walk*>(context);
            heap::for_each_part(walk.core_.records, range,
                                [&](const heap::RangePart& part) { walk.add(part); });
          },
          this);
    });
  }

  void add_dedicated(const heap::Block& block) { add_used(block.used_bytes); }

  DetailedStatistics finish() {
    if (result_.free_bytes > 0) {
      result_.fragmentation = 1.0 - static_cast<double>(result_.largest_free_range) /
                                        static_cast<double>(result_.free_bytes);
    }
    return result_;
  }

 private:
  void add(const heap::RangePart& range) {
    if (range.record != nullptr) return add_used(range.size);
    ++result_.free_range_count;
    result_.free_bytes += range.size;
    result_.largest_free_range = std::max(result_.largest_free_range, range.size);
  }

  void add_used(VkDeviceSize bytes) {
    result_.largest_allocation = std::max(result_.largest_allocation, bytes);
    result_.smallest_allocation =
        result_.smallest_allocation == 0 ? bytes : std::min(result_.smallest_allocation, bytes);
  }

  heap::Core& core_;
  DetailedStatistics result_;
};

}  // namespace

DetailedStatistics Allocator::detailed_statistics() const {
  Walk walk(*core_, totals());
  core_->for_each_arena([&](const heap::Arena& arena) { walk.add(arena); });
  core_->dedicated.for_each([&](const heap::Block& block) { walk.add_dedicated(block); });
  return walk.finish();
}

DetailedStatistics Allocator::detailed_heap_statistics(std::uint32_t heap) const {
  Walk walk(*core_, heap_totals(heap));
  core_->for_each_arena([&](const heap::Arena& arena) {
    if (arena.traits().heap == heap) walk.add(arena);
  });
  core_->dedicated.for_each([&](const heap::Block& block) {
    if (block.memory.heap() == heap) walk.add_dedicated(block);
  });
  return walk.finish();
}

Result<DetailedStatistics> Allocator::detailed_statistics(Pool pool) const {
  const auto visited = heap::visit(*core_, pool);
  if (!visited) return Unexpected(visited.error());
  Walk walk(*core_, visited->get()->totals.read());
  walk.add(*visited->get()->arena);
  core_->dedicated.for_each([&](const heap::Block& block) {
    if (block.pool_state == visited->get()) walk.add_dedicated(block);
  });
  return walk.finish();
}

}  // namespace quarry
