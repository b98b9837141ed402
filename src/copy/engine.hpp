// SPDX-License-Identifier: MIT
// The copy engine: records moves of buffers' and images' contents into the caller's command buffers
// and chooses the quickest way. It never submits and never waits. Start reading src/copy here; what
// is moved is in move.hpp.
#pragma once

#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include <quarry/result.hpp>

#include "copy/block_buffer.hpp"
#include "copy/calibration.hpp"
#include "copy/list_writer.hpp"
#include "copy/move.hpp"
#include "copy/pipelines.hpp"
#include "copy/step.hpp"
#include "device/device.hpp"

namespace quarry::copy {

/// How buffers' contents go. All but `automatic` are for measuring and testing, and fall back to
/// what stands behind them where they cannot be had.
enum class Way : std::uint8_t {
  automatic,  ///< as the calibration says; without one by shader, on a CPU device by command
  addresses,  ///< one dispatch, by device address
  windows,    ///< a dispatch for each pair of windows into blocks
  commands,   ///< vkCmdCopyBuffer
};

struct EngineDesc {
  Way way = Way::automatic;
  Tuning tuning{};
  CopyCalibration calibration{};  ///< ignored if it is of another device or driver
};

/// Constant after open(): any thread may record, each with a step of its own.
class Engine {
 public:
  explicit Engine(const device::Device& device) : device_(device) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  /// The GPU must be done with everything recorded.
  ~Engine();

  /// Once. Fails with Reason::function_missing (see missing_function) where VulkanFunctions lacks
  /// what moving needs, bad_argument for a tuning that makes no sense, or as the driver says.
  Status open(const EngineDesc& desc = {});
  /// Name of the function whose absence open() refused, or null.
  const char* missing_function() const { return missing_function_; }

  /// Whether blocks whose memory has VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT are moved by address.
  bool uses_addresses() const { return pipelines_.address != VK_NULL_HANDLE; }
  /// As create_block_buffer, within maxBufferSize.
  Result<BlockBuffer> create_block(const BlockMemory& block,
                                   std::span<const std::uint32_t> queue_families) const;
  void destroy_block(const BlockBuffer& block) const { destroy_block_buffer(device_, block); }

  /// Before the step's end, when the GPU is done with what was recorded with it.
  void close_step(Step& step) const;

  /// What ListMemory needs for these moves, in bytes; an upper bound.
  VkDeviceSize list_bytes(std::span<const BufferMove> moves, Way way = Way::automatic) const;

  /// Records barriers, copies, barriers. `step`'s earlier recording must be done. Images with
  /// depth, stencil or several samples need a copying family with graphics: Reason::unsupported
  /// elsewhere. On an error the command buffers hold useless but harmless commands: do not submit
  /// them.
  Result<Figures> record(const Commands& commands, std::span<const BufferMove> buffers,
                         std::span<const ImageMove> images, const ListMemory& list, Step& step,
                         Way way = Way::automatic) const;

 private:
  ListRules rules(Way way, VkQueueFlags queue, std::uint32_t family, bool addressed) const;

  const device::Device& device_;
  EngineDesc desc_;
  Pipelines pipelines_;
  VkDeviceSize window_ = 0;
  VkDeviceSize storage_alignment_ = 1;
  VkDeviceSize largest_buffer_ = VK_WHOLE_SIZE;
  const char* missing_function_ = nullptr;
};

}  // namespace quarry::copy
