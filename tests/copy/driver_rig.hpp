// SPDX-License-Identifier: MIT
// What the driver tests of the copy engine share: one device for the program, complaints counted,
// noise up and contents down.
#pragma once

#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "copy/copy_device.hpp"
#include "copy/engine.hpp"

namespace quarry::copy {

/// The program's one device, with validation where QUARRY_TEST_VALIDATION is 1.
CopyDevice& the_device();

/// The machine's driver with an engine. What the validation layer says fails the test.
class OnDriver : public testing::Test {
 protected:
  OnDriver()
      : device(the_device()),
        complaints_before_(device.complaints().size()),
        engine(std::make_unique<Engine>(device.opened())),
        step(device.opened().host()) {}
  ~OnDriver() override {
    engine->close_step(step);
    engine.reset();
    const std::vector<std::string> complaints = device.complaints();
    for (std::size_t i = complaints_before_; i < complaints.size(); ++i)
      ADD_FAILURE() << complaints[i];
  }
  OnDriver(const OnDriver&) = delete;
  OnDriver& operator=(const OnDriver&) = delete;

  void open(Way way) {
    EngineDesc desc;
    desc.way = way;
    ASSERT_TRUE(engine->open(desc));
  }

  static std::vector<std::byte> noise(std::size_t size, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes)
      byte = static_cast<std::byte>(random());
    return bytes;
  }

  CopyDevice& device;

 private:
  std::size_t complaints_before_;

 protected:
  std::unique_ptr<Engine> engine;
  Step step;
};

/// A host-visible buffer for transfers, freed at the end.
class Staging {
 public:
  Staging(CopyDevice& device, VkDeviceSize size)
      : device_(device),
        buffer_(device.buffer(size,
                              VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                              Place::host)) {}
  ~Staging() { device_.free(buffer_); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  VkBuffer buffer() const { return buffer_.buffer; }
  std::byte* data() const { return buffer_.mapped; }

 private:
  CopyDevice& device_;
  DeviceBuffer buffer_;
};

/// Everything before is complete and visible to everything after, the host included.
inline void full_barrier(VkCommandBuffer commands) {
  const VkMemoryBarrier barrier{
      VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
      VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                       &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace quarry::copy
