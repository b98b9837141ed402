// SPDX-License-Identifier: MIT
// Memory and resources that are freed when their last use is over, in the order of the timelines
// that tell so, and found by place and size for who may follow a use early. Such an early owner
// owes its memory's earlier uses: they are remembered beside it until they are over. No clock, no
// Vulkan, no threads. Each operation is O(1) but for values that come out of order (filing walks
// past the larger ones), and for the few timelines, which are walked.
#pragma once

#include <cstdint>

#include <quarry/host_memory.hpp>

#include "base/chunked_array.hpp"
#include "base/host_array.hpp"
#include "plan/use_points.hpp"

namespace quarry::plan {

struct PendingFree {
  std::uint64_t handle = 0;    ///< of the memory; 0: only a resource waits
  std::uint64_t resource = 0;  ///< 0: only memory waits
  std::uint32_t resource_kind = 0;
  std::uint32_t heap = 0;
  std::uint64_t place = 0;  ///< memory of the same place is of one kind; 0: nobody may follow early
  std::uint64_t offset = 0;  ///< bytes within that place, for the alignment
  std::uint64_t size = 0;    ///< bytes
  void* memory = nullptr;    ///< the owner's
  UsePoints points{};
};

/// What an early owner needs.
struct ReuseRequest {
  std::uint64_t place = 0;
  std::uint64_t size = 0;  ///< bytes, > 0
  std::uint64_t alignment = 1;
};

class PendingFrees {
 public:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::uint32_t kMostTimelines = 64;

  explicit PendingFrees(const HostMemory& host)
      : nodes_(host), place_buckets_(host), debt_buckets_(host) {}

  // ---- Freeing: staged first, so that several are filed together or not at all
  /// Room for so many more. False without host memory.
  [[nodiscard]] bool reserve(std::uint32_t count);
  /// Whether a point on this timeline can be filed.
  bool has_room_for(std::uint64_t timeline) const;
  /// Precondition: reserved.
  void stage(const PendingFree& free);
  /// Takes the last staged one back; false when there is none.
  bool unstage(PendingFree& free);
  /// Files what was staged. What an early owner owed joins its own points.
  void file_staged(std::uint64_t now);

  // ---- Timelines
  /// The next timeline that something waits for, from `index` on, which is left behind it; false
  /// after the last.
  bool next_timeline(std::uint32_t& index, std::uint64_t& timeline) const;
  /// The timeline stands at `value`: what waited for no more is ready.
  void observe(std::uint64_t timeline, std::uint64_t value, std::uint64_t now);
  /// The next one that is ready; in the order in which they were filed under a value.
  bool take_ready(PendingFree& free);
  /// Whatever is left, ready or not.
  bool take_any(PendingFree& free);

  // ---- Following early
  /// The first that a rule allows, of the few that fit and came first; kNone: none. Otherwise
  /// `fitting` is one that fits whatever the rule says, or kNone.
  std::uint32_t find(const ReuseRequest& request, const ReuseRule& rule, ReuseOrder& order,
                     std::uint32_t& fitting) const;
  const PendingFree& operator[](std::uint32_t node) const { return nodes_[node].free; }
  /// Hands the memory to `new_handle`, which owes its points from now on; a resource that lay there
  /// waits on. Precondition: found now; reserved for one more. Returns whether it owes anything.
  bool take_over(std::uint32_t node, std::uint64_t new_handle, PendingFree& free);
  /// The owner of what still owes frees it: true, and it is pending then; false: it owes nothing.
  bool free_debtor(const PendingFree& free);
  /// What a live allocation owes still.
  UsePoints debt_of(std::uint64_t handle) const;

  // ---- Figures
  struct Figures {
    std::uint32_t count = 0;      ///< memories and resources that wait, and debts
    std::uint32_t frees = 0;      ///< memories
    std::uint64_t bytes = 0;      ///< of these
    std::uint32_t timelines = 0;  ///< that something waits for
  };
  const Figures& figures() const { return figures_; }
  struct Stall {
    std::uint64_t timeline = 0;
    std::uint64_t value = 0;    ///< where it stands
    std::uint64_t awaited = 0;  ///< the lowest value that something waits for
    std::uint64_t since = 0;
  };
  /// Timelines that did not move for so long while something waited for them.
  std::uint32_t stalled(std::uint64_t now, std::uint64_t patience) const;
  /// One of them that was not told yet since it stopped; false when there is none.
  bool tell_stall(std::uint64_t now, std::uint64_t patience, Stall& stall);
  /// When the free of the heap that waits for longest has nothing else to wait for: its point.
  /// False when nothing waits there.
  bool earliest(std::uint32_t heap, UsePoint& point) const;

 private:
  enum class State : std::uint8_t { staged, waiting, ready, debt };
  struct Node {
    PendingFree free;
    std::uint64_t since = 0;
    std::uint32_t timeline = kNone;  ///< that it waits for
    std::uint32_t earlier = kNone;   ///< in the timeline's list, or that of what is ready
    std::uint32_t later = kNone;
    std::uint32_t before = kNone;  ///< in a bucket
    std::uint32_t after = kNone;
    State state = State::staged;
  };
  struct List {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  struct Timeline {
    std::uint64_t id = 0;
    std::uint64_t value = 0;
    std::uint64_t moved_at = 0;
    List list;
    std::uint32_t points = 0;  ///< of all nodes; 0: unused
    bool told = false;
  };

  std::uint32_t timeline_of(std::uint64_t id) const;
  static bool is_stalled(const Timeline& timeline, std::uint64_t now, std::uint64_t patience);
  std::uint32_t timeline_for(std::uint64_t id);
  void count_point(const UsePoint& point);
  void uncount_points(const UsePoints& points);
  void drop_reached(Node& node);
  /// Those that are not known to be over.
  UsePoints left_of(const UsePoints& points) const;
  void file(std::uint32_t node, std::uint64_t now);
  void wait_or_be_ready(std::uint32_t node);
  void unlist(std::uint32_t node);
  void append(List& list, std::uint32_t node, std::uint32_t after);
  List& bucket_of(const Node& node);
  void enter_bucket(std::uint32_t node);
  void leave_bucket(std::uint32_t node);
  std::uint32_t find_debt(std::uint64_t handle) const;
  std::uint64_t value_awaited(const Node& node) const;
  std::uint32_t take_node();
  void drop(std::uint32_t node);
  void remove(std::uint32_t node, PendingFree& free);

  base::ChunkedArray<Node> nodes_;
  base::HostArray<List> place_buckets_;
  base::HostArray<List> debt_buckets_;
  Timeline timelines_[kMostTimelines];
  List ready_;
  std::uint32_t unused_ = kNone;  ///< first of the unused nodes
  std::uint32_t unused_count_ = 0;
  std::uint32_t staged_ = kNone;  ///< the last staged
  Figures figures_;
};

}  // namespace quarry::plan
