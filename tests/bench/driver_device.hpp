// SPDX-License-Identifier: MIT
// A device of the machine's Vulkan driver, with what the allocator and the reference need of it.
#pragma once

#include <memory>
#include <string>

#include <quarry/allocator.hpp>
#include <quarry/expected.hpp>

#include "bench/reference_allocator.hpp"

namespace quarry::bench {

class DriverDevice {
 public:
  DriverDevice() = default;
  DriverDevice(const DriverDevice&) = delete;
  DriverDevice& operator=(const DriverDevice&) = delete;
  virtual ~DriverDevice() = default;

  virtual std::string name() const = 0;
  /// Must not outlive this. Memory budget and priority are on where the driver has them.
  virtual AllocatorDesc allocator_desc() const = 0;
  virtual ReferenceDesc reference_desc() const = 0;
  virtual const VulkanFunctions& functions() const = 0;
};

/// The error says why there is none.
Expected<std::unique_ptr<DriverDevice>, std::string> open_driver_device();

}  // namespace quarry::bench
