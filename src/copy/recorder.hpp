// SPDX-License-Identifier: MIT
// The copies of one recording, between its barriers.
#pragma once

#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include "copy/list_writer.hpp"
#include "copy/move.hpp"
#include "copy/pipelines.hpp"
#include "copy/step.hpp"
#include "device/device.hpp"

namespace quarry::copy {

/// Descriptor sets of one recording at most. What needs more goes by copy command.
constexpr std::uint32_t kMostWindowSets = 1024;

class Recorder {
 public:
  Recorder(const device::Device& device, const Commands& commands, Step& step)
      : device_(device), commands_(commands), step_(step) {}

  void set_dispatch_limits(std::uint32_t rows, std::uint32_t groups) {
    rows_ = rows;
    most_groups_ = groups;
  }

  /// All that can fail, host memory and descriptor sets, before anything is recorded: for
  /// Step::regions and windows as they are, and these images.
  [[nodiscard]] VkResult prepare(const Pipelines& pipelines, std::span<const ImageMove> images);
  /// Step::regions, one vkCmdCopyBuffer for each pair of buffers.
  void copy_regions();
  /// Nothing has to be done between these and the regions: they share no byte.
  void dispatch_addresses(const Pipelines& pipelines, const ListMemory& list,
                          const WrittenList& written);
  /// Step::windows, a dispatch and a descriptor set for each pair of windows.
  void dispatch_windows(const Pipelines& pipelines, const ListMemory& list,
                        const WrittenList& written, VkDeviceSize window);
  void copy_image(const ImageMove& move);

  const Figures& figures() const { return figures_; }
  /// Of the windows for which there was no descriptor set.
  VkDeviceSize bytes_by_command_instead() const { return bytes_by_command_instead_; }

 private:
  /// A barrier where a copy since the last one wrote a buffer that this one touches, or read the
  /// one that this one writes. The bytes lie apart, but checking layers look at whole buffers, and
  /// blocks that do not meet need none.
  void separate(const Touched& touched);
  VkResult make_pool(std::uint32_t sets);
  VkResult make_sets(const Pipelines& pipelines, std::uint32_t count);
  void bind_windows(VkDescriptorSet set, const Pipelines& pipelines, const ListMemory& list,
                    const WrittenList& written, VkDeviceSize window, const WindowPair& pair);
  void copy_chunks(std::span<const WindowChunk> chunks, VkDeviceSize window);
  template <class Push>
  void dispatch(VkPipelineLayout layout, Push push, std::uint32_t first, std::uint32_t count);

  const device::Device& device_;
  const Commands& commands_;
  Step& step_;
  std::uint32_t rows_ = 1;
  std::uint32_t most_groups_ = 65'535;
  VkDeviceSize bytes_by_command_instead_ = 0;
  Figures figures_;
};

}  // namespace quarry::copy
