// SPDX-License-Identifier: MIT
#include <quarry/offset.hpp>

namespace quarry {

const char* to_string(OffsetError error) {
  switch (error) {
    case OffsetError::none:
      return "none";
    case OffsetError::invalid_argument:
      return "invalid argument";
    case OffsetError::out_of_space:
      return "out of space";
    case OffsetError::too_many_allocations:
      return "too many allocations";
    case OffsetError::out_of_host_memory:
      return "out of host memory";
    case OffsetError::stale_handle:
      return "stale handle";
    case OffsetError::unsupported:
      return "unsupported";
  }
  return "unknown";
}

}  // namespace quarry
