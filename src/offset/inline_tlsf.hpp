// SPDX-License-Identifier: MIT
// InlineTlsf: a Tlsf whose allocate, free and largest_free_class are compiled into the caller, for
// the few places where each call of a function counts. A caller of all three grows by about 2 KiB.
#pragma once

#include <cstdint>

#include <quarry/buddy.hpp>
#include <quarry/linear.hpp>
#include <quarry/tlsf.hpp>

#include "offset/offset_space.hpp"
#include "offset/tlsf_hot_path.hpp"

namespace quarry {

// Their states are not known here: whoever uses them calls the library.
extern template class OffsetSpace<offset::LinearState>;
extern template class OffsetSpace<offset::BuddyState>;

}  // namespace quarry

namespace quarry::offset {

class InlineTlsf : public Tlsf {
 public:
  using Tlsf::Tlsf;

  [[gnu::always_inline]] OffsetResult<OffsetAllocation> allocate(const OffsetRequest& request) {
    return place(request);
  }
  /// At an exact offset, a multiple of the alignment; out_of_space where these bytes are not free.
  /// `before` is a live range not far before it, or none: time is linear in the ranges in between.
  OffsetResult<OffsetAllocation> allocate_at(const OffsetRequest& request, std::uint64_t offset,
                                             OffsetHandle before) {
    return place_at(request, offset, before);
  }
  [[gnu::always_inline]] OffsetError free(OffsetHandle handle) { return remove(handle); }
  std::uint32_t largest_free_class() const {
    return state() != nullptr ? state()->largest_free_class() : Tlsf::largest_free_class();
  }
};

}  // namespace quarry::offset
