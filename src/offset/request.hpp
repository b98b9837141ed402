// SPDX-License-Identifier: MIT
// The checks on a request that all offset algorithms share.
#pragma once

#include <cstdint>

#include <quarry/offset.hpp>

#include "base/bits.hpp"

namespace quarry::offset {

/// What can be said of a request before any search. `limit` is the count limit, 0 for none.
constexpr OffsetError check_request(const OffsetRequest& request, std::uint64_t free_bytes,
                                    std::uint32_t count, std::uint32_t limit) {
  if (request.size == 0 || !base::is_power_of_two(request.alignment)) {
    return OffsetError::invalid_argument;
  }
  if (limit != 0 && count >= limit) return OffsetError::too_many_allocations;
  return request.size > free_bytes ? OffsetError::out_of_space : OffsetError::none;
}

}  // namespace quarry::offset
