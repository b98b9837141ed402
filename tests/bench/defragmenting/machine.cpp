// SPDX-License-Identifier: MIT
#include "bench/defragmenting/machine.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

#include "copy/copy_device.hpp"
#include "fakes/fake_gpu.hpp"

namespace quarry::bench {

namespace {

class FakeMachine final : public Machine {
 public:
  FakeMachine() : gpu_(fakes::profiles::nvidia_h200()) {
    // Buffers of the library's own lie over whole blocks.
    gpu_.permit(fakes::Rule::resources_overlap);
  }

  std::string name() const override { return "fake GPU"; }
  AllocatorDesc allocator_desc() const override { return gpu_.allocator_desc(); }
  std::uint32_t queue_family() const override { return 0; }
  VkQueueFlags queue() const override {
    return VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  }
  bool is_real() const override { return false; }
  void fill(std::span<const Marked> /*buffers*/) override {}
  std::uint64_t count_wrong(std::span<const Marked> /*buffers*/) override { return 0; }
  VkCommandBuffer begin() override { return gpu_.begin_commands(); }
  double run(VkCommandBuffer commands) override {
    gpu_.submit(std::span(&commands, 1));
    return 0.0;
  }

 private:
  fakes::FakeGpu gpu_;
};

class DeviceMachine final : public Machine {
 public:
  explicit DeviceMachine(const std::string& name_part) : device_({.name_part = name_part}) {
    // Buffers go equally well on any family that computes.
    while (family_ + 1 < device_.families().size() &&
           (device_.families()[family_].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0)
      ++family_;
  }

  std::string name() const override { return device_.properties().deviceName; }
  AllocatorDesc allocator_desc() const override { return device_.allocator_desc(); }
  std::uint32_t queue_family() const override { return family_; }
  VkQueueFlags queue() const override {
    return device_.families()[family_].queueFlags | VK_QUEUE_TRANSFER_BIT;
  }
  bool is_real() const override { return true; }
  void fill(std::span<const Marked> buffers) override {
    device_.run(family_, [&](VkCommandBuffer commands) {
      for (const Marked& each : buffers)
        vkCmdFillBuffer(commands, each.buffer, 0, each.size, each.mark);
    });
  }
  std::uint64_t count_wrong(std::span<const Marked> buffers) override {
    const copy::DeviceBuffer host =
        device_.buffer(kReadback, VK_BUFFER_USAGE_TRANSFER_DST_BIT, copy::Place::host);
    std::uint64_t wrong = 0;
    while (!buffers.empty()) {
      std::size_t count = 0;
      VkDeviceSize bytes = 0;
      while (count < buffers.size() && bytes + buffers[count].size <= kReadback)
        bytes += buffers[count++].size;
      wrong += count_wrong(buffers.first(count), host);
      buffers = buffers.subspan(count);
    }
    device_.free(host);
    return wrong;
  }
  VkCommandBuffer begin() override { return device_.begin(family_); }
  double run(VkCommandBuffer commands) override {
    const auto start = std::chrono::steady_clock::now();
    const std::array<copy::CopyDevice::Part, 1> parts{{{commands, family_}}};
    device_.submit(parts);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  static constexpr VkDeviceSize kReadback = VkDeviceSize{256} << 20;

  /// Of buffers that the host buffer has room for together.
  std::uint64_t count_wrong(std::span<const Marked> buffers, const copy::DeviceBuffer& host) {
    device_.run(family_, [&](VkCommandBuffer commands) {
      VkDeviceSize offset = 0;
      for (const Marked& each : buffers) {
        const VkBufferCopy region{0, offset, each.size};
        vkCmdCopyBuffer(commands, each.buffer, host.buffer, 1, &region);
        offset += each.size;
      }
      VkMemoryBarrier barrier{};
      barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
      barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
      barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
      vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0,
                           1, &barrier, 0, nullptr, 0, nullptr);
    });
    std::uint64_t wrong = 0;
    const auto* words = reinterpret_cast<const std::uint32_t*>(host.mapped);
    for (const Marked& each : buffers) {
      const std::span mine(words, each.size / sizeof(std::uint32_t));
      wrong += std::all_of(mine.begin(), mine.end(),
                           [&](std::uint32_t word) { return word == each.mark; })
                   ? 0
                   : 1;
      words += mine.size();
    }
    return wrong;
  }

  copy::CopyDevice device_;
  std::uint32_t family_ = 0;
};

}  // namespace

std::unique_ptr<Machine> make_fake_machine() {
  return std::make_unique<FakeMachine>();
}

std::unique_ptr<Machine> make_device_machine(const std::string& name_part) {
  return std::make_unique<DeviceMachine>(name_part);
}

}  // namespace quarry::bench
