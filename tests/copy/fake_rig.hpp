// SPDX-License-Identifier: MIT
// The copy engine on a fake GPU, with blocks and a list.
#pragma once

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "copy/engine.hpp"
#include "copy/played_shaders.hpp"
#include "device/device.hpp"
#include "fakes/bench.hpp"
#include "fakes/expect.hpp"

namespace quarry::copy {

struct FakeRig : fakes::Bench {
  explicit FakeRig(fakes::FakeProfile profile = fakes::profiles::rebar(),
                   const EngineDesc& desc = {})
      : Bench(std::move(profile)), step(HostMemory::standard()) {
    play_copy_shaders(gpu);
    EXPECT_TRUE(opened.open(gpu.allocator_desc()));
    EXPECT_TRUE(engine.open(desc));
  }
  /// Nothing may be left, nothing may have gone wrong.
  ~FakeRig() {
    for (const BlockBuffer& block : blocks)
      engine.destroy_block(block);
    if (list.buffer != VK_NULL_HANDLE) destroy_buffer(list.buffer);
    if (list_memory != VK_NULL_HANDLE) {
      unmap(list_memory);
      free(list_memory);
    }
    for (VkDeviceMemory memory : memories)
      free(memory);
    engine.close_step(step);
    owned.reset();
    expect_clean_end(gpu);
  }
  FakeRig(const FakeRig&) = delete;
  FakeRig& operator=(const FakeRig&) = delete;

  bool has_addresses() const { return gpu.profile().features.buffer_device_address; }

  VkDeviceMemory allocate_block(VkDeviceSize size, std::uint32_t type) {
    VkMemoryAllocateFlagsInfo flags{};
    flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    return allocate(type, size, has_addresses() ? &flags : nullptr);
  }

  const BlockBuffer& add_block(VkDeviceSize size, std::uint32_t type = 0) {
    memories.push_back(allocate_block(size, type));
    auto block = engine.create_block({.memory = memories.back(),
                                      .size = size,
                                      .memory_type = type,
                                      .device_address = has_addresses()},
                                     {});
    EXPECT_TRUE(block);
    blocks.push_back(block ? *block : BlockBuffer{});
    return blocks.back();
  }

  void make_list(std::span<const BufferMove> moves, std::uint32_t host_type = 1) {
    list.size = engine.list_bytes(moves);
    list_memory = allocate_block(list.size + 256, host_type);
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    if (has_addresses()) usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    list.buffer = buffer(fakes::buffer_info(list.size, usage));
    bind_buffer(list.buffer, list_memory);
    list.mapped = static_cast<std::byte*>(map(list_memory));
    if (!has_addresses()) return;
    VkBufferDeviceAddressInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    info.buffer = list.buffer;
    list.address = vk.vkGetBufferDeviceAddress(device(), &info);
  }

  device::Device opened;
  std::unique_ptr<Engine> owned = std::make_unique<Engine>(opened);
  Engine& engine = *owned;
  Step step;
  std::vector<VkDeviceMemory> memories;
  std::vector<BlockBuffer> blocks = make_room();
  VkDeviceMemory list_memory = VK_NULL_HANDLE;
  ListMemory list{};

 private:
  /// Moves point to blocks, which must stay where they are.
  static std::vector<BlockBuffer> make_room() {
    std::vector<BlockBuffer> room;
    room.reserve(64);
    return room;
  }
};

}  // namespace quarry::copy
