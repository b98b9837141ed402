// SPDX-License-Identifier: MIT
// When uses of memory are over: points on timelines, and who may follow before they are reached.
// Pure decisions; no clock, no Vulkan.
#pragma once

#include <array>
#include <cstdint>

namespace quarry::plan {

inline constexpr std::uint32_t kNoQueue = ~0u;
/// Of one piece of memory. The last is kept for a further owner's own.
inline constexpr std::uint32_t kMostUsePoints = 4;

/// A use is over when `timeline` reaches `value`; on its queue later work follows it in order.
struct UsePoint {
  std::uint64_t timeline = 0;
  std::uint64_t value = 0;
  std::uint32_t queue = kNoQueue;
  std::uint32_t stages = 0;  ///< of the use, as its owner numbers them: combined bit by bit
};

/// The uses of one piece of memory that may still run.
class UsePoints {
 public:
  std::uint32_t count() const { return count_; }
  bool full() const { return count_ == kMostUsePoints; }
  const UsePoint& operator[](std::uint32_t i) const { return points_[i]; }
  const UsePoint* begin() const { return points_.data(); }
  const UsePoint* end() const { return points_.data() + count_; }

  /// A point on a timeline and queue that are there already takes the place of the earlier value.
  /// False, with nothing changed, when there is no room.
  bool add(const UsePoint& point);
  bool add(const UsePoints& others);
  /// Drops those that are over when the timeline stands at `value`.
  void reach(std::uint64_t timeline, std::uint64_t value);

 private:
  std::array<UsePoint, kMostUsePoints> points_{};
  std::uint32_t count_ = 0;
};

/// In which ways a new owner may follow a use that may still run.
struct ReuseRule {
  std::uint32_t queue = kNoQueue;  ///< where the new owner's work goes
  bool same_queue = false;         ///< behind a barrier on that queue
  bool reached = false;            ///< when it is found to be over
  bool waiting = false;            ///< by waiting for its timeline
};

/// What a new owner has to see to.
struct ReuseOrder {
  bool allowed = false;
  std::uint32_t barrier_stages = 0;  ///< uses on the same queue, to be ordered by a barrier
  UsePoints waits;                   ///< what its work must wait for
};

/// `left`: the uses that may still run. One for which no way is allowed forbids all.
ReuseOrder decide(const UsePoints& left, const ReuseRule& rule);

}  // namespace quarry::plan
