// SPDX-License-Identifier: MIT
#include "plan/pending_frees.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/bits.hpp"

namespace quarry::plan {

namespace {

constexpr std::uint32_t kBuckets = 512;
/// Of a request at most so large a part is wasted where it follows early.
constexpr std::uint64_t kWastePart = 8;
constexpr std::uint32_t kMostProbes = 16;

/// Sizes that share a bucket: four to a power of two.
std::uint64_t size_step(std::uint64_t size) {
  const std::uint32_t order = base::floor_log2(size);
  const std::uint64_t quarter = order < 2 ? 0 : size >> (order - 2) & 3;
  return std::uint64_t{order} * 4 + quarter;
}

std::uint32_t bucket_number(std::uint64_t key) {
  return static_cast<std::uint32_t>((key * 0x9E37'79B9'7F4A'7C15u) >> 32) % kBuckets;
}

std::uint32_t place_bucket(std::uint64_t place, std::uint64_t step) {
  return bucket_number(place ^ step << 56 ^ step << 3);
}

}  // namespace

// ---- Nodes

bool PendingFrees::reserve(std::uint32_t count) {
  for (base::HostArray<List>* buckets : {&place_buckets_, &debt_buckets_}) {
    if (buckets->empty() && !buckets->resize(kBuckets)) return false;
  }
  while (unused_count_ < count) {
    const std::uint32_t node = nodes_.size();
    Node* const made = nodes_.emplace_back();
    if (made == nullptr) return false;
    made->later = unused_;
    unused_ = node;
    ++unused_count_;
  }
  return true;
}

std::uint32_t PendingFrees::take_node() {
  QUARRY_ASSERT(unused_ != kNone);
  const std::uint32_t node = unused_;
  unused_ = nodes_[node].later;
  --unused_count_;
  nodes_[node] = Node{};
  ++figures_.count;
  return node;
}

void PendingFrees::drop(std::uint32_t node) {
  nodes_[node].later = unused_;
  unused_ = node;
  ++unused_count_;
  --figures_.count;
}

// ---- Timelines

std::uint32_t PendingFrees::timeline_of(std::uint64_t id) const {
  for (std::uint32_t i = 0; i < kMostTimelines; ++i) {
    if (timelines_[i].points != 0 && timelines_[i].id == id) return i;
  }
  return kNone;
}

bool PendingFrees::has_room_for(std::uint64_t timeline) const {
  return figures_.timelines < kMostTimelines || timeline_of(timeline) != kNone;
}

std::uint32_t PendingFrees::timeline_for(std::uint64_t id) {
  const std::uint32_t known = timeline_of(id);
  if (known != kNone) return known;
  auto* const unused = std::find_if(std::begin(timelines_), std::end(timelines_),
                                    [](const Timeline& other) { return other.points == 0; });
  QUARRY_ASSERT(unused != std::end(timelines_));
  *unused = Timeline{};
  unused->id = id;
  return static_cast<std::uint32_t>(unused - timelines_);
}

void PendingFrees::count_point(const UsePoint& point) {
  Timeline& timeline = timelines_[timeline_for(point.timeline)];
  if (timeline.points++ == 0) ++figures_.timelines;
}

void PendingFrees::uncount_points(const UsePoints& points) {
  for (const UsePoint& point : points) {
    Timeline& timeline = timelines_[timeline_of(point.timeline)];
    if (--timeline.points == 0) --figures_.timelines;
  }
}

bool PendingFrees::next_timeline(std::uint32_t& index, std::uint64_t& timeline) const {
  while (index < kMostTimelines) {
    const Timeline& next = timelines_[index++];
    if (next.points == 0) continue;
    timeline = next.id;
    return true;
  }
  return false;
}

std::uint64_t PendingFrees::value_awaited(const Node& node) const {
  std::uint64_t value = 0;
  for (const UsePoint& point : node.free.points) {
    if (point.timeline == timelines_[node.timeline].id) value = std::max(value, point.value);
  }
  return value;
}

void PendingFrees::observe(std::uint64_t id, std::uint64_t value, std::uint64_t now) {
  const std::uint32_t index = timeline_of(id);
  if (index == kNone) return;
  Timeline& timeline = timelines_[index];
  if (value > timeline.value) {
    timeline.value = value;
    timeline.moved_at = now;
    timeline.told = false;
  }
  for (std::uint32_t node = timeline.list.first;
       node != kNone && value_awaited(nodes_[node]) <= timeline.value; node = timeline.list.first) {
    unlist(node);
    wait_or_be_ready(node);
  }
}

/// Files a node that is in no list under the first point that is not known to be reached.
void PendingFrees::wait_or_be_ready(std::uint32_t index) {
  Node& node = nodes_[index];
  drop_reached(node);
  if (node.free.points.count() == 0) {
    node.timeline = kNone;
    if (node.state == State::debt) {
      leave_bucket(index);
      drop(index);
      return;
    }
    node.state = State::ready;
    append(ready_, index, ready_.last);
    return;
  }
  node.timeline = timeline_of(node.free.points[0].timeline);
  List& list = timelines_[node.timeline].list;
  const std::uint64_t value = value_awaited(node);
  std::uint32_t after = list.last;
  while (after != kNone && value_awaited(nodes_[after]) > value)
    after = nodes_[after].earlier;
  append(list, index, after);
}

void PendingFrees::append(List& list, std::uint32_t index, std::uint32_t after) {
  Node& node = nodes_[index];
  node.earlier = after;
  node.later = after == kNone ? list.first : nodes_[after].later;
  (node.earlier == kNone ? list.first : nodes_[node.earlier].later) = index;
  (node.later == kNone ? list.last : nodes_[node.later].earlier) = index;
}

void PendingFrees::unlist(std::uint32_t index) {
  Node& node = nodes_[index];
  List& list = node.timeline == kNone ? ready_ : timelines_[node.timeline].list;
  (node.earlier == kNone ? list.first : nodes_[node.earlier].later) = node.later;
  (node.later == kNone ? list.last : nodes_[node.later].earlier) = node.earlier;
}

void PendingFrees::drop_reached(Node& node) {
  const UsePoints left = left_of(node.free.points);
  if (left.count() == node.free.points.count()) return;
  // In this order, so that a timeline that stays is not forgotten in between.
  for (const UsePoint& point : left)
    count_point(point);
  uncount_points(node.free.points);
  node.free.points = left;
}

UsePoints PendingFrees::left_of(const UsePoints& points) const {
  UsePoints left = points;
  for (const UsePoint& point : points)
    left.reach(point.timeline, timelines_[timeline_of(point.timeline)].value);
  return left;
}

// ---- Buckets

PendingFrees::List& PendingFrees::bucket_of(const Node& node) {
  if (node.state == State::debt) return debt_buckets_[bucket_number(node.free.handle)];
  return place_buckets_[place_bucket(node.free.place, size_step(node.free.size))];
}

void PendingFrees::enter_bucket(std::uint32_t index) {
  Node& node = nodes_[index];
  List& list = bucket_of(node);
  node.before = list.last;
  node.after = kNone;
  (list.last == kNone ? list.first : nodes_[list.last].after) = index;
  list.last = index;
}

void PendingFrees::leave_bucket(std::uint32_t index) {
  Node& node = nodes_[index];
  List& list = bucket_of(node);
  (node.before == kNone ? list.first : nodes_[node.before].after) = node.after;
  (node.after == kNone ? list.last : nodes_[node.after].before) = node.before;
}

std::uint32_t PendingFrees::find_debt(std::uint64_t handle) const {
  if (debt_buckets_.empty()) return kNone;
  std::uint32_t node = debt_buckets_[bucket_number(handle)].first;
  while (node != kNone && nodes_[node].free.handle != handle)
    node = nodes_[node].after;
  return node;
}

// ---- Freeing

void PendingFrees::stage(const PendingFree& free) {
  const std::uint32_t node = take_node();
  nodes_[node].free = free;
  nodes_[node].earlier = staged_;
  staged_ = node;
  figures_.frees += free.handle != 0 ? 1 : 0;
  figures_.bytes += free.size;
}

bool PendingFrees::unstage(PendingFree& free) {
  if (staged_ == kNone) return false;
  const std::uint32_t node = staged_;
  staged_ = nodes_[node].earlier;
  free = nodes_[node].free;
  figures_.frees -= free.handle != 0 ? 1 : 0;
  figures_.bytes -= free.size;
  drop(node);
  return true;
}

void PendingFrees::file_staged(std::uint64_t now) {
  // The order of staging is found again by turning the list round.
  std::uint32_t first = kNone;
  while (staged_ != kNone) {
    const std::uint32_t node = staged_;
    staged_ = nodes_[node].earlier;
    nodes_[node].later = first;
    first = node;
  }
  while (first != kNone) {
    const std::uint32_t node = first;
    first = nodes_[node].later;
    const std::uint32_t debt = find_debt(nodes_[node].free.handle);
    if (debt != kNone) {
      const bool joined = nodes_[node].free.points.add(nodes_[debt].free.points);
      QUARRY_CHECK(joined);
      // Its timelines stay counted until those of both are.
      file(node, now);
      PendingFree owed;
      remove(debt, owed);
    } else {
      file(node, now);
    }
  }
}

void PendingFrees::file(std::uint32_t index, std::uint64_t now) {
  Node& node = nodes_[index];
  node.since = now;
  node.state = State::waiting;
  for (const UsePoint& point : node.free.points) {
    count_point(point);
    Timeline& timeline = timelines_[timeline_of(point.timeline)];
    if (timeline.list.first == kNone) timeline.moved_at = std::max(timeline.moved_at, now);
  }
  if (node.free.place != 0) enter_bucket(index);
  wait_or_be_ready(index);
}

/// Takes a filed node out of every list.
void PendingFrees::remove(std::uint32_t index, PendingFree& free) {
  Node& node = nodes_[index];
  unlist(index);
  if (node.state == State::debt || node.free.place != 0) leave_bucket(index);
  uncount_points(node.free.points);
  if (node.state != State::debt) {
    figures_.frees -= node.free.handle != 0 ? 1 : 0;
    figures_.bytes -= node.free.size;
  }
  free = node.free;
  drop(index);
}

bool PendingFrees::take_ready(PendingFree& free) {
  if (ready_.first == kNone) return false;
  remove(ready_.first, free);
  return true;
}

bool PendingFrees::take_any(PendingFree& free) {
  if (take_ready(free)) return true;
  for (Timeline& timeline : timelines_) {
    if (timeline.points == 0 || timeline.list.first == kNone) continue;
    remove(timeline.list.first, free);
    return true;
  }
  return false;
}

// ---- Following early

std::uint32_t PendingFrees::find(const ReuseRequest& request, const ReuseRule& rule,
                                 ReuseOrder& order, std::uint32_t& fitting) const {
  fitting = kNone;
  if (place_buckets_.empty()) return kNone;
  const std::uint64_t most = request.size + request.size / kWastePart;
  const std::uint64_t last_step = size_step(most);
  std::uint32_t probes = kMostProbes;
  for (std::uint64_t step = size_step(request.size); step <= last_step; ++step) {
    std::uint32_t node = place_buckets_[place_bucket(request.place, step)].first;
    for (; node != kNone && probes > 0; node = nodes_[node].after, --probes) {
      const PendingFree& free = nodes_[node].free;
      if (free.place != request.place || free.size < request.size || free.size > most ||
          !base::is_aligned(free.offset, request.alignment))
        continue;
      const UsePoints left = left_of(free.points);
      order = decide(left, rule);
      if (order.allowed) return node;
      if (fitting == kNone && !left.full()) fitting = node;
    }
  }
  return kNone;
}

bool PendingFrees::take_over(std::uint32_t index, std::uint64_t new_handle, PendingFree& free) {
  Node& node = nodes_[index];
  // What it waits for longest on its timeline is not reached, so that its place in the list stays.
  drop_reached(node);
  free = node.free;
  leave_bucket(index);
  figures_.frees -= 1;
  figures_.bytes -= free.size;
  if (free.resource != 0) {
    node.free.handle = 0;
    node.free.place = 0;
    node.free.size = 0;
  }
  const bool owes = free.points.count() != 0;
  if (owes) {
    std::uint32_t debt = index;
    if (free.resource != 0) {
      debt = take_node();
      nodes_[debt].since = node.since;
      nodes_[debt].free.points = free.points;
      for (const UsePoint& point : free.points)
        count_point(point);
    }
    Node& owed = nodes_[debt];
    owed.state = State::debt;
    owed.free.handle = new_handle;
    owed.free.resource = 0;
    owed.free.place = 0;
    owed.free.size = 0;
    enter_bucket(debt);
    if (debt != index) wait_or_be_ready(debt);
  } else if (free.resource == 0) {
    unlist(index);
    drop(index);
  }
  return owes;
}

bool PendingFrees::free_debtor(const PendingFree& free) {
  const std::uint32_t index = find_debt(free.handle);
  if (index == kNone) return false;
  Node& node = nodes_[index];
  leave_bucket(index);
  const UsePoints owed = node.free.points;
  node.free = free;
  node.free.points = owed;
  node.state = State::waiting;
  figures_.frees += 1;
  figures_.bytes += free.size;
  if (free.place != 0) enter_bucket(index);
  return true;
}

UsePoints PendingFrees::debt_of(std::uint64_t handle) const {
  const std::uint32_t debt = find_debt(handle);
  return debt == kNone ? UsePoints{} : left_of(nodes_[debt].free.points);
}

// ---- Figures

bool PendingFrees::is_stalled(const Timeline& timeline, std::uint64_t now, std::uint64_t patience) {
  return timeline.points != 0 && timeline.list.first != kNone && now > timeline.moved_at &&
         now - timeline.moved_at >= patience;
}

std::uint32_t PendingFrees::stalled(std::uint64_t now, std::uint64_t patience) const {
  return static_cast<std::uint32_t>(
      std::count_if(std::begin(timelines_), std::end(timelines_),
                    [&](const Timeline& timeline) { return is_stalled(timeline, now, patience); }));
}

bool PendingFrees::tell_stall(std::uint64_t now, std::uint64_t patience, Stall& stall) {
  for (Timeline& timeline : timelines_) {
    if (timeline.told || !is_stalled(timeline, now, patience)) continue;
    timeline.told = true;
    stall = {timeline.id, timeline.value, value_awaited(nodes_[timeline.list.first]),
             timeline.moved_at};
    return true;
  }
  return false;
}

bool PendingFrees::earliest(std::uint32_t heap, UsePoint& point) const {
  std::uint64_t since = ~std::uint64_t{0};
  bool found = false;
  for (const Timeline& timeline : timelines_) {
    if (timeline.points == 0) continue;
    for (std::uint32_t i = timeline.list.first; i != kNone; i = nodes_[i].later) {
      const Node& node = nodes_[i];
      const PendingFree& free = node.free;
      if (node.state != State::waiting || free.handle == 0 || free.heap != heap ||
          free.points.count() != 1)
        continue;
      if (!found || node.since < since) {
        found = true;
        since = node.since;
        point = free.points[0];
      }
      break;
    }
  }
  return found;
}

}  // namespace quarry::plan
