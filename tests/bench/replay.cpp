// SPDX-License-Identifier: MIT
#include "bench/replay.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "bench/clock.hpp"

namespace quarry::bench {

namespace {

constexpr std::uint64_t kSamples = 400;

Allocator make_allocator(AllocatorDesc desc, std::uint64_t& milliseconds) {
  desc.clock = [](void* user) { return *static_cast<std::uint64_t*>(user); };
  desc.clock_user = &milliseconds;
  auto allocator = Allocator::create(desc);
  if (!allocator) {
    std::fprintf(stderr, "the allocator was refused: %s\n", to_string(allocator.error().reason));
    std::abort();
  }
  return std::move(*allocator);
}

std::uint64_t count_frames(const Trace& trace) {
  return static_cast<std::uint64_t>(
      std::count_if(trace.events.begin(), trace.events.end(),
                    [](const TraceEvent& event) { return event.kind == TraceEventKind::frame; }));
}

struct Live {
  std::uint64_t handle = 0;
  VkDeviceSize size = 0;
};

/// What has happened so far.
class Run {
 public:
  Run(const Trace& trace, ReplayTarget& target, const ReplayOptions& options)
      : trace_(trace),
        target_(target),
        options_(options),
        stride_(std::max<std::uint64_t>(1, count_frames(trace) / kSamples)) {}

  ReplayResult run() {
    started_ = now_ns();
    for (const TraceEvent& event : trace_.events)
      follow(event);
    stop_clock();
    take_sample(target_.held().reserved_bytes);
    const ReplayTarget::Held held = target_.held();
    result_.driver_allocations = held.driver_allocations;
    result_.driver_frees = held.driver_frees;
    result_.peak_reserved = held.peak_reserved_bytes;
    result_.seconds = static_cast<double>(nanoseconds_) * 1e-9;
    if (ratios_ != 0) result_.mean_reserved_over_live = ratio_sum_ / static_cast<double>(ratios_);
    return std::move(result_);
  }

 private:
  void stop_clock() { nanoseconds_ += now_ns() - started_; }

  void follow(const TraceEvent& event) {
    switch (event.kind) {
      case TraceEventKind::allocate:
        allocate(event);
        break;
      case TraceEventKind::free:
        free(event.id);
        break;
      case TraceEventKind::frame:
        target_.frame(event.microseconds);
        stop_clock();
        look();
        started_ = now_ns();
        break;
      case TraceEventKind::tag:
        break;
    }
  }

  void allocate(const TraceEvent& event) {
    ++result_.allocations;
    TraceEvent asked = event;
    if (!options_.keep_type_bits) asked.memory_type_bits = ~0u;
    const std::uint64_t handle = target_.allocate(asked);
    if (handle == 0) {
      ++result_.refused;
      return;
    }
    live_[event.id] = {handle, event.size};
    live_bytes_ += event.size;
    result_.peak_live = std::max(result_.peak_live, live_bytes_);
  }

  void free(std::uint64_t id) {
    const auto found = live_.find(id);
    if (found == live_.end()) return;  // was refused
    target_.free(found->second.handle);
    live_bytes_ -= found->second.size;
    live_.erase(found);
  }

  void look() {
    const VkDeviceSize reserved = target_.held().reserved_bytes;
    const std::uint64_t frame = result_.frames++;
    if (frame >= trace_.warm_up_frames && live_bytes_ != 0) {
      ratio_sum_ += static_cast<double>(reserved) / static_cast<double>(live_bytes_);
      ++ratios_;
    }
    if (frame % stride_ == 0) take_sample(reserved);
  }

  void take_sample(VkDeviceSize reserved) {
    const double fragmentation = options_.fragmentation ? target_.fragmentation() : 0.0;
    result_.samples.push_back({result_.frames, reserved, live_bytes_, fragmentation});
  }

