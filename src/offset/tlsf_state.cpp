// SPDX-License-Identifier: MIT
#include "offset/tlsf_state.hpp"

#include <algorithm>
#include <utility>

#include "base/bits.hpp"
#include "base/host_object.hpp"

namespace quarry {

using offset::kNoNode;

namespace {

// Ranges that a search may look at: in the bin of the size itself; in the bins whose ranges fit or
// not by their alignment; and once more, largest first, when the alternative is to answer
// out_of_space. A tightest fit may look at more.
constexpr std::uint32_t kUnsureProbes = 4;
constexpr std::uint32_t kLastProbes = 32;
constexpr std::uint32_t kTightProbes = 32;
static_assert(kTightProbes + kUnsureProbes + std::max(kTightProbes, kLastProbes) <=
              Tlsf::kMaxRangesExamined);

}  // namespace

Tlsf::State::~State() {
  base::release_storage(nodes_.host(), bins_occupied_);
}

bool Tlsf::State::make_rows(std::uint64_t size) {
  const std::uint32_t rows = class_of(size);
  if (rows <= row_count_) return true;
  const std::uint32_t words = rows * (1 + kBinsInRow);
  std::uint32_t* bins_occupied = base::allocate_storage<std::uint32_t>(nodes_.host(), words);
  if (bins_occupied == nullptr) return false;
  std::uint32_t* first = bins_occupied + rows;
  std::fill(std::copy_n(bins_occupied_, row_count_, bins_occupied), first, 0u);
  std::fill(std::copy_n(first_, row_count_ * kBinsInRow, first), bins_occupied + words, kNoNode);
  base::release_storage(nodes_.host(), bins_occupied_);
  bins_occupied_ = bins_occupied;
  first_ = first;
  row_count_ = rows;
  return true;
}

std::uint32_t Tlsf::State::bin_at_or_above(std::uint32_t bin) const {
  std::uint32_t row = bin / kBinsInRow;
  if (row >= row_count_) return kNoBin;
  std::uint32_t occupied = bins_occupied_[row] & (~0u << (bin % kBinsInRow));
  if (occupied == 0) {
    const std::uint64_t above = rows_occupied_ & (~std::uint64_t{1} << row);
    if (above == 0) return kNoBin;
    row = base::lowest_bit(above);
    occupied = bins_occupied_[row];
  }
  return row * kBinsInRow + base::lowest_bit(occupied);
}

std::uint32_t Tlsf::State::bin_at_or_below(std::uint32_t bin) const {
  bin = std::min(bin, row_count_ * kBinsInRow - 1);
  std::uint32_t row = bin / kBinsInRow;
  std::uint32_t occupied = bins_occupied_[row] & (~0u >> (kBinsInRow - 1 - bin % kBinsInRow));
  if (occupied == 0) {
    const std::uint64_t below = rows_occupied_ & ((std::uint64_t{1} << row) - 1);
    if (below == 0) return kNoBin;
    row = base::highest_bit(below);
    occupied = bins_occupied_[row];
  }
  return row * kBinsInRow + base::highest_bit(occupied);
}

Tlsf::State::Place Tlsf::State::find_further(const OffsetRequest& request, std::uint32_t exact) {
  const OffsetStrategy strategy = request.strategy;
  if (strategy == OffsetStrategy::min_offset) return find_lowest(request, exact);
  std::uint64_t padded = ~std::uint64_t{0};
  (void)base::checked_add(request.size, request.alignment - 1, padded);
  // Ranges in bins above `unsure` fit for certain, those from `exact` to there have to be looked
  // at.
  const std::uint32_t unsure = bin_of(padded);

  Search search{request, {}, 0, strategy == OffsetStrategy::min_memory};
  std::uint32_t budget = kTightProbes;
  if (search.tightest) look(search, exact, budget);
  if (strategy != OffsetStrategy::min_time) {
    budget = kUnsureProbes;
    for (std::uint32_t bin = exact; search.best.node == kNoNode && budget > 0;) {
      bin = bin_at_or_above(bin + 1);
      if (bin > unsure) break;
      look(search, bin, budget);
    }
  }
  if (search.best.node != kNoNode) return search.best;
  if (const std::uint32_t sure = bin_at_or_above(unsure + 1); sure != kNoBin) {
    budget = search.tightest ? kTightProbes : 1;
    look(search, sure, budget);
    return search.best;
  }
  budget = kLastProbes;
  std::uint32_t bin = bin_at_or_below(unsure);
  while (bin != kNoBin && bin >= exact) {
    look(search, bin, budget);
    if (search.best.node != kNoNode || budget == 0 || bin == 0) break;
    bin = bin_at_or_below(bin - 1);
  }
  return search.best;
}

void Tlsf::State::look(Search& search, std::uint32_t bin, std::uint32_t& budget) {
  std::uint32_t index = first_[bin];
  for (; index != kNoNode && budget > 0; index = nodes_[index].bin.next) {
    --budget;
    ++ranges_examined_;
    const Node& node = nodes_[index];
    std::uint64_t offset = 0;
    if (!place_in(node, search.request, offset)) continue;
    if (search.best.node != kNoNode && node.size >= search.best_size) continue;
    search.best = {index, offset};
    search.best_size = node.size;
    if (!search.tightest) return;
  }
}

Tlsf::State::Place Tlsf::State::find_lowest(const OffsetRequest& request,
                                            std::uint32_t lowest_bin) {
  Place best;
  for (std::uint32_t bin = bin_at_or_above(lowest_bin); bin != kNoBin;
       bin = bin_at_or_above(bin + 1)) {
    for (std::uint32_t index = first_[bin]; index != kNoNode; index = nodes_[index].bin.next) {
      ++ranges_examined_;
      std::uint64_t offset = 0;
      if (!place_in(nodes_[index], request, offset)) continue;
      if (best.node == kNoNode || offset < best.offset) best = {index, offset};
    }
  }
  return best;
}

OffsetRange Tlsf::State::range(std::uint32_t index) const {
  const Node& node = nodes_[index];
  if (node.serial == 0) return {node.offset, node.size, {}, 0};
  return {node.offset, node.size, nodes_.handle_of(index), node.user};
}

std::uint32_t Tlsf::State::largest_free_class() const {
  return static_cast<std::uint32_t>(std::bit_width(rows_occupied_));
}

void Tlsf::State::add_free_ranges(OffsetStatistics& statistics) const {
  for (std::uint32_t bin = bin_at_or_above(0); bin != kNoBin; bin = bin_at_or_above(bin + 1)) {
    for (std::uint32_t index = first_[bin]; index != kNoNode; index = nodes_[index].bin.next) {
      ++statistics.free_range_count;
      statistics.largest_free = std::max(statistics.largest_free, nodes_[index].size);
    }
  }
}

void Tlsf::State::for_each_range(OffsetRangeVisitor visitor, void* context) const {
  for (std::uint32_t index = first_node_; index != kNoNode; index = nodes_[index].next) {
    visitor(context, range(index));
  }
}

bool Tlsf::State::validate(std::uint64_t size, std::uint64_t free_bytes,
                           std::uint32_t allocations) const {
  std::uint64_t end = 0;
  std::uint64_t free_seen = 0;
  std::uint32_t free_ranges = 0;
  std::uint32_t live_ranges = 0;
  std::uint32_t previous = kNoNode;
  for (std::uint32_t index = first_node_; index != kNoNode; index = nodes_[index].next) {
    const Node& node = nodes_[index];
    if (node.offset != end || node.size == 0 || node.previous != previous) return false;
    if (is_free(index)) {
      if (is_free(previous)) return false;
      free_seen += node.size;
      ++free_ranges;
    } else {
      ++live_ranges;
    }
    end += node.size;
    previous = index;
  }
  return end == size && previous == last_node_ && free_seen == free_bytes &&
         live_ranges == allocations && nodes_.used_count() == free_ranges + live_ranges &&
         validate_bins(free_ranges);
}

bool Tlsf::State::validate_bins(std::uint32_t free_ranges) const {
  std::uint32_t linked = 0;
  for (std::uint32_t row = 0; row < row_count_; ++row) {
    const bool occupied = (rows_occupied_ >> row & 1) != 0;
    if (occupied != (bins_occupied_[row] != 0)) return false;
  }
  for (std::uint32_t bin = bin_at_or_above(0); bin != kNoBin; bin = bin_at_or_above(bin + 1)) {
    std::uint32_t previous = kNoNode;
    for (std::uint32_t index = first_[bin]; index != kNoNode; index = nodes_[index].bin.next) {
      const Node& node = nodes_[index];
      if (!is_free(index) || bin_of(node.size) != bin || node.bin.previous != previous)
        return false;
      previous = index;
      if (++linked > free_ranges) return false;
    }
    if (previous == kNoNode) return false;
  }
  return linked == free_ranges;
}

}  // namespace quarry
