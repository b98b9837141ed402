// SPDX-License-Identifier: MIT
#include "plan/use_points.hpp"

#include <algorithm>

namespace quarry::plan {

bool UsePoints::add(const UsePoint& point) {
  UsePoint* const last = points_.data() + count_;
  UsePoint* const same = std::find_if(points_.data(), last, [&](const UsePoint& other) {
    return other.timeline == point.timeline && other.queue == point.queue;
  });
  if (same == last) {
    if (full()) return false;
    points_[count_++] = point;
    return true;
  }
  same->value = std::max(same->value, point.value);
  same->stages |= point.stages;
  return true;
}

bool UsePoints::add(const UsePoints& others) {
  UsePoints both = *this;
  for (const UsePoint& point : others) {
    if (!both.add(point)) return false;
  }
  *this = both;
  return true;
}

void UsePoints::reach(std::uint64_t timeline, std::uint64_t value) {
  UsePoint* const last = std::remove_if(
      points_.data(), points_.data() + count_,
      [&](const UsePoint& point) { return point.timeline == timeline && point.value <= value; });
  count_ = static_cast<std::uint32_t>(last - points_.data());
}

ReuseOrder decide(const UsePoints& left, const ReuseRule& rule) {
  ReuseOrder order;
  if (left.full() || (left.count() == 0 && !rule.reached)) return {};
  for (const UsePoint& point : left) {
    if (rule.same_queue && rule.queue != kNoQueue && point.queue == rule.queue) {
      order.barrier_stages |= point.stages;
    } else if (!rule.waiting || !order.waits.add(point)) {
      return {};
    }
  }
  order.allowed = true;
  return order;
}

}  // namespace quarry::plan
