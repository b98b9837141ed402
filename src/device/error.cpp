// SPDX-License-Identifier: MIT
#include "device/error.hpp"

namespace quarry::device {

VkResult code_of(Reason reason) {
  switch (reason) {
    case Reason::larger_than_heap:
    case Reason::over_budget:
    case Reason::over_limit:
    case Reason::over_quota:
    case Reason::out_of_device_memory:
      return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    case Reason::out_of_host_memory:
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    case Reason::too_many_allocations:
      return VK_ERROR_TOO_MANY_OBJECTS;
    case Reason::not_host_visible:
    case Reason::not_mapped:
      return VK_ERROR_MEMORY_MAP_FAILED;
    case Reason::no_memory_type:
    case Reason::feature_not_enabled:
    case Reason::unsupported:
      return VK_ERROR_FEATURE_NOT_PRESENT;
    case Reason::being_moved:
    case Reason::not_resident:
      return VK_NOT_READY;
    case Reason::function_missing:
      return VK_ERROR_INITIALIZATION_FAILED;
    case Reason::none:
    case Reason::driver:
    case Reason::size_zero:
    case Reason::bad_alignment:
    case Reason::bad_argument:
    case Reason::stale_handle:
    case Reason::foreign_handle:
    case Reason::out_of_range:
    case Reason::still_in_use:
      break;
  }
  return VK_ERROR_UNKNOWN;
}

Reason reason_of(VkResult code) {
  switch (code) {
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return Reason::out_of_device_memory;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return Reason::out_of_host_memory;
    case VK_ERROR_TOO_MANY_OBJECTS:
      return Reason::too_many_allocations;
    default:
      return Reason::driver;
  }
}

Unexpected<Error> refuse(Reason reason, VkDeviceSize requested_bytes) {
  return Unexpected(
      Error{.code = code_of(reason), .reason = reason, .requested_bytes = requested_bytes});
}

Unexpected<Error> driver_failed(VkResult code, VkDeviceSize requested_bytes) {
  return Unexpected(
      Error{.code = code, .reason = reason_of(code), .requested_bytes = requested_bytes});
}

}  // namespace quarry::device
