// SPDX-License-Identifier: MIT
// Who owns which bytes of one memory: an interval map that finds overlaps, and granules shared by
// resources of different kinds. Insertion and removal are logarithmic, plus the intervals within
// one granule.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>

namespace quarry::fakes {

struct ByteRange {
  VkDeviceSize offset = 0;
  VkDeviceSize size = 0;
  ResourceKind kind = ResourceKind::linear;
  std::uint64_t owner = 0;  ///< handle number, or 0 for a claim
};

class ByteMap {
 public:
  /// What a new range collides with.
  struct Conflicts {
    std::optional<ByteRange> overlap;
    std::optional<ByteRange> granule;  ///< a range of another kind in the first or last granule
  };

  /// Adds the range whatever it collides with. `granularity` is a power of two; 1 turns the granule
  /// rule off.
  Conflicts insert(const ByteRange& range, VkDeviceSize granularity);
  /// Removes the range that starts at `offset` with this owner. False if there is none.
  bool erase(VkDeviceSize offset, std::uint64_t owner);
  /// Overlaps whose common bytes lie within the region are no conflict from now on.
  void allow_overlap(VkDeviceSize offset, VkDeviceSize size) { allowed_.push_back({offset, size}); }
  /// Takes one such permission back. False if there is none.
  bool forbid_overlap(VkDeviceSize offset, VkDeviceSize size);

  bool empty() const { return ranges_.empty() && overlapping_.empty(); }
  /// Any live range, for messages. The map must not be empty.
  const ByteRange& any() const;
  std::size_t size() const { return ranges_.size() + overlapping_.size(); }

 private:
  struct Region {
    VkDeviceSize offset;
    VkDeviceSize size;
    friend bool operator==(const Region&, const Region&) = default;
  };
  void compare(const ByteRange& range, const ByteRange& other, VkDeviceSize granularity,
               Conflicts& conflicts, bool& overlaps) const;
  bool overlap_allowed(const ByteRange& a, const ByteRange& b) const;

  std::map<VkDeviceSize, ByteRange> ranges_;  ///< pairwise disjoint, by offset
  std::vector<ByteRange> overlapping_;  ///< ranges that overlap others: aliases and faults, few
  std::vector<Region> allowed_;
};

}  // namespace quarry::fakes
