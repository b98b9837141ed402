// SPDX-License-Identifier: MIT
// What a run measured: the members of report.json, and the table on the terminal. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quarry::viewer {

struct FrameRecord {
  double milliseconds = 0.0;         ///< of work; waiting for the frame's turn (pacing) is left out
  double seconds = 0.0;              ///< its end, from the beginning of the first
  std::uint64_t resident_bytes = 0;  ///< texture images alive
  std::uint64_t live_bytes = 0;      ///< in allocations of any kind
  std::uint64_t reserved_bytes = 0;  ///< VkDeviceMemory held by the allocator
  std::uint64_t budget_bytes = 0;
  std::uint64_t driver_allocations = 0;  ///< vkAllocateMemory calls in this frame
  std::uint64_t uploaded_bytes = 0;      ///< of textures
  std::uint64_t moves = 0;               ///< of textures, from block to block
  std::uint64_t moved_bytes = 0;
  bool at_rest = false;  ///< the camera does not move any more
};

struct Report {
  std::string device;
  std::uint32_t materials = 0;
  std::uint64_t budget_bytes = 0;
  std::uint64_t peak_reserved_bytes = 0;
  std::uint64_t peak_live_bytes = 0;
  std::uint64_t material_bytes_total = 0;
  std::uint64_t validation_messages = 0;
  bool validation = false;
  std::uint32_t textures_below_wanted_mip = 0;
  std::uint64_t smallest_upgrade_bytes = 0;  ///< has to fit beside the image that it replaces
  std::uint64_t budget_left_bytes = 0;
  std::uint64_t bytes_freed_by_moves = 0;  ///< in whole blocks, given back to the driver
  bool interrupted = false;
  std::vector<std::string> problems;  ///< files that could not be shown, and why
  std::vector<std::string> pictures;
  std::vector<FrameRecord> frames;
};

/// Half of the frames took at most this long. 0 without frames.
double median_milliseconds(const std::vector<FrameRecord>& frames);
/// Frames that took more than twice the median.
std::vector<std::uint32_t> hitches(const std::vector<FrameRecord>& frames);
/// Driver allocations in the last 100 frames, or in all where there are fewer.
std::uint64_t driver_allocations_last_100(const std::vector<FrameRecord>& frames);

/// The budget of a frame was another one than that of the frame before.
struct BudgetChange {
  std::uint32_t frame = 0;
  std::uint64_t bytes = 0;          ///< from now on
  std::uint32_t frames_above = 0;   ///< that held more
  double seconds_above = 0.0;       ///< until the end of the last of them
  double worst_milliseconds = 0.0;  ///< of its frames, to the next change or the end
};
std::vector<BudgetChange> budget_changes(const std::vector<FrameRecord>& frames);
/// Bytes in device memory for each that lives, mean over the second half of the frames: by then the
/// textures have come and begin to go. 0 without frames.
double reserved_over_live(const std::vector<FrameRecord>& frames);

std::string to_json(const Report& report);
std::string to_table(const Report& report);

}  // namespace quarry::viewer
