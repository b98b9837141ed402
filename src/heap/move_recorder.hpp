// SPDX-License-Identifier: MIT
// Who records the copies of moves into the owner's command buffers, and the plainest of them: copy
// commands, with barriers around all that one call moves.
#pragma once

#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include <quarry/defragmentation.hpp>

#include "device/device.hpp"

namespace quarry::heap {

class Block;

struct BufferMove {
  VkBuffer from = VK_NULL_HANDLE;
  VkBuffer to = VK_NULL_HANDLE;
  VkDeviceSize size = 0;  ///< bytes of the buffer
  const Block* from_block = nullptr;
  const Block* to_block = nullptr;
  VkDeviceSize from_offset = 0;  ///< bytes into the block's memory
  VkDeviceSize to_offset = 0;
  VkDeviceSize slot_size = 0;  ///< bytes that the allocation has in both places
  bool concurrent = false;     ///< no queue family owns it
  bool host_visible = false;   ///< the CPU may see either place
  ResourceState state;         ///< as its owner said, before and afterwards
};

struct ImageMove {
  VkImage from = VK_NULL_HANDLE;
  VkImage to = VK_NULL_HANDLE;
  const VkImageCreateInfo* info = nullptr;
  bool host_visible = false;
  ResourceState state;
};

class MoveRecorder {
 public:
  /// Whether it can move such an image in such a step.
  virtual bool can_move(const VkImageCreateInfo& info, const DefragmentationStep& step) const = 0;
  /// Records the copies and whatever keeps them apart from what stands before and after. Cannot
  /// fail.
  virtual void record(const DefragmentationStep& step, std::span<const BufferMove> buffers,
                      std::span<const ImageMove> images) = 0;
  /// The GPU is done with the commands of steps of this value and below.
  virtual void complete(std::uint64_t /*value*/) {}
  /// The block ends soon; nothing recorded needs it any more.
  virtual void forget(const Block& /*block*/) {}

 protected:
  ~MoveRecorder() = default;
};

class CommandRecorder final : public MoveRecorder {
 public:
  explicit CommandRecorder(const device::Device& device) : device_(device) {}

  /// Whether the table has what it takes.
  static bool is_possible(const device::Device& device);
  bool can_move(const VkImageCreateInfo& info, const DefragmentationStep& step) const override;
  void record(const DefragmentationStep& step, std::span<const BufferMove> buffers,
              std::span<const ImageMove> images) override;

 private:
  void record_images(VkCommandBuffer commands, std::span<const ImageMove> images) const;
  void copy(VkCommandBuffer commands, const ImageMove& move) const;

  const device::Device& device_;
};

}  // namespace quarry::heap
