// SPDX-License-Identifier: MIT
// What the display shows, without ImGui: history and differences, the geometry of a heap's bar, the
// largest tags. Not the block map, which is block_map.hpp. Everything here is linear in what it is
// given.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <quarry/allocation.hpp>
#include <quarry/statistics.hpp>

namespace quarry::hud {

/// now - before for each member; false and zeros if any member went back, which no one allocator's
/// counters do.
bool difference(const Counters& now, const Counters& before, Counters& result);

/// One call of draw.
struct Sample {
  VkDeviceSize used = 0;      ///< bytes of live allocations
  VkDeviceSize reserved = 0;  ///< bytes of VkDeviceMemory
  Counters work;              ///< since the call before
};

/// The last kCapacity samples.
class Recorder {
 public:
  static constexpr std::size_t kCapacity = 240;

  /// Adds a sample. The first has no work, as nothing is known before it; so has one after the
  /// counters went back, which also forgets all earlier samples.
  void record(const Totals& totals, const Counters& counters);
  std::size_t size() const { return size_; }
  /// 0 is the oldest kept, size() - 1 the latest.
  const Sample& operator[](std::size_t index) const;
  Sample latest() const { return size_ == 0 ? Sample{} : (*this)[size_ - 1]; }
  /// The largest figure of each kind over all samples, not of one of them.
  Sample worst() const;

 private:
  std::array<Sample, kCapacity> samples_{};
  std::size_t next_ = 0;
  std::size_t size_ = 0;
  Counters last_;
};

struct HeapRow {
  std::uint32_t index = 0;
  HeapBudget budget;
  Totals totals;
};

/// A heap's bar: ends as shares of its length, 0 to 1. used <= reserved <= process.
struct HeapBar {
  float used = 0;          ///< live allocations
  float reserved = 0;      ///< VkDeviceMemory of this allocator
  float process = 0;       ///< the whole process
  float budget = 0;        ///< mark
  float peak = 0;          ///< mark: the most that was reserved
  VkDeviceSize scale = 0;  ///< bytes that the whole length stands for
  bool over_budget = false;
};

/// The length stands for the budget, or for what exceeds it.
HeapBar heap_bar(const HeapRow& row);

struct TagRow {
  Tag tag;
  std::string name;
  Totals totals;
};

/// Puts the `count` tags with most live bytes first, largest first (equal bytes: by tag number),
/// and drops the others and those that never held anything.
void keep_largest(std::vector<TagRow>& tags, std::size_t count);

/// Everything outside the block map at one call of draw.
struct Figures {
  Totals totals;
  Counters counters;
  std::vector<HeapRow> heaps;
  std::vector<TagRow> tags;  ///< largest first; only filled while they are shown
  std::uint32_t tag_count = 0;
  std::vector<std::string> tag_names;  ///< of tag i + 1, as of the block map
};

}  // namespace quarry::hud
