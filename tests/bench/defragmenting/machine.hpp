// SPDX-License-Identifier: MIT
// Where quarry-defrag-demo runs: the fake GPU, or a real device by name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <quarry/allocator.hpp>

namespace quarry::bench {

/// A buffer each of whose 32-bit words is `mark`.
struct Marked {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize size = 0;  ///< bytes, a multiple of 4
  std::uint32_t mark = 0;
};

class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  virtual std::string name() const = 0;
  /// Must not outlive this.
  virtual AllocatorDesc allocator_desc() const = 0;
  virtual std::uint32_t queue_family() const = 0;
  virtual VkQueueFlags queue() const = 0;
  /// Whether commands do what they say; the fake's copy nothing, and time means nothing.
  virtual bool is_real() const = 0;
  /// Only on a real one; these wait.
  virtual void fill(std::span<const Marked> buffers) = 0;
  virtual std::uint64_t count_wrong(std::span<const Marked> buffers) = 0;
  /// A command buffer that records.
  virtual VkCommandBuffer begin() = 0;
  /// Submits it and waits; the seconds that took.
  virtual double run(VkCommandBuffer commands) = 0;
};

std::unique_ptr<Machine> make_fake_machine();
/// `name_part`: of the device's name; throws std::runtime_error without such a device.
std::unique_ptr<Machine> make_device_machine(const std::string& name_part);

}  // namespace quarry::bench
