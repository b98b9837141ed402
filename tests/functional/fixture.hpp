// SPDX-License-Identifier: MIT
// What the functional tests share: an allocator on the program's device, checked for complaints and
// leaks at the end of each.
#pragma once

#include <atomic>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <quarry/quarry.hpp>

#include "base/seed.hpp"
#include "functional/test_device.hpp"

namespace quarry::functional {

class Functional : public ::testing::Test {
 protected:
  void SetUp() override {
    complaints_before_ = device().complaints().size();
    AllocatorDesc desc = device().allocator_desc();
    desc.on_message = [](void* user, Severity severity, const char* text) {
      if (severity == Severity::error) static_cast<Functional*>(user)->errors_.emplace_back(text);
    };
    desc.message_user = this;
    adjust(desc);
    auto created = Allocator::create(desc);
    ASSERT_TRUE(created) << to_string(created.error().reason);
    allocator = std::move(*created);
  }
  void TearDown() override {
    allocator = Allocator();
    EXPECT_EQ(errors_, std::vector<std::string>()) << "leaks";
    const std::vector<std::string> complaints = device().complaints();
    for (std::size_t i = complaints_before_; i < complaints.size(); ++i)
      ADD_FAILURE() << complaints[i];
  }
  /// For fixtures that want another allocator.
  virtual void adjust(AllocatorDesc&) {}

  static TestDevice& device() { return test_device(); }

  static VkBufferCreateInfo buffer_info(VkDeviceSize size, VkBufferUsageFlags more = 0) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = size;
    info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | more;
    return info;
  }
  static VkImageCreateInfo image_info(VkExtent2D extent, VkImageUsageFlags more = 0) {
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {extent.width, extent.height, 1};
    info.mipLevels = 1;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | more;
    return info;
  }

  Buffer make_buffer(VkDeviceSize size, const AllocationDesc& desc = {},
                     VkBufferUsageFlags more = 0) {
    auto buffer = allocator.create_buffer(buffer_info(size, more), desc);
    EXPECT_TRUE(buffer) << to_string(buffer.error().reason);
    return buffer ? *buffer : Buffer{};
  }

  static std::vector<std::byte> noise(std::size_t size, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes)
      byte = static_cast<std::byte>(random());
    return bytes;
  }

  /// Writes through a staging buffer, so that any memory can be written.
  void write(const Buffer& buffer, std::span<const std::byte> bytes) {
    const Buffer staging = make_buffer(bytes.size(), {.intent = MemoryIntent::upload});
    ASSERT_TRUE(allocator.copy_to(staging.allocation, 0, bytes));
    device().copy_buffer(staging.buffer, buffer.buffer, {0, 0, bytes.size()});
    ASSERT_TRUE(allocator.destroy(staging));
  }
  std::vector<std::byte> read(const Buffer& buffer, VkDeviceSize size) {
    const Buffer staging = make_buffer(size, {.intent = MemoryIntent::readback});
    device().copy_buffer(buffer.buffer, staging.buffer, {0, 0, size});
    std::vector<std::byte> bytes(size);
    EXPECT_TRUE(allocator.copy_from(staging.allocation, 0, bytes));
    EXPECT_TRUE(allocator.destroy(staging));
    return bytes;
  }

  Allocator allocator;

 private:
  std::vector<std::string> errors_;
  std::size_t complaints_before_ = 0;
};

}  // namespace quarry::functional
