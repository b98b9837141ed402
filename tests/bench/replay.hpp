// SPDX-License-Identifier: MIT
// Runs a trace on an allocator and watches what it holds.
#pragma once

#include <cstdint>
#include <vector>

#include <quarry/allocator.hpp>
#include <quarry/defragmentation.hpp>

#include "bench/reference_allocator.hpp"
#include "bench/traces/trace.hpp"

namespace quarry::bench {

/// What the replayer asks of an allocator.
class ReplayTarget {
 public:
  ReplayTarget() = default;
  ReplayTarget(const ReplayTarget&) = delete;
  ReplayTarget& operator=(const ReplayTarget&) = delete;
  virtual ~ReplayTarget() = default;

  /// 0: refused.
  virtual std::uint64_t allocate(const TraceEvent& event) = 0;
  virtual void free(std::uint64_t handle) = 0;
  virtual void frame(std::uint64_t microseconds) = 0;

  struct Held {
    VkDeviceSize reserved_bytes = 0;
    VkDeviceSize peak_reserved_bytes = 0;
    std::uint64_t memory_count = 0;
    std::uint64_t driver_allocations = 0;  ///< so far
    std::uint64_t driver_frees = 0;        ///< so far
  };
  virtual Held held() const = 0;
  /// 1 - largest free range / free bytes, over all blocks; 0 when nothing is free. May be slow.
  virtual double fragmentation() const = 0;
};

/// Defragmentation as a frame loop would do it: room is kept for one more of the largest request so
/// far, and blocks are given back where they hold too much.
struct MovePolicy {
  VkDeviceSize bytes_per_frame = 0;  ///< but for one allocation that is larger; 0: nothing is moved
  /// A pass begins where blocks hold so many bytes for each that lives.
  double begin_above = 1.12;
};

/// Makes the allocator itself, since its clock is that of the trace.
class QuarryTarget : public ReplayTarget {
 public:
  /// The device must outlive this. Ends the program if the allocator is refused.
  explicit QuarryTarget(AllocatorDesc desc, const MovePolicy& moves = {});

  std::uint64_t allocate(const TraceEvent& event) override;
  void free(std::uint64_t handle) override;
  void frame(std::uint64_t microseconds) override;
  Held held() const override;
  double fragmentation() const override;
  DefragmentationFigures moved() const { return moved_; }

 private:
  void move_some();
  bool begin_pass();
  void end_pass();

  std::uint64_t milliseconds_ = 0;
  Allocator allocator_;
  const MovePolicy moves_;
  TraceEvent largest_;  ///< request so far
  Defragmentation pass_;
  DefragmentationFigures moved_;  ///< by passes that have ended
};

class ReferenceTarget : public ReplayTarget {
 public:
  explicit ReferenceTarget(const ReferenceDesc& desc) : allocator_(desc) {}

  std::uint64_t allocate(const TraceEvent& event) override;
  void free(std::uint64_t handle) override { (void)allocator_.free(handle); }
  void frame(std::uint64_t) override {}
  Held held() const override;
  double fragmentation() const override { return allocator_.fragmentation(); }

 private:
  ReferenceAllocator allocator_;
};

struct ReplaySample {
  std::uint64_t frame = 0;
  VkDeviceSize reserved_bytes = 0;
  VkDeviceSize live_bytes = 0;
  double fragmentation = 0;
};

struct ReplayResult {
  std::uint64_t allocations = 0;
  std::uint64_t refused = 0;
  std::uint64_t frames = 0;
  double seconds = 0;  ///< in the allocator; looking at it left out
  std::uint64_t driver_allocations = 0;
  std::uint64_t driver_frees = 0;
  VkDeviceSize peak_reserved = 0;
  VkDeviceSize peak_live = 0;  ///< bytes as asked for
  /// Mean over the frames after the warm-up in which anything lives.
  double mean_reserved_over_live = 0;
  std::vector<ReplaySample> samples;  ///< at most about 400
  DefragmentationFigures moved{};     ///< where anything was
};

struct ReplayOptions {
  bool keep_type_bits = false;  ///< those of the recording device; else every type will do
  bool fragmentation = true;    ///< sample it
};

ReplayResult replay(const Trace& trace, ReplayTarget& target, const ReplayOptions& options = {});

}  // namespace quarry::bench
