// SPDX-License-Identifier: MIT
// The case that defragmentation is judged by: a heap of movable buffers of many sizes in blocks of
// 64 MiB, of which a random half is freed; and what a pass makes of it.
#pragma once

#include <cstdint>
#include <vector>

#include <quarry/defragmentation.hpp>

#include "bench/defragmenting/machine.hpp"

namespace quarry::bench {

struct HalfFreedDesc {
  VkDeviceSize bytes = VkDeviceSize{4} << 30;     ///< live before half is freed
  VkDeviceSize smallest = VkDeviceSize{4} << 10;  ///< sizes are log-uniform from here
  VkDeviceSize largest = VkDeviceSize{8} << 20;   ///< to here
  std::uint64_t count = ~std::uint64_t{0};        ///< of buffers before, at most
  VkDeviceSize block = VkDeviceSize{64} << 20;
  std::uint64_t seed = 1;
};

/// How full each block is, from left to right in equal parts, 0 to 255.
struct BlockMap {
  static constexpr std::uint32_t kParts = 256;
  std::vector<std::vector<std::uint8_t>> blocks;
};

struct PassFigures {
  VkDeviceSize live = 0;
  VkDeviceSize reserved_before = 0;
  VkDeviceSize reserved_after = 0;
  VkDeviceSize moved = 0;
  /// Live bytes of the emptiest blocks that must go to leave ceil(1.05 live / block) of them.
  VkDeviceSize bound = 0;
  std::uint64_t moves = 0;
  std::uint64_t left_out = 0;  ///< moves given up, refused or failed
  double record_seconds = 0.0;
  double copy_seconds = 0.0;  ///< of whole steps, submission and waiting included
  std::uint64_t wrong = 0;    ///< buffers whose contents changed; only looked at on a real device
  BlockMap before;
  BlockMap after;
};

class HalfFreed {
 public:
  /// Throws std::runtime_error when the allocator refuses.
  HalfFreed(Machine& machine, const HalfFreedDesc& desc);
  HalfFreed(const HalfFreed&) = delete;
  HalfFreed& operator=(const HalfFreed&) = delete;
  ~HalfFreed();

  /// Median CPU seconds of the planner alone on this heap, and of Defragmentation::begin, which
  /// looks at the heap first and keeps the plan.
  double plan_seconds(int repetitions) const;
  double begin_seconds(int repetitions);
  std::uint64_t live_count() const { return buffers_.size(); }
  /// Whole passes until nothing is left to move.
  PassFigures defragment();

 private:
  struct Held {
    Buffer buffer;
    VkDeviceSize size = 0;
    std::uint32_t mark = 0;
  };
  void fill_marks();
  std::uint64_t count_wrong();
  BlockMap map_blocks() const;
  VkDeviceSize bound() const;
  VkDeviceSize reserved() const;
  VkDeviceSize live() const;

  Machine& machine_;
  HalfFreedDesc desc_;
  Allocator allocator_;
  std::vector<Held> buffers_;
  std::uint64_t value_ = 0;
};

}  // namespace quarry::bench
