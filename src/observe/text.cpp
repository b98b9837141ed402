// SPDX-License-Identifier: MIT
// Names of the public enumerators, for messages and displays.
#include <quarry/result.hpp>

namespace quarry {

const char* to_string(Reason reason) {
  switch (reason) {
    case Reason::none:
      return "none";
    case Reason::driver:
      return "the driver returned an error";
    case Reason::size_zero:
      return "a size or extent is 0";
    case Reason::bad_alignment:
      return "an alignment is not a power of two";
    case Reason::bad_argument:
      return "an argument is out of its range";
    case Reason::stale_handle:
      return "the handle was freed already or never valid";
    case Reason::foreign_handle:
      return "the handle belongs to another allocator";
    case Reason::no_memory_type:
      return "no memory type satisfies the request";
    case Reason::larger_than_heap:
      return "larger than any allowed heap or than the device allows in one allocation";
    case Reason::over_budget:
      return "no allowed heap has room within its budget";
    case Reason::over_limit:
      return "a limit on bytes or blocks is reached";
    case Reason::over_quota:
      return "the hard quota of a tag is reached";
    case Reason::out_of_device_memory:
      return "out of device memory";
    case Reason::out_of_host_memory:
      return "out of host memory";
    case Reason::too_many_allocations:
      return "maxMemoryAllocationCount is reached";
    case Reason::not_host_visible:
      return "the memory is not host-visible";
    case Reason::not_mapped:
      return "the memory is not mapped";
    case Reason::out_of_range:
      return "an offset or size lies outside the allocation";
    case Reason::feature_not_enabled:
      return "needs an extension, feature or version that was not declared";
    case Reason::function_missing:
      return "a needed Vulkan function is missing";
    case Reason::being_moved:
      return "being moved";
    case Reason::not_resident:
      return "evicted to host memory";
    case Reason::still_in_use:
      return "still in use";
    case Reason::unsupported:
      return "not supported";
  }
  return "unknown";
}

}  // namespace quarry
