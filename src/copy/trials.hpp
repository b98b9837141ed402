// SPDX-License-Identifier: MIT
// Calibration: timed trials of every way of copying on one queue family, recorded once or a few
// times when the owner likes, evaluated into a CopyCalibration that can be stored. Nothing here is
// needed for moving.
#pragma once

#include <array>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <quarry/result.hpp>

#include "base/host_array.hpp"
#include "copy/engine.hpp"

namespace quarry::copy {

/// What the trials copy: scratch of the caller's, whose contents are lost.
struct TrialSubject {
  /// Of one size, 64 MiB or more for figures that mean something; device-local.
  BlockBuffer source{};
  BlockBuffer destination{};
  ListMemory list{};  ///< at least Trials::list_bytes
  /// Layout TRANSFER_SRC_OPTIMAL, without depth and of one sample; null images are not tried.
  ImageMove texels{};            ///< RGBA8 or the like
  ImageMove blocks{};            ///< a compressed format
  VkDeviceSize texel_bytes = 0;  ///< contents of the image
  VkDeviceSize block_bytes = 0;
  std::uint32_t timestamp_bits = 64;  ///< timestampValidBits of the family
};

/// One at a time for each object; the engine must outlive it.
class Trials {
 public:
  Trials(const device::Device& device, const Engine& engine)
      : device_(device),
        engine_(engine),
        small_(device.host()),
        large_(device.host()),
        moves_(device.host()) {}
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;
  /// The GPU must be done with what was recorded.
  ~Trials();

  /// Fails with Reason::function_missing without vkCreateQueryPool and its like, or as the driver
  /// says.
  Status open();
  VkDeviceSize list_bytes(const TrialSubject& subject);

  /// Records what the family can do into commands.copy, whose family is the owner, too. Fails with
  /// Reason::unsupported where it has no timestamps.
  Status record(const Commands& commands, const TrialSubject& subject);
  /// When the recorded work is done: adds the figures of its family. Figures that are there stay if
  /// they are greater, so that a second round makes up for a cold first one.
  Status evaluate(CopyCalibration& calibration);

 private:
  /// In the order of recording; the figure is FamilySpeed's of that name.
  enum class Kind : std::uint8_t {
    shader_small,
    command_small,
    shader_large,
    command_large,
    image_texels,
    image_blocks,
    count
  };
  static constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::count);

  [[nodiscard]] bool make_small_moves(const TrialSubject& subject);
  template <class Record>
  Status time(VkCommandBuffer commands, Kind kind, VkDeviceSize bytes, Record record);

  const device::Device& device_;
  const Engine& engine_;
  Step small_;
  Step large_;
  base::HostArray<BufferMove> moves_;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  std::array<VkDeviceSize, kKinds> bytes_{};  ///< 0: not recorded
  std::uint32_t family_ = 0;
  std::uint32_t timestamp_bits_ = 0;
};

}  // namespace quarry::copy
