// SPDX-License-Identifier: MIT
#include "offset/tlsf_state.hpp"

#include <algorithm>

#include "base/bits.hpp"
#include "base/host_object.hpp"
#include "offset/tlsf_hot_path.hpp"

namespace quarry::offset {

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

TlsfState::~TlsfState() {
  base::release_storage(nodes_.host(), bins_occupied_);
}

bool TlsfState::start(std::uint64_t size) {
  if (!nodes_.reserve(1) || !make_rows(size)) return false;
  const std::uint32_t end = nodes_.acquire();
  QUARRY_ASSERT(end == kEnd);
  nodes_[end] = Node();
  nodes_[end].offset = size;
  nodes_[end].list_previous = kFence;
  if (!nodes_.reserve(1)) return false;
  add_free(kEnd, kEnd, 0, size);
  return true;
}

OffsetError TlsfState::extend(std::uint64_t old_size, std::uint64_t new_size) {
  if (new_size == old_size) return OffsetError::none;
  if (!nodes_.reserve(1) || !make_rows(new_size)) return OffsetError::out_of_host_memory;
  Node& end = nodes_[kEnd];
  end.offset = new_size;
  Node& last = nodes_[end.previous];
  if (last.is_free()) {
    resize_free(end.previous, last, bin_of(last.size), last.size + (new_size - old_size));
  } else {
    add_free(end.previous, kEnd, old_size, new_size - old_size);
  }
  return OffsetError::none;
}

bool TlsfState::make_rows(std::uint64_t size) {
  const std::uint32_t rows = bin_of(size) / kBinsInRow + 1;
  if (rows <= row_count_) return true;
  const std::uint32_t words = rows * (1 + kBinsInRow);
  std::uint32_t* bins_occupied = base::allocate_storage<std::uint32_t>(nodes_.host(), words);
  if (bins_occupied == nullptr) return false;
  std::uint32_t* first = bins_occupied + rows;
  std::fill(std::copy_n(bins_occupied_, row_count_, bins_occupied), first, 0u);
  std::fill(std::copy_n(first_, row_count_ * kBinsInRow, first), bins_occupied + words, kEnd);
  base::release_storage(nodes_.host(), bins_occupied_);
  bins_occupied_ = bins_occupied;
  first_ = first;
  row_count_ = rows;
  return true;
}

// The highest bin that has ranges and is not above `bin`, else kNoBin.
std::uint32_t TlsfState::bin_at_or_below(std::uint32_t bin) const {
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

TlsfState::Place TlsfState::find_further(const OffsetRequest& request) {
  switch (request.strategy) {
    case OffsetStrategy::min_offset:
      return find_lowest(request);
    case OffsetStrategy::min_memory:
      return search<true>(request);
    default:
      return search<false>(request);
  }
}

template <bool tightest>
TlsfState::Place TlsfState::search(const OffsetRequest& request) {
  const std::uint32_t exact = bin_of(request.size);
  std::uint64_t padded = ~std::uint64_t{0};
  (void)base::checked_add(request.size, request.alignment - 1, padded);
  // Ranges in bins above `unsure` fit for certain, those from `exact` to there have to be looked
  // at.
  const std::uint32_t unsure = std::min(bin_of(padded), row_count_ * kBinsInRow - 1);

  Place place;
  std::uint32_t budget = kTightProbes;
  if (tightest && look<true>(request, exact, budget, place)) return place;
  std::uint32_t bin = exact;
  if (request.strategy != OffsetStrategy::min_time) {
    budget = kUnsureProbes;
    for (bin = bin_above(exact); bin <= unsure && budget > 0; bin = bin_above(bin)) {
      if (look<tightest>(request, bin, budget, place)) return place;
    }
  }
  if (bin <= unsure) bin = bin_above(unsure);
  if (bin != kNoBin) {
    budget = tightest ? kTightProbes : 1;
    (void)look<tightest>(request, bin, budget, place);
    return place;
  }
  budget = kLastProbes;
  bin = bin_at_or_below(unsure);
  while (bin != kNoBin && bin >= exact && budget > 0) {
    if (look<tightest>(request, bin, budget, place)) return place;
    bin = bin_at_or_below(bin - 1);
  }
  return place;
}

// Looks for a place in one bin, the tightest if so asked, until the budget is spent.
template <bool tightest>
inline bool TlsfState::look(const OffsetRequest& request, std::uint32_t bin, std::uint32_t& budget,
                            Place& place) {
  std::uint64_t front = 0;
  for (std::uint32_t index = first_[bin]; index != kEnd && budget > 0; --budget) {
    ++ranges_examined_;
    Node& node = nodes_[index];
    if (fits(node, request, front) && (place.node == nullptr || node.size < place.node->size)) {
      place = {&node, front, index, bin};
      if (!tightest) return true;
    }
    index = node.list_next;
  }
  return place.node != nullptr;
}

// Calls visitor(index, node, bin) for each free range in the bins above `bin`, in ascending bins.
template <class Visitor>
void TlsfState::for_each_free_above(std::uint32_t bin, Visitor&& visitor) const {
  for (bin = bin_above(bin); bin != kNoBin; bin = bin_above(bin)) {
    for (std::uint32_t index = first_[bin]; index != kEnd; index = nodes_[index].list_next) {
      visitor(index, nodes_[index], bin);
    }
  }
}

TlsfState::Place TlsfState::find_lowest(const OffsetRequest& request) {
  Place best;
  std::uint64_t lowest = 0;
  for_each_free_above(bin_of(request.size) - 1,
                      [&](std::uint32_t index, const Node& node, std::uint32_t bin) {
                        ++ranges_examined_;
                        std::uint64_t front = 0;
                        if (!fits(node, request, front)) return;
                        if (best.node != nullptr && node.offset + front >= lowest) return;
                        best = {&nodes_[index], front, index, bin};
                        lowest = node.offset + front;
                      });
  return best;
}

TlsfState::Place TlsfState::find_at(std::uint64_t offset, std::uint64_t size, OffsetHandle before) {
  std::uint32_t index = find_live(before);
  if (index == kNoNode || nodes_[index].offset > offset) index = nodes_[kEnd].next;
  while (index != kEnd && nodes_[nodes_[index].next].offset <= offset)
    index = nodes_[index].next;
  Node& node = nodes_[index];
  if (index == kEnd || !node.is_free() || size > node.size ||
      offset - node.offset > node.size - size)
    return {};
  return {&node, offset - node.offset, index, bin_of(node.size)};
}

OffsetRange TlsfState::range(std::uint32_t index) const {
  const Node& node = nodes_[index];
  if (node.is_free()) return {node.offset, node.size, {}, 0};
  return {node.offset, nodes_[node.next].offset - node.offset, nodes_.handle_of(index), node.user};
}

void TlsfState::add_free_ranges(OffsetStatistics& statistics, std::uint64_t) const {
  for_each_free_above(0, [&](std::uint32_t, const Node& node, std::uint32_t) {
    ++statistics.free_range_count;
    statistics.largest_free = std::max(statistics.largest_free, node.size);
  });
}

void TlsfState::for_each_range(std::uint64_t, OffsetRangeVisitor visitor, void* context) const {
  for (std::uint32_t index = nodes_[kEnd].next; index != kEnd; index = nodes_[index].next) {
    visitor(context, range(index));
  }
}

bool TlsfState::validate(std::uint64_t size, std::uint64_t free_bytes,
                         std::uint32_t allocations) const {
  std::uint64_t end = 0;
  std::uint64_t free_seen = 0;
  std::uint32_t free_ranges = 0;
  std::uint32_t live_ranges = 0;
  std::uint32_t previous = kEnd;
  for (std::uint32_t index = nodes_[kEnd].next; index != kEnd; index = nodes_[index].next) {
    const Node& node = nodes_[index];
    const std::uint64_t next_begin = nodes_[node.next].offset;
    if (node.offset != end || next_begin <= end || node.previous != previous) return false;
    if (node.is_free()) {
      if (nodes_[previous].is_free() || node.size != next_begin - end) return false;
      free_seen += node.size;
      ++free_ranges;
    } else {
      if (node.serial() == 0) return false;
      ++live_ranges;
    }
    end = next_begin;
    previous = index;
  }
  const Node& last = nodes_[kEnd];
  return end == size && last.offset == size && last.previous == previous && !last.is_free() &&
         free_seen == free_bytes && live_ranges == allocations &&
         nodes_.used_count() == free_ranges + live_ranges + 1 && validate_bins(free_ranges);
}

bool TlsfState::validate_bins(std::uint32_t free_ranges) const {
  for (std::uint32_t row = 0; row < row_count_; ++row) {
    const bool occupied = (rows_occupied_ >> row & 1) != 0;
    if (occupied != (bins_occupied_[row] != 0)) return false;
  }
  std::uint32_t linked = 0;
  for (std::uint32_t bin = 0; bin < row_count_ * kBinsInRow; ++bin) {
    const bool occupied = (bins_occupied_[bin / kBinsInRow] >> bin % kBinsInRow & 1) != 0;
    if (occupied != (first_[bin] != kEnd)) return false;
    std::uint32_t previous = kEnd;
    for (std::uint32_t index = first_[bin]; index != kEnd; index = nodes_[index].list_next) {
      const Node& node = nodes_[index];
      if (!node.is_free() || bin_of(node.size) != bin || node.list_previous != previous)
        return false;
      previous = index;
      if (++linked > free_ranges) return false;
    }
  }
  return linked == free_ranges;
}

}  // namespace quarry::offset
