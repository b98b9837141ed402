// SPDX-License-Identifier: MIT
// Registered tags, a tree by the slashes in their names: running totals of each alone and with
// those below, and quotas. Registering and quotas are rare and locked; counting and reading take no
// lock. Where a tag, or one above it, has a hard quota, threads tell its bytes ahead (ledger.hpp),
// so that its totals are at no moment too low and can be held against the quota.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include <quarry/allocation.hpp>
#include <quarry/host_memory.hpp>
#include <quarry/quota.hpp>
#include <quarry/result.hpp>

#include "base/chunked_array.hpp"
#include "base/host_array.hpp"
#include "base/mutex.hpp"
#include "base/name_table.hpp"
#include "heap/totals.hpp"
#include "plan/pressure.hpp"

namespace quarry::heap {

class Tags {
 public:
  static constexpr std::uint32_t kMaximum = 65535;  ///< besides "untagged"
  static constexpr std::size_t kMaximumName = 255;  ///< bytes

  explicit Tags(const HostMemory& host) : names_(host), cells_(host), soft_(host) {}

  /// The same name gives the same tag; the tags above it are made, too. bad_argument for an empty
  /// or overlong name and an empty part, over_limit, out_of_host_memory.
  Result<Tag> add(std::string_view name);
  bool known(Tag tag) const { return tag.index <= count(); }
  std::uint32_t count() const { return count_.load(std::memory_order_acquire); }
  /// "" for untagged and unknown tags.
  const char* name(Tag tag) const { return known(tag) ? names_.name(tag.index) : ""; }
  /// Untagged for those on top, and for unknown ones.
  Tag parent(Tag tag) const;
  /// Whether `tag` is `above` or below it. Precondition: both known.
  bool within(Tag tag, Tag above) const;

  // ---- Counting. Precondition: known
  void add_allocations(Tag tag, std::int64_t count, std::int64_t bytes);
  /// Within all hard quotas, or nothing is counted: the tag whose quota is in the way, 0: none.
  std::uint32_t try_add_allocations(Tag tag, std::uint32_t count, VkDeviceSize bytes);
  /// The tag whose hard quota has no room for so much now; 0: none.
  std::uint32_t without_room(Tag tag, VkDeviceSize bytes) const;
  /// Whether it, or one above it, has a hard quota.
  bool limited(Tag tag) const {
    return tag.index != 0 && cells_[tag.index - 1].limited.load(std::memory_order_acquire);
  }

  /// Zeros for an unknown tag.
  Totals read(Tag tag) const;
  Totals read_alone(Tag tag) const;
  void reset_peaks();

  // ---- Quotas
  /// False without host memory. Precondition: known, not untagged.
  [[nodiscard]] bool set_quota(Tag tag, const TagQuota& quota);
  TagQuota quota(Tag tag) const;
  /// The tags that have soft quotas, one after the other; false after the last.
  bool soft_tag(std::size_t number, Tag& tag);
  /// True when its bytes crossed the soft quota since the last look.
  bool crossed(std::size_t number, VkDeviceSize bytes, double hysteresis, QuotaCrossing& crossing);

 private:
  struct Cell {
    TotalsCell alone;
    TotalsCell with_below;
    std::uint32_t parent = 0;
    std::atomic<bool> limited{false};
    std::atomic<VkDeviceSize> soft{VK_WHOLE_SIZE};
    std::atomic<VkDeviceSize> hard{VK_WHOLE_SIZE};
  };
  struct Soft {
    Tag tag{};
    plan::PressureGauge gauge;
  };

  Result<std::uint32_t> add_locked(std::string_view name) QUARRY_REQUIRES(mutex_);
  Cell& cell(std::uint32_t tag) { return cells_[tag - 1]; }
  const Cell& cell(std::uint32_t tag) const { return cells_[tag - 1]; }

  base::Mutex mutex_;  ///< a leaf: only the host callbacks are called with it held
  base::NameTable names_;
  base::ChunkedArray<Cell> cells_;
  base::HostArray<Soft> soft_ QUARRY_GUARDED_BY(mutex_);
  std::atomic<std::uint32_t> count_{0};
  TotalsCell untagged_;
};

}  // namespace quarry::heap
