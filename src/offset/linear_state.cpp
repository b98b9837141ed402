// SPDX-License-Identifier: MIT
#include "offset/linear_state.hpp"

#include <algorithm>

#include "base/bits.hpp"

namespace quarry::offset {

namespace {

// The first aligned offset in [begin, end) with room for the request; false when there is none.
bool fit_ascending(std::uint64_t begin, std::uint64_t end, const OffsetRequest& request,
                   std::uint64_t& offset) {
  return base::checked_align_up(begin, request.alignment, offset) && offset <= end &&
         end - offset >= request.size;
}

}  // namespace

LinearState::Place LinearState::find(const OffsetRequest& request, std::uint64_t size) const {
  const std::uint64_t main_end = end_of(main_list_);
  const std::uint64_t limit = upper_begin(size);
  if (request.upper) {
    if (limit < request.size) return {};
    const std::uint64_t offset = base::align_down(limit - request.size, request.alignment);
    return offset >= main_end ? Place{End::upper, offset} : Place{};
  }
  // Once round, the ring stays before the oldest ranges while it can, so that frees in order keep
  // making room ahead of it.
  const bool round = !is_empty(front_list());
  for (const bool front : {round, !round}) {
    Place place{front ? End::front : End::main, 0};
    const std::uint64_t begin = front ? end_of(front_list()) : main_end;
    const std::uint64_t end = front ? front_limit() : limit;
    if (fit_ascending(begin, end, request, place.offset)) return place;
  }
  return {};
}

std::uint64_t LinearState::largest_free(std::uint64_t size) const {
  const std::uint64_t behind = upper_begin(size) - end_of(main_list_);
  const std::uint64_t front_end = end_of(front_list());
  return front_limit() > front_end ? std::max(behind, front_limit() - front_end) : behind;
}

OffsetAllocation LinearState::take(const Place& place, const OffsetRequest& request,
                                   std::uint32_t serial) {
  const std::uint32_t index = nodes_.acquire();
  Node& node = nodes_[index];
  node.offset = place.offset;
  node.size = request.size;
  node.user = request.user;
  node.serial_number = serial;
  append(list_of(place.end), index);
  return {place.offset, nodes_.handle_of(index)};
}

std::uint64_t LinearState::give_back(std::uint32_t index) {
  const std::uint64_t bytes = nodes_[index].size;
  remove(index);
  nodes_.release(index);
  if (is_empty(main_list_)) main_list_ = front_list();
  return bytes;
}

std::uint32_t LinearState::list_of(End end) const {
  if (end == End::upper) return kUpperList;
  return end == End::main ? main_list_ : front_list();
}

// Of the main or the front list.
std::uint64_t LinearState::end_of(std::uint32_t list) const {
  if (is_empty(list)) return 0;
  const Node& last = nodes_[lists_[list].last];
  return last.offset + last.size;
}

// Where the space before the main list ends: nowhere while that is empty.
std::uint64_t LinearState::front_limit() const {
  return is_empty(main_list_) ? 0 : nodes_[lists_[main_list_].first].offset;
}

std::uint64_t LinearState::upper_begin(std::uint64_t size) const {
  return is_empty(kUpperList) ? size : nodes_[lists_[kUpperList].last].offset;
}

void LinearState::append(std::uint32_t list, std::uint32_t index) {
  List& ends = lists_[list];
  Node& node = nodes_[index];
  node.list = list;
  node.previous = ends.last;
  node.next = kNoNode;
  (ends.last == kNoNode ? ends.first : nodes_[ends.last].next) = index;
  ends.last = index;
}

void LinearState::remove(std::uint32_t index) {
  const Node& node = nodes_[index];
  List& ends = lists_[node.list];
  (node.previous == kNoNode ? ends.first : nodes_[node.previous].next) = node.next;
  (node.next == kNoNode ? ends.last : nodes_[node.next].previous) = node.previous;
}

OffsetRange LinearState::range(std::uint32_t index) const {
  const Node& node = nodes_[index];
  return {node.offset, node.size, nodes_.handle_of(index), node.user};
}

void LinearState::for_each_range(std::uint64_t size, OffsetRangeVisitor visitor,
                                 void* context) const {
  std::uint64_t end = 0;
  const auto report = [&](std::uint32_t index) {
    const OffsetRange live = range(index);
    if (live.offset > end) visitor(context, {end, live.offset - end, {}, 0});
    visitor(context, live);
    end = live.offset + live.size;
  };
  for (const std::uint32_t list : {front_list(), main_list_}) {
    for (std::uint32_t index = lists_[list].first; index != kNoNode; index = nodes_[index].next) {
      report(index);
    }
  }
  for (std::uint32_t index = lists_[kUpperList].last; index != kNoNode;
       index = nodes_[index].previous) {
    report(index);
  }
  if (size > end) visitor(context, {end, size - end, {}, 0});
}

bool LinearState::validate(std::uint64_t size, std::uint64_t free_bytes,
                           std::uint32_t allocations) const {
  if (is_empty(main_list_) && !is_empty(front_list())) return false;
  std::uint32_t live_ranges = 0;
  std::uint64_t live_bytes = 0;
  std::uint64_t end = 0;
  for (const std::uint32_t list : {front_list(), main_list_, kUpperList}) {
    const bool descending = list == kUpperList;
    std::uint32_t before = kNoNode;
    std::uint32_t index = descending ? lists_[list].last : lists_[list].first;
    for (; index != kNoNode; index = descending ? nodes_[index].previous : nodes_[index].next) {
      const Node& node = nodes_[index];
      if (node.serial() == 0 || node.list != list || node.size == 0 || node.offset < end)
        return false;
      if ((descending ? node.next : node.previous) != before) return false;
      if (node.offset > size || size - node.offset < node.size) return false;
      end = node.offset + node.size;
      live_bytes += node.size;
      ++live_ranges;
      before = index;
    }
    if (before != (descending ? lists_[list].first : lists_[list].last)) return false;
  }
  return live_ranges == allocations && nodes_.used_count() == allocations &&
         live_bytes == size - free_bytes;
}

}  // namespace quarry::offset
