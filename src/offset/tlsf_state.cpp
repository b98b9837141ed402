// SPDX-License-Identifier: MIT
#include "offset/tlsf_state.hpp"

#include <algorithm>
#include <new>

#include "base/bits.hpp"
#include "base/host_object.hpp"

namespace quarry {

using offset::kNoNode;

namespace {

// Ranges that a search may look at: in the bin of the size itself; in the bins whose ranges fit or
// not by their alignment; and once more, largest first, when the alternative is to answer
// out_of_space. A tightest fit may look at more.
constexpr std::uint32_t kExactProbes = 4;
constexpr std::uint32_t kUnsureProbes = 4;
constexpr std::uint32_t kLastProbes = 32;
constexpr std::uint32_t kTightProbes = 32;
static_assert(kTightProbes + kUnsureProbes + std::max(kTightProbes, kLastProbes) <=
              Tlsf::kMaxRangesExamined);

}  // namespace

Tlsf::State::~State() {
  base::release_storage(nodes_.host(), rows_);
}

bool Tlsf::State::start(std::uint64_t size) {
  if (!nodes_.reserve(1) || !make_rows(size)) return false;
  const std::uint32_t index = nodes_.acquire();
  QUARRY_ASSERT(index == kFirstNode);
  nodes_[index].size = size;
  nodes_[index].next = kNoNode;
  link_free(index);
  return true;
}

bool Tlsf::State::make_rows(std::uint64_t size) {
  const std::uint32_t needed = class_of(size);
  if (needed <= row_count_) return true;
  Row* rows = base::allocate_storage<Row>(nodes_.host(), needed);
  if (rows == nullptr) return false;
  for (std::uint32_t i = 0; i < needed; ++i) {
    ::new (static_cast<void*>(rows + i)) Row(i < row_count_ ? rows_[i] : Row{});
  }
  base::release_storage(nodes_.host(), rows_);
  rows_ = rows;
  row_count_ = needed;
  return true;
}

// Monotonic in size; sizes up to 63 have a bin each.
std::uint32_t Tlsf::State::bin_of(std::uint64_t size) {
  static_assert(kBinsInRow == 32);
  const std::uint32_t shift = base::floor_log2(size | kBinsInRow) - 5;
  return shift * kBinsInRow + static_cast<std::uint32_t>(size >> shift);
}

std::uint32_t Tlsf::State::bin_at_or_above(std::uint32_t bin) const {
  std::uint32_t row = bin / kBinsInRow;
  if (row >= row_count_) return kNoBin;
  std::uint32_t occupied = rows_[row].occupied & (~0u << (bin % kBinsInRow));
  if (occupied == 0) {
    const std::uint64_t above = row_occupied_ & (~std::uint64_t{1} << row);
    if (above == 0) return kNoBin;
    row = base::lowest_bit(above);
    occupied = rows_[row].occupied;
  }
  return row * kBinsInRow + base::lowest_bit(occupied);
}

std::uint32_t Tlsf::State::bin_at_or_below(std::uint32_t bin) const {
  bin = std::min(bin, row_count_ * kBinsInRow - 1);
  std::uint32_t row = bin / kBinsInRow;
  std::uint32_t occupied = rows_[row].occupied & (~0u >> (kBinsInRow - 1 - bin % kBinsInRow));
  if (occupied == 0) {
    const std::uint64_t below = row_occupied_ & ((std::uint64_t{1} << row) - 1);
    if (below == 0) return kNoBin;
    row = base::highest_bit(below);
    occupied = rows_[row].occupied;
  }
  return row * kBinsInRow + base::highest_bit(occupied);
}

Tlsf::State::Place Tlsf::State::find(const OffsetRequest& request) {
  const std::uint32_t exact = bin_of(request.size);
  std::uint64_t padded = ~std::uint64_t{0};
  (void)base::checked_add(request.size, request.alignment - 1, padded);
  // Ranges in bins above `unsure` fit for certain, those from `exact` to `unsure` have to be looked
  // at.
  const std::uint32_t unsure = bin_of(padded);
  if (request.strategy == OffsetStrategy::min_offset) return find_lowest(request, exact);

  Search search{request, {}, 0, request.strategy == OffsetStrategy::min_memory};
  if (request.strategy != OffsetStrategy::min_time) {
    std::uint32_t budget = search.tightest ? kTightProbes : kExactProbes;
    look(search, exact, budget);
    budget = kUnsureProbes;
    for (std::uint32_t bin = exact; search.best.node == kNoNode && budget > 0;) {
      bin = bin_at_or_above(bin + 1);
      if (bin > unsure) break;
      look(search, bin, budget);
    }
    if (search.best.node != kNoNode) return search.best;
  }
  if (const std::uint32_t sure = bin_at_or_above(unsure + 1); sure != kNoBin) {
    std::uint32_t budget = search.tightest ? kTightProbes : 1;
    look(search, sure, budget);
    return search.best;
  }
  std::uint32_t budget = kLastProbes;
  std::uint32_t bin = bin_at_or_below(unsure);
  while (bin != kNoBin && bin >= exact) {
    look(search, bin, budget);
    if (search.best.node != kNoNode || budget == 0 || bin == 0) break;
    bin = bin_at_or_below(bin - 1);
  }
  return search.best;
}

void Tlsf::State::look(Search& search, std::uint32_t bin, std::uint32_t& budget) {
  const Row& row = rows_[bin / kBinsInRow];
  if ((row.occupied & (1u << (bin % kBinsInRow))) == 0) return;
  std::uint32_t index = row.first[bin % kBinsInRow];
  while (index != kNoNode && budget > 0) {
    --budget;
    ++ranges_examined_;
    const Node& node = nodes_[index];
    std::uint64_t offset = 0;
    if (place_in(node, search.request, offset) &&
        (search.best.node == kNoNode || node.size < search.best_size)) {
      search.best = {index, offset};
      search.best_size = node.size;
      if (!search.tightest) return;
    }
    index = node.bin.next;
  }
}

Tlsf::State::Place Tlsf::State::find_lowest(const OffsetRequest& request,
                                            std::uint32_t lowest_bin) {
  Place best;
  for (std::uint32_t bin = bin_at_or_above(lowest_bin); bin != kNoBin;
       bin = bin_at_or_above(bin + 1)) {
    for (std::uint32_t index = first_in(bin); index != kNoNode; index = nodes_[index].bin.next) {
      ++ranges_examined_;
      std::uint64_t offset = 0;
      if (!place_in(nodes_[index], request, offset)) continue;
      if (best.node == kNoNode || offset < best.offset) best = {index, offset};
    }
  }
  return best;
}

bool Tlsf::State::place_in(const Node& node, const OffsetRequest& request,
                           std::uint64_t& offset) const {
  if (!base::checked_align_up(node.offset, request.alignment, offset)) return false;
  const std::uint64_t front = offset - node.offset;
  return front <= node.size && node.size - front >= request.size;
}

OffsetHandle Tlsf::State::take(const Place& place, const OffsetRequest& request,
                               std::uint32_t serial) {
  std::uint32_t index = place.node;
  unlink_free(index);
  const std::uint64_t front = place.offset - nodes_[index].offset;
  if (front != 0) {
    const std::uint64_t rest = nodes_[index].size - front;
    nodes_[index].size = front;
    link_free(index);
    index = insert_after(index, place.offset, rest);
  }
  Node& node = nodes_[index];
  const std::uint64_t tail = node.size - request.size;
  if (tail != 0) {
    node.size = request.size;
    link_free(insert_after(index, place.offset + request.size, tail));
  }
  node.serial = serial;
  node.user = request.user;
  return nodes_.handle_of(index);
}

std::uint64_t Tlsf::State::give_back(std::uint32_t index) {
  Node& node = nodes_[index];
  const std::uint64_t bytes = node.size;
  node.serial = 0;
  if (const std::uint32_t next = node.next; is_free(next)) {
    unlink_free(next);
    absorb_next(index);
  }
  if (const std::uint32_t previous = node.previous; is_free(previous)) {
    unlink_free(previous);
    absorb_next(previous);
    index = previous;
  }
  link_free(index);
  return bytes;
}

bool Tlsf::State::extend(std::uint64_t old_size, std::uint64_t new_size) {
  if (!nodes_.reserve(1) || !make_rows(new_size)) return false;
  const std::uint64_t added = new_size - old_size;
  std::uint32_t index = last_node_;
  if (is_free(index)) {
    unlink_free(index);
    nodes_[index].size += added;
  } else {
    index = insert_after(index, old_size, added);
  }
  link_free(index);
  return true;
}

void Tlsf::State::link_free(std::uint32_t index) {
  Node& node = nodes_[index];
  const std::uint32_t bin = bin_of(node.size);
  Row& row = rows_[bin / kBinsInRow];
  const std::uint32_t bit = 1u << (bin % kBinsInRow);
  std::uint32_t& first = row.first[bin % kBinsInRow];
  std::uint32_t next = kNoNode;
  if ((row.occupied & bit) != 0) {
    next = first;
    nodes_[next].bin.previous = index;
  } else {
    row.occupied |= bit;
    row_occupied_ |= std::uint64_t{1} << (bin / kBinsInRow);
  }
  node.bin = {kNoNode, next};
  first = index;
}

void Tlsf::State::unlink_free(std::uint32_t index) {
  const Links links = nodes_[index].bin;
  if (links.next != kNoNode) nodes_[links.next].bin.previous = links.previous;
  if (links.previous != kNoNode) {
    nodes_[links.previous].bin.next = links.next;
    return;
  }
  const std::uint32_t bin = bin_of(nodes_[index].size);
  Row& row = rows_[bin / kBinsInRow];
  row.first[bin % kBinsInRow] = links.next;
  if (links.next != kNoNode) return;
  row.occupied &= ~(1u << (bin % kBinsInRow));
  if (row.occupied == 0) row_occupied_ &= ~(std::uint64_t{1} << (bin / kBinsInRow));
}

std::uint32_t Tlsf::State::insert_after(std::uint32_t index, std::uint64_t offset,
                                        std::uint64_t size) {
  const std::uint32_t added = nodes_.acquire();
  Node& node = nodes_[added];
  node.offset = offset;
  node.size = size;
  node.previous = index;
  node.next = nodes_[index].next;
  nodes_[index].next = added;
  if (node.next != kNoNode) {
    nodes_[node.next].previous = added;
  } else {
    last_node_ = added;
  }
  return added;
}

void Tlsf::State::absorb_next(std::uint32_t index) {
  Node& node = nodes_[index];
  const std::uint32_t absorbed = node.next;
  node.size += nodes_[absorbed].size;
  node.next = nodes_[absorbed].next;
  if (node.next != kNoNode) {
    nodes_[node.next].previous = index;
  } else {
    last_node_ = index;
  }
  nodes_.release(absorbed);
}

OffsetRange Tlsf::State::range(std::uint32_t index) const {
  const Node& node = nodes_[index];
  if (node.serial == 0) return {node.offset, node.size, {}, 0};
  return {node.offset, node.size, nodes_.handle_of(index), node.user};
}

std::uint32_t Tlsf::State::largest_free_class() const {
  return static_cast<std::uint32_t>(std::bit_width(row_occupied_));
}

void Tlsf::State::add_free_ranges(OffsetStatistics& statistics) const {
  for (std::uint32_t bin = bin_at_or_above(0); bin != kNoBin; bin = bin_at_or_above(bin + 1)) {
    for (std::uint32_t index = first_in(bin); index != kNoNode; index = nodes_[index].bin.next) {
      ++statistics.free_range_count;
      statistics.largest_free = std::max(statistics.largest_free, nodes_[index].size);
    }
  }
}

void Tlsf::State::for_each_range(OffsetRangeVisitor visitor, void* context) const {
  for (std::uint32_t index = kFirstNode; index != kNoNode; index = nodes_[index].next) {
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
  for (std::uint32_t index = kFirstNode; index != kNoNode; index = nodes_[index].next) {
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
    const bool occupied = (row_occupied_ >> row & 1) != 0;
    if (occupied != (rows_[row].occupied != 0)) return false;
  }
  for (std::uint32_t bin = bin_at_or_above(0); bin != kNoBin; bin = bin_at_or_above(bin + 1)) {
    std::uint32_t previous = kNoNode;
    for (std::uint32_t index = first_in(bin); index != kNoNode; index = nodes_[index].bin.next) {
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