  const Trace& trace_;
  ReplayTarget& target_;
  const ReplayOptions options_;
  const std::uint64_t stride_;
  std::unordered_map<std::uint64_t, Live> live_;
  VkDeviceSize live_bytes_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t nanoseconds_ = 0;
  double ratio_sum_ = 0;
  std::uint64_t ratios_ = 0;
  ReplayResult result_;
};

}  // namespace

QuarryTarget::QuarryTarget(AllocatorDesc desc, const MovePolicy& moves)
    : allocator_(make_allocator(desc, milliseconds_)), moves_(moves) {}

std::uint64_t QuarryTarget::allocate(const TraceEvent& event) {
  AllocationDesc desc;
  desc.intent = event.intent;
  desc.lifetime = event.lifetime;
  desc.dedicated = event.dedicated;
  desc.movable = moves_.bytes_per_frame != 0;
  if (event.size > largest_.size) largest_ = event;
  const VkMemoryRequirements requirements{event.size, event.alignment, event.memory_type_bits};
  auto allocation = allocator_.allocate(requirements, event.resource, desc);
  return allocation ? allocation->value : 0;
}

void QuarryTarget::free(std::uint64_t handle) {
  (void)allocator_.free(Allocation{handle});
}

void QuarryTarget::frame(std::uint64_t microseconds) {
  milliseconds_ = microseconds / 1000;
  allocator_.tick();
  if (moves_.bytes_per_frame != 0) move_some();
}

/// The copies are taken to be done at once: what is watched here is where everything lies.
void QuarryTarget::move_some() {
  if (!pass_ && !begin_pass()) return;
  const auto proposed = pass_.propose(moves_.bytes_per_frame, 128);
  if (proposed) {
    for (const ProposedMove& move : *proposed) {
      (void)pass_.commit(move);
      (void)allocator_.free(move.destination);  // by now the place that it left
    }
  }
  pass_.complete(0);
  if (!proposed || pass_.done()) end_pass();
}

bool QuarryTarget::begin_pass() {
  const Totals totals = allocator_.totals();
  const auto wanted = static_cast<double>(totals.allocation_bytes) * moves_.begin_above;
  DefragmentationDesc desc{.by_owner = true};
  if (static_cast<double>(totals.block_bytes) <= wanted) {
    if (largest_.size == 0) return false;
    // The next large one is to find room in the blocks that there are.
    desc.goal = DefragmentationDesc::Goal::make_room;
    desc.bytes = largest_.size;
    desc.alignment = largest_.alignment;
    desc.kind = largest_.resource;
    desc.lifetime = largest_.lifetime;
  }
  auto pass = Defragmentation::begin(allocator_, desc);
  if (pass) pass_ = std::move(*pass);
  return pass.has_value();
}

void QuarryTarget::end_pass() {
  const DefragmentationFigures figures = pass_.figures();
  moved_.moves += figures.moves;
  moved_.bytes_moved += figures.bytes_moved;
  moved_.bytes_freed += figures.bytes_freed;
  pass_ = {};
}

ReplayTarget::Held QuarryTarget::held() const {
  const Totals totals = allocator_.totals();
  const Counters counters = allocator_.counters();
  return {totals.block_bytes, totals.peak_block_bytes, totals.block_count,
          counters.driver_allocations, counters.driver_frees};
}

double QuarryTarget::fragmentation() const {
  return allocator_.detailed_statistics().fragmentation;
}

std::uint64_t ReferenceTarget::allocate(const TraceEvent& event) {
  return allocator_.allocate({event.size, event.alignment, event.memory_type_bits}, event.resource,
                             event.intent);
}

ReplayTarget::Held ReferenceTarget::held() const {
  const ReferenceTotals totals = allocator_.totals();
  return {totals.reserved_bytes, totals.peak_reserved_bytes, totals.memory_count,
          totals.driver_allocations, totals.driver_frees};
}

ReplayResult replay(const Trace& trace, ReplayTarget& target, const ReplayOptions& options) {
  return Run(trace, target, options).run();
}

}  // namespace quarry::bench
