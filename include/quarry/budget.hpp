// SPDX-License-Identifier: MIT
// How close to a heap's end an allocator may go, what the whole process may hold, and whom to tell
// when room gets short.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include <quarry/statistics.hpp>

namespace quarry {

/// What this process may hold of a heap, as far as it can be known: what this allocator holds, and
/// what VK_EXT_memory_budget tells of the rest of the process. The lower of the two counts.
struct ProcessLimit {
  std::uint32_t heap = 0;
  VkDeviceSize bytes = VK_WHOLE_SIZE;
  double share = 1.0;  ///< of the heap's size, above 0 and at most 1
};

inline constexpr std::uint32_t kPressureLevels = 3;

/// A heap's usage rose to a level, or fell from one.
struct Pressure {
  std::uint32_t heap = 0;
  std::uint32_t level = 0;   ///< 0: none; i: BudgetPolicy::pressure_levels[i - 1] is reached
  std::uint32_t before = 0;  ///< the level told before
  HeapBudget budget{};
};

struct BudgetPolicy {
  /// Requests within the budget leave free this share of the heap, between these bytes.
  double headroom_share = 0.01;
  VkDeviceSize least_headroom = VkDeviceSize{4} << 20;
  VkDeviceSize most_headroom = VkDeviceSize{256} << 20;
  /// Before device memory is made the driver is asked for its figures again when they are older.
  std::uint32_t refresh_milliseconds = 20;
  std::span<const ProcessLimit> process_limits{};  ///< only read during creation
  /// QUARRY_HEAP_LIMIT sets limits of the process, too: heap:amount, as in "0:2GiB,1:50%". Units
  /// are B, KiB, MiB, GiB, TiB and %. create() fails with bad_argument where it says something
  /// else.
  bool environment = true;
  /// Usage over budget at which a level begins: above 0, rising.
  std::array<double, kPressureLevels> pressure_levels{0.8, 0.9, 1.0};
  /// A level ends where the usage is so much (of the budget) below its beginning.
  double hysteresis = 0.05;
  /// Called by tick(), work() and refresh_budget() when a heap's level changed, with no lock held.
  /// May use the allocator.
  void (*on_pressure)(void* user, const Pressure& pressure) = nullptr;
  void* pressure_user = nullptr;
};

}  // namespace quarry
