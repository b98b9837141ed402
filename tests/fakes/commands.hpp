// SPDX-License-Identifier: MIT
// Internal to the fake GPU: command buffers, pipelines and descriptors. A command is checked as far
// as possible when it is recorded; what depends on the device's state then (contents, layouts,
// owners) is checked when it runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "fakes/fake_gpu.hpp"

namespace quarry::fakes {

struct State;

/// A range of a buffer as a shader sees it.
struct BoundRange {
  std::uint64_t buffer = 0;
  VkDeviceSize offset = 0;
  VkDeviceSize range = 0;
};

struct DescriptorSet {
  std::uint64_t pool = 0;
  std::map<std::uint32_t, BoundRange> bindings;
};

struct DescriptorPool {
  std::uint32_t sets_left = 0;
  std::uint32_t sets = 0;
};

struct PipelineLayout {
  std::size_t set_count = 0;
  std::uint32_t push_bytes = 0;
};

struct Pipeline {
  std::uint64_t layout = 0;
  std::vector<std::uint32_t> code;
};

/// What is bound while recording, and with each dispatch.
struct BoundState {
  std::uint64_t pipeline = 0;
  std::map<std::uint32_t, DescriptorSet> sets;
  std::array<std::byte, 256> push_constants{};
};

/// A VkCommandBuffer points to one of these.
struct CommandBuffer {
  State* state = nullptr;
  std::uint32_t family = 0;
  bool submitted = false;
  BoundState bound;
  std::vector<std::function<void(State&)>> commands;
  std::set<std::uint64_t> uses;  ///< buffers, images, pipelines

  VkQueueFlags queue_flags() const;
};

struct Submission {
  std::vector<CommandBuffer*> commands;
  std::uint64_t semaphore = 0;
  std::uint64_t value = 0;
};

/// Bytes of one aspect, mip and layer in the memory that an image is bound to.
struct SubresourceBytes {
  VkDeviceSize offset = 0;  ///< from the image's start
  VkDeviceSize size = 0;
};

/// One aspect bit; a multi-planar image's planes are aspects, too.
SubresourceBytes subresource_bytes(const VkImageCreateInfo& info, VkImageAspectFlagBits aspect,
                                   std::uint32_t mip, std::uint32_t layer);
/// Texels of the aspect in the mip.
VkExtent3D subresource_extent(const VkImageCreateInfo& info, VkImageAspectFlagBits aspect,
                              std::uint32_t mip);
/// Every aspect of the format.
VkImageAspectFlags aspects_of(VkFormat format);

/// Runs and forgets what waits for this value or a lesser one.
void run_submissions(State& state, std::uint64_t semaphore, std::uint64_t value);
void run_now(State& state, const std::vector<CommandBuffer*>& commands);
/// Whether submitted work uses the object, or a resource bound to the memory.
bool submission_uses(const State& state, std::uint64_t id);

}  // namespace quarry::fakes
