// SPDX-License-Identifier: MIT
// Times whole steps of the copy engine: GPU time between two timestamps around everything recorded,
// wall time of recording and of submission to completion. Before
// each submission the GPU is kept busy for some milliseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "copy/copy_device.hpp"

namespace quarry::bench {

struct StepTimes {
  double gpu_ms = 0;     ///< best of the repetitions; 0 where the family has no timestamps
  double record_ms = 0;  ///< of that repetition, on the CPU
  double wall_ms = 0;    ///< best from submission to completion
};

/// Runs `record` on a queue of the family, `repetitions` times after one that is not counted.
StepTimes time_steps(copy::CopyDevice& device, std::uint32_t family, std::uint32_t repetitions,
                     const std::function<void(VkCommandBuffer)>& record);

/// Lines for the terminal and the summary file.
class Report {
 public:
  void heading(const std::string& text);
  /// One way: bytes of the moved contents a second of GPU time (of wall time without timestamps).
  void row(const std::string& name, VkDeviceSize bytes, const StepTimes& times,
           const std::string& note = "");
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace quarry::bench
