// SPDX-License-Identifier: MIT
// History, bars and tag order. See model.hpp.
#include "hud/model.hpp"

#include <algorithm>

namespace quarry::hud {
namespace {

using Member = std::uint64_t Counters::*;
constexpr std::array<Member, 10> kMembers = {
    &Counters::allocations,        &Counters::frees,          &Counters::driver_allocations,
    &Counters::driver_frees,       &Counters::driver_maps,    &Counters::driver_budget_queries,
    &Counters::failed_allocations, &Counters::uploaded_bytes, &Counters::moves,
    &Counters::moved_bytes,
};
static_assert(sizeof(Counters) == kMembers.size() * sizeof(std::uint64_t),
              "a counter is missing from the list");

float share(VkDeviceSize bytes, VkDeviceSize scale) {
  if (scale == 0) return 0.0f;
  return static_cast<float>(static_cast<double>(std::min(bytes, scale)) /
                            static_cast<double>(scale));
}

}  // namespace

bool difference(const Counters& now, const Counters& before, Counters& result) {
  result = {};
  if (std::any_of(kMembers.begin(), kMembers.end(), [&](Member m) { return now.*m < before.*m; })) {
    return false;
  }
  for (Member member : kMembers)
    result.*member = now.*member - before.*member;
  return true;
}

void Recorder::record(const Totals& totals, const Counters& counters) {
  Sample sample{totals.allocation_bytes, totals.block_bytes, {}};
  if (size_ > 0 && !difference(counters, last_, sample.work)) {
    size_ = 0;
    next_ = 0;
  }
  last_ = counters;
  samples_[next_] = sample;
  next_ = (next_ + 1) % kCapacity;
  size_ = std::min(size_ + 1, kCapacity);
}

const Sample& Recorder::operator[](std::size_t index) const {
  return samples_[(next_ + kCapacity - size_ + index) % kCapacity];
}

Sample Recorder::worst() const {
  Sample worst;
  for (std::size_t i = 0; i < size_; ++i) {
    const Sample& sample = (*this)[i];
    worst.used = std::max(worst.used, sample.used);
    worst.reserved = std::max(worst.reserved, sample.reserved);
    for (Member member : kMembers) {
      worst.work.*member = std::max(worst.work.*member, sample.work.*member);
    }
  }
  return worst;
}

HeapBar heap_bar(const HeapRow& row) {
  // Each figure is read at its own moment: while other threads allocate, a part may be larger than
  // its whole.
  const VkDeviceSize reserved = std::max(row.totals.block_bytes, row.totals.allocation_bytes);
  const VkDeviceSize process = std::max(row.budget.usage, reserved);
  const VkDeviceSize peak = std::max(row.totals.peak_block_bytes, reserved);
  HeapBar bar;
  bar.scale = std::max({row.budget.budget, process, peak});
  bar.used = share(row.totals.allocation_bytes, bar.scale);
  bar.reserved = share(reserved, bar.scale);
  bar.process = share(process, bar.scale);
  bar.budget = share(row.budget.budget, bar.scale);
  bar.peak = share(peak, bar.scale);
  bar.over_budget = process > row.budget.budget;
  return bar;
}

void keep_largest(std::vector<TagRow>& tags, std::size_t count) {
  std::erase_if(tags, [](const TagRow& row) { return row.totals.peak_allocation_bytes == 0; });
  const auto larger = [](const TagRow& a, const TagRow& b) {
    if (a.totals.allocation_bytes != b.totals.allocation_bytes) {
      return a.totals.allocation_bytes > b.totals.allocation_bytes;
    }
    return a.tag.index < b.tag.index;
  };
  const std::size_t kept = std::min(count, tags.size());
  std::partial_sort(tags.begin(), tags.begin() + static_cast<std::ptrdiff_t>(kept), tags.end(),
                    larger);
  tags.resize(kept);
}

}  // namespace quarry::hud
