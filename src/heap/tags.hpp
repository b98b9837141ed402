// SPDX-License-Identifier: MIT
// Registered tags: their names and running totals. Registering is rare and locked; reading a cell
// takes no lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include <quarry/allocation.hpp>
#include <quarry/host_memory.hpp>
#include <quarry/result.hpp>

#include "base/chunked_array.hpp"
#include "base/mutex.hpp"
#include "base/name_table.hpp"
#include "heap/totals.hpp"

namespace quarry::heap {

class Tags {
 public:
  static constexpr std::uint32_t kMaximum = 65535;  ///< besides "untagged"
  static constexpr std::size_t kMaximumName = 255;  ///< bytes

  explicit Tags(const HostMemory& host) : names_(host), cells_(host) {}

  /// The same name gives the same tag. bad_argument for an empty or overlong name, over_limit,
  /// out_of_host_memory.
  Result<Tag> add(std::string_view name);
  bool known(Tag tag) const { return tag.index <= count(); }
  std::uint32_t count() const { return count_.load(std::memory_order_acquire); }
  /// "" for untagged and unknown tags.
  const char* name(Tag tag) const { return known(tag) ? names_.name(tag.index) : ""; }
  /// Precondition: known.
  TotalsCell& cell(Tag tag) { return tag.index == 0 ? untagged_ : cells_[tag.index - 1]; }
  /// Zeros for an unknown tag.
  Totals read(Tag tag) const;
  void reset_peaks();

 private:
  base::Mutex mutex_;  ///< a leaf: only the host callbacks are called with it held
  base::NameTable names_;
  base::ChunkedArray<TotalsCell> cells_;
  std::atomic<std::uint32_t> count_{0};
  TotalsCell untagged_;
};

}  // namespace quarry::heap
