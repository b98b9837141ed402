// SPDX-License-Identifier: MIT
// In place of driver_device.cpp where there is no Vulkan loader to link.
#include "bench/driver_device.hpp"

namespace quarry::bench {

Expected<std::unique_ptr<DriverDevice>, std::string> open_driver_device() {
  return Unexpected(std::string("this build has no Vulkan loader"));
}

}  // namespace quarry::bench
