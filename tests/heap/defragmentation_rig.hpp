// SPDX-License-Identifier: MIT
// A rig whose movable buffers and images hold bytes of their own, so that a test can see that moves
// keep them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "copy/played_shaders.hpp"
#include "heap/rig.hpp"

namespace quarry::test {

class DefragmentationRig : public Rig {
 public:
  struct Resource {
    Allocation allocation{};
    VkBuffer buffer = VK_NULL_HANDLE;
    VkImage image = VK_NULL_HANDLE;
    VkDeviceSize size = 0;
    std::uint8_t mark = 0;
  };

  explicit DefragmentationRig(const Change& change = {},
                              fakes::FakeProfile profile = fakes::profiles::discrete())
      : Rig(std::move(profile),
            [&](AllocatorDesc& desc) {
              desc.blocks.first_block = desc.blocks.largest_block = VkDeviceSize{4} << 20;
              if (change) change(desc);
            }),
        semaphore(gpu.create_timeline_semaphore()) {
    copy::play_copy_shaders(gpu);
  }

  void add_buffer(VkDeviceSize size, const AllocationDesc& desc = {.movable = true},
                  VkBufferUsageFlags more_usage = 0) {
    VkBufferCreateInfo info = fakes::buffer_info(size);
    info.usage |= more_usage;
    const auto made = allocator.create_buffer(info, desc);
    ASSERT_TRUE(made);
    resources.push_back({made->allocation, made->buffer, VK_NULL_HANDLE, size, next_mark()});
    write(resources.back());
  }
  void add_image(std::uint32_t width, std::uint32_t height) {
    VkImageCreateInfo info = fakes::image_info(width, height);
    info.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    info.mipLevels = 2;
    const auto made = allocator.create_image(info, {.movable = true});
    ASSERT_TRUE(made);
    resources.push_back({made->allocations[0], VK_NULL_HANDLE, made->image, 0, next_mark()});
    write(resources.back());
  }
  void destroy(std::size_t index) {
    const Resource& resource = resources[index];
    ASSERT_TRUE(resource.image != VK_NULL_HANDLE
                    ? allocator.destroy(Image{resource.image, {resource.allocation}})
                    : allocator.destroy(Buffer{resource.buffer, resource.allocation}));
    resources.erase(resources.begin() + static_cast<std::ptrdiff_t>(index));
  }
  void destroy_all() {
    while (!resources.empty())
      destroy(resources.size() - 1);
  }
  void destroy_every_other() {
    for (std::size_t i = resources.size(); i-- > 0;) {
      if (i % 2 == 1) destroy(i);
    }
  }

  void write(const Resource& resource) {
    const std::vector<std::byte> bytes(
        std::max<std::size_t>(1, static_cast<std::size_t>(resource.size)),
        std::byte{resource.mark});
    if (resource.image == VK_NULL_HANDLE) {
      const auto where = gpu.buffer_binding(resource.buffer);
      ASSERT_TRUE(where && gpu.device_write(where->memory, where->offset, bytes));
      return;
    }
    for (std::uint32_t mip = 0; mip < 2; ++mip)
      gpu.write_image(resource.image, VK_IMAGE_ASPECT_COLOR_BIT, mip, 0,
                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, bytes);
  }
  void expect_contents() {
    for (const Resource& resource : resources) {
      const auto info = allocator.info(resource.allocation);
      ASSERT_TRUE(info);
      if (resource.image == VK_NULL_HANDLE) {
        const auto where = gpu.buffer_binding(resource.buffer);
        ASSERT_TRUE(where);
        EXPECT_EQ(where->memory, info->memory);
        EXPECT_EQ(where->offset, info->offset);
        std::vector<std::byte> bytes(static_cast<std::size_t>(resource.size));
        ASSERT_TRUE(gpu.device_read(where->memory, where->offset, bytes));
        EXPECT_EQ(bytes, std::vector<std::byte>(bytes.size(), std::byte{resource.mark}));
        continue;
      }
      const auto where = gpu.image_binding(resource.image);
      ASSERT_TRUE(where);
      EXPECT_EQ(where->memory, info->memory);
      EXPECT_EQ(where->offset, info->offset);
      for (std::uint32_t mip = 0; mip < 2; ++mip) {
        EXPECT_EQ(gpu.image_layout(resource.image, mip, 0),
                  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        const auto bytes = gpu.read_image(resource.image, VK_IMAGE_ASPECT_COLOR_BIT, mip, 0);
        EXPECT_EQ(bytes, std::vector<std::byte>(bytes.size(), std::byte{resource.mark}));
      }
    }
  }

  static bool known_state(void* /*user*/, const MovableResource& resource, ResourceState& state) {
    if (resource.image != VK_NULL_HANDLE) state.layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    state.stages = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
    state.access = VK_ACCESS_SHADER_READ_BIT;
    return true;
  }
  DefragmentationStep step() {
    return {.commands = gpu.begin_commands(),
            .queue_family = 0,
            .value = ++value,
            .state = known_state};
  }
  /// Takes over the new handles.
  void rename(std::span<const MovedResource> moved) {
    for (const MovedResource& each : moved) {
      const auto found = std::find_if(
          resources.begin(), resources.end(),
          [&](const Resource& resource) { return resource.allocation == each.allocation; });
      if (found == resources.end()) continue;
      EXPECT_EQ(found->buffer, each.old_buffer);
      EXPECT_EQ(found->image, each.old_image);
      found->buffer = each.new_buffer;
      found->image = each.new_image;
    }
  }
  /// One step from recording to completion; how many were moved.
  std::size_t run_step(Defragmentation& pass, DefragmentationStep step) {
    const auto moved = pass.record(step);
    EXPECT_TRUE(moved);
    if (!moved) return 0;
    const std::size_t count = moved->size();
    rename(*moved);
    gpu.submit(std::span(&step.commands, 1), semaphore, step.value);
    gpu.signal(semaphore, step.value);
    pass.complete(step.value);
    return count;
  }
  void run(Defragmentation& pass) {
    for (int i = 0; !pass.done() && i < 10'000; ++i)
      (void)run_step(pass, step());
    EXPECT_TRUE(pass.done());
  }
  std::uint8_t next_mark() { return static_cast<std::uint8_t>(1 + resources.size() % 250); }

  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
  std::vector<Resource> resources;
};

}  // namespace quarry::test
