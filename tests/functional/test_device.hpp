// SPDX-License-Identifier: MIT
// The device that the functional suite runs on: the fake GPU, or whatever driver the loader finds,
// behind the few operations that the tests need. QUARRY_TEST_DEVICE=fake|driver chooses;
// QUARRY_TEST_VALIDATION=1 demands the validation layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <quarry/quarry.hpp>

namespace quarry::functional {

struct TestImage {
  VkImage image = VK_NULL_HANDLE;
  VkImageCreateInfo info{};
  VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
};

class TestDevice {
 public:
  virtual ~TestDevice() = default;

  virtual AllocatorDesc allocator_desc() const = 0;
  virtual std::string description() const = 0;
  virtual VkDevice device() const = 0;
  virtual PFN_vkVoidFunction device_function(const char* name) const = 0;

  // Each records, submits and waits.
  virtual void copy_buffer(VkBuffer from, VkBuffer to, const VkBufferCopy& region) = 0;
  virtual void fill_buffer(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                           std::uint32_t word) = 0;
  virtual bool supports(const VkImageCreateInfo& info) const = 0;
  /// All texels of a fresh image from, or of that image to, a buffer; where they lie in it says
  /// texels_of(). The image's layout afterwards, and before it is read, is the one given.
  virtual void write_image(VkBuffer from, const TestImage& image) = 0;
  virtual void read_image(const TestImage& image, VkBuffer to) = 0;

  // Submitted work that is waited for by value.
  virtual VkSemaphore timeline() const = 0;
  /// Copies when its turn comes; the timeline reaches `value` afterwards.
  virtual void submit_copy(VkBuffer from, VkBuffer to, const VkBufferCopy& region,
                           std::uint64_t value) = 0;
  virtual void wait(std::uint64_t value) = 0;
  /// Larger than any before: the timeline outlives each test.
  std::uint64_t next_value() { return ++value_; }
  /// Recording, for a queue with graphics, compute and transfer.
  virtual VkCommandBuffer begin_commands() = 0;
  /// Ends and submits them; the timeline reaches `value` afterwards.
  virtual void submit_commands(VkCommandBuffer commands, std::uint64_t value) = 0;

  /// 0 where device addresses are not to be had.
  virtual VkDeviceAddress address(VkBuffer buffer) = 0;
  virtual bool supports_disjoint(VkFormat format) const = 0;
  /// Says that resources will overlap here on purpose.
  virtual void allow_aliasing(const AllocationInfo& info) = 0;

  /// What validation, or the fake's oracle, complained about so far.
  virtual std::vector<std::string> complaints() const = 0;
  /// Does something invalid on purpose, so that complaints() must grow. False where nobody listens.
  virtual bool provoke_complaint() = 0;

 private:
  std::uint64_t value_ = 0;
};

std::unique_ptr<TestDevice> make_fake_device();
/// Throws std::runtime_error with the reason when there is no usable driver, or no layer though one
/// is demanded.
std::unique_ptr<TestDevice> make_driver_device(bool demand_validation);

/// The one device of this program, made at the first call.
TestDevice& test_device();

}  // namespace quarry::functional
