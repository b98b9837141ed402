// SPDX-License-Identifier: MIT
#include "plan/residency.hpp"

#include <algorithm>

namespace quarry::plan {

namespace {

std::uint64_t share_of(std::uint64_t bytes, double share) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * std::clamp(share, 0.0, 1.0));
}

std::uint64_t less(std::uint64_t from, std::uint64_t amount) {
  return from - std::min(from, amount);
}

}  // namespace

std::uint64_t ResidencyPlanner::grace(const ResidencyView& view, const ResidencyRules& rules) {
  const std::uint64_t staying = less(view.used, view.leaving);
  if (staying > view.target || staying >= view.budget) return rules.shortest_grace;
  const std::uint64_t relaxed = share_of(view.budget, rules.relaxed_share);
  if (staying <= relaxed) return rules.longest_grace;
  const double pressure =
      static_cast<double>(staying - relaxed) / static_cast<double>(view.budget - relaxed);
  const std::uint64_t span = less(rules.longest_grace, rules.shortest_grace);
  return rules.shortest_grace + span - share_of(span, pressure);
}

bool ResidencyPlanner::fits_step(std::uint64_t bytes) const {
  const std::size_t moves = demotions.size() + promotions.size();
  if (moves >= view_.max_moves) return false;
  return moves == 0 || bytes <= less(view_.max_bytes, bytes_out + bytes_in);
}

bool ResidencyPlanner::held(const ResidencyItem& item) const {
  return item.changed != 0 && less(view_.now, item.changed) < rules_.hold;
}

bool ResidencyPlanner::plan(const ResidencyView& view, const ResidencyRules& rules,
                            const base::HostArray<ResidencyItem>& items) {
  view_ = view;
  rules_ = rules;
  demotions.clear();
  promotions.clear();
  bytes_out = bytes_in = 0;
  Lack lack;
  return plan_promotions(items, lack) && plan_demotions(items, lack);
}

/// First what its owner asked for, then what was used since it left, then by priority what there is
/// plenty of room for.
bool ResidencyPlanner::plan_promotions(const base::HostArray<ResidencyItem>& items, Lack& lack) {
  order_.clear();
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    const ResidencyItem& item = items[i];
    if (item.resident || item.wish == ResidencyWish::out) continue;
    const bool wished = item.wish == ResidencyWish::in;
    if (!wished && held(item)) continue;
    const std::uint32_t rank = wished ? 0 : item.last_use > item.changed ? 1 : 2;
    if (!order_.push_back({i, rank, item.priority, item.last_use})) return false;
  }
  std::sort(order_.begin(), order_.end(), [](const Candidate& one, const Candidate& other) {
    if (one.rank != other.rank) return one.rank < other.rank;
    if (one.priority != other.priority) return one.priority > other.priority;
    if (one.last_use != other.last_use) return one.last_use > other.last_use;
    return one.item < other.item;
  });
  const std::uint64_t margin = share_of(view_.budget, rules_.margin_share);
  const std::uint64_t relaxed = share_of(view_.budget, rules_.relaxed_share);
  const std::uint64_t aim = std::min(view_.budget, view_.target);
  const std::uint64_t limits[] = {aim, std::min(less(view_.budget, margin), aim),
                                  less(std::min(relaxed, view_.target), margin)};
  for (const Candidate& candidate : order_) {
    const ResidencyItem& item = items[candidate.item];
    const std::uint64_t limit = limits[candidate.rank];
    const std::uint64_t used = view_.used + bytes_in;
    if (used > limit || item.bytes > limit - used) {
      // Never in this heap: others need not leave for it.
      if (candidate.rank == 2 || item.bytes > limit) continue;
      const std::uint64_t after = less(used, view_.leaving) + item.bytes;
      lack = {less(after, limit), item.priority, item.last_use, candidate.rank == 0};
      break;
    }
    if (!fits_step(item.bytes)) break;
    if (!promotions.push_back(candidate.item)) return false;
    bytes_in += item.bytes;
  }
  return true;
}

/// First what its owner asked for. Then, until enough is free, what has not been used for the time
/// of grace: the least important first, but what was used within twice that time gets a second
/// chance.
bool ResidencyPlanner::plan_demotions(const base::HostArray<ResidencyItem>& items,
                                      const Lack& lack) {
  const std::uint64_t relaxed =
      std::min(share_of(view_.budget, rules_.relaxed_share), view_.target);
  const std::uint64_t staying = less(view_.used, view_.leaving) + bytes_in;
  const bool strongest = staying >= view_.budget;
  const std::uint64_t patience = grace(view_, rules_);
  order_.clear();
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    const ResidencyItem& item = items[i];
    if (!item.resident || item.kept || item.wish == ResidencyWish::in) continue;
    if (item.wish == ResidencyWish::out) {
      if (!order_.push_back({i, 0, item.priority, item.last_use})) return false;
      continue;
    }
    const std::uint64_t idle = less(view_.now, item.last_use);
    if (held(item) && !strongest) continue;
    std::uint32_t rank = 0;
    if (staying > relaxed && idle >= patience) {
      rank = idle >= 2 * patience ? 1 : 2;
    } else if (lack.bytes > 0 && idle >= rules_.shortest_grace &&
               (lack.wished || item.priority < lack.priority ||
                (item.priority == lack.priority && item.last_use < lack.last_use))) {
      rank = 3;
    }
    if (rank != 0 && !order_.push_back({i, rank, item.priority, item.last_use})) return false;
  }
  std::sort(order_.begin(), order_.end(), [](const Candidate& one, const Candidate& other) {
    if (one.rank != other.rank) return one.rank < other.rank;
    if (one.priority != other.priority) return one.priority < other.priority;
    if (one.last_use != other.last_use) return one.last_use < other.last_use;
    return one.item < other.item;
  });
  const std::uint64_t surplus = less(staying, relaxed);
  for (const Candidate& candidate : order_) {
    const ResidencyItem& item = items[candidate.item];
    if (candidate.rank != 0 && bytes_out >= std::max(surplus, lack.bytes)) break;
    if (candidate.rank == 3 && bytes_out >= lack.bytes) break;
    if (item.bytes > less(view_.host_room, bytes_out)) continue;
    if (!fits_step(item.bytes)) break;
    if (!demotions.push_back(candidate.item)) return false;
    bytes_out += item.bytes;
  }
  return true;
}

}  // namespace quarry::plan
