// SPDX-License-Identifier: MIT
#include "bench/copying/timing.hpp"

#include <array>
#include <chrono>
#include <cstdarg>
#include <cstdio>

namespace quarry::bench {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

class Timestamps {
 public:
  Timestamps(const copy::CopyDevice& device, std::uint32_t family) : device_(device) {
    if (device.families().at(family).timestampValidBits == 0) return;
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2;
    vkCreateQueryPool(device.handle(), &info, nullptr, &pool_);
  }
  ~Timestamps() { vkDestroyQueryPool(device_.handle(), pool_, nullptr); }
  Timestamps(const Timestamps&) = delete;
  Timestamps& operator=(const Timestamps&) = delete;

  void begin(VkCommandBuffer commands) const {
    if (pool_ == VK_NULL_HANDLE) return;
    vkCmdResetQueryPool(commands, pool_, 0, 2);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_, 0);
  }
  void end(VkCommandBuffer commands) const {
    if (pool_ == VK_NULL_HANDLE) return;
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_, 1);
  }
  double elapsed_ms() const {
    if (pool_ == VK_NULL_HANDLE) return 0;
    std::array<std::uint64_t, 2> values{};
    vkGetQueryPoolResults(device_.handle(), pool_, 0, 2, sizeof values, values.data(),
                          sizeof(std::uint64_t), VK_QUERY_RESULT_64_BIT);
    return static_cast<double>(values[1] - values[0]) *
           static_cast<double>(device_.properties().limits.timestampPeriod) / 1e6;
  }

 private:
  const copy::CopyDevice& device_;
  VkQueryPool pool_ = VK_NULL_HANDLE;
};

/// Keeps the GPU busy before each measured step: clocks of an idle one fall to less than half.
class Warmer {
 public:
  explicit Warmer(copy::CopyDevice& device) : device_(device) {
    if (device.properties().deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) return;
    buffer_ = device.buffer(kBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, copy::Place::device);
  }
  ~Warmer() { device_.free(buffer_); }
  Warmer(const Warmer&) = delete;
  Warmer& operator=(const Warmer&) = delete;

  void record(VkCommandBuffer commands) const {
    if (buffer_.buffer == VK_NULL_HANDLE) return;
    constexpr std::uint32_t kFills = 200;
    for (std::uint32_t i = 0; i < kFills; ++i)
      vkCmdFillBuffer(commands, buffer_.buffer, 0, VK_WHOLE_SIZE, i);
  }

 private:
  static constexpr VkDeviceSize kBytes = VkDeviceSize{256} << 20;
  copy::CopyDevice& device_;
  copy::DeviceBuffer buffer_;
};

std::string format(const char* pattern, ...) {
  std::array<char, 400> text{};
  std::va_list arguments;
  va_start(arguments, pattern);
  (void)std::vsnprintf(text.data(), text.size(), pattern, arguments);
  va_end(arguments);
  return text.data();
}

}  // namespace

StepTimes time_steps(copy::CopyDevice& device, std::uint32_t family, std::uint32_t repetitions,
                     const std::function<void(VkCommandBuffer)>& record) {
  const Timestamps timestamps(device, family);
  const Warmer warmer(device);
  StepTimes best;
  for (std::uint32_t i = 0; i <= repetitions; ++i) {
    const copy::CopyDevice::Part part{device.begin(family), family};
    const Clock::time_point start = Clock::now();
    timestamps.begin(part.commands);
    record(part.commands);
    timestamps.end(part.commands);
    const Clock::time_point recorded = Clock::now();
    device.run(family, [&](VkCommandBuffer commands) { warmer.record(commands); });
    const Clock::time_point submitted = Clock::now();
    device.submit(std::span(&part, 1));
    const double wall = milliseconds(Clock::now() - submitted);
    const double gpu = timestamps.elapsed_ms();
    if (i == 0) continue;
    if (best.wall_ms == 0 || wall < best.wall_ms) best.wall_ms = wall;
    if (i == 1 || gpu < best.gpu_ms) {
      best.gpu_ms = gpu;
      best.record_ms = milliseconds(recorded - start);
    }
  }
  return best;
}

void Report::heading(const std::string& text) {
  const std::string line = "\n" + text + "\n";
  (void)std::fputs(line.c_str(), stdout);
  text_ += line;
}

void Report::row(const std::string& name, VkDeviceSize bytes, const StepTimes& times,
                 const std::string& note) {
  const double ms = times.gpu_ms > 0 ? times.gpu_ms : times.wall_ms;
  const std::string line =
      format("  %-58s %8.1f GB/s   gpu %9.3f ms   wall %9.3f ms   record %8.3f ms  %s\n",
             name.c_str(), static_cast<double>(bytes) / ms / 1e6, times.gpu_ms, times.wall_ms,
             times.record_ms, note.c_str());
  (void)std::fputs(line.c_str(), stdout);
  (void)std::fflush(stdout);
  text_ += line;
}

}  // namespace quarry::bench
