// SPDX-License-Identifier: MIT
// Buffers moved on the machine's driver, byte for byte, in each way.
#include <algorithm>

#include "base/seed.hpp"
#include "copy/driver_rig.hpp"

namespace quarry::copy {
namespace {

TEST(CopyDriver, ComplaintsAreHeard) {
  CopyDevice& device = the_device();
  if (!device.listens()) GTEST_SKIP() << "nobody validates here (QUARRY_TEST_VALIDATION is not 1)";
  const std::size_t before = device.complaints().size();
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = 16;  // and no usage, which is invalid
  VkBuffer buffer = VK_NULL_HANDLE;
  if (vkCreateBuffer(device.handle(), &info, nullptr, &buffer) == VK_SUCCESS)
    vkDestroyBuffer(device.handle(), buffer, nullptr);
  EXPECT_GT(device.complaints().size(), before);
}

constexpr VkDeviceSize kBlock = VkDeviceSize{1} << 20;
constexpr std::size_t kBlocks = 3;

class CopyBuffers : public OnDriver, public testing::WithParamInterface<Way> {
 protected:
  void make_blocks() {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      memories_.push_back(device.allocate(kBlock, Place::device));
      auto block = engine->create_block({.memory = memories_.back().memory,
                                         .size = kBlock,
                                         .memory_type = memories_.back().memory_type,
                                         .device_address = device.has_addresses()},
                                        {});
      ASSERT_TRUE(block);
      blocks.push_back(*block);
    }
  }
  ~CopyBuffers() override {
    for (const BlockBuffer& block : blocks)
      engine->destroy_block(block);
    for (const DeviceBuffer& memory : memories_)
      device.free(memory);
    device.free(list_);
  }

  std::vector<std::byte> read_all() {
    const Staging staging(device, kBlock * kBlocks);
    device.run(0, [&](VkCommandBuffer commands) {
      full_barrier(commands);
      for (std::size_t i = 0; i < kBlocks; ++i) {
        const VkBufferCopy region{0, i * kBlock, kBlock};
        vkCmdCopyBuffer(commands, blocks[i].buffer, staging.buffer(), 1, &region);
      }
      full_barrier(commands);
    });
    return {staging.data(), staging.data() + kBlock * kBlocks};
  }
  void write_all(const std::vector<std::byte>& bytes) {
    const Staging staging(device, bytes.size());
    std::memcpy(staging.data(), bytes.data(), bytes.size());
    device.run(0, [&](VkCommandBuffer commands) {
      for (std::size_t i = 0; i < kBlocks; ++i) {
        const VkBufferCopy region{i * kBlock, 0, kBlock};
        vkCmdCopyBuffer(commands, staging.buffer(), blocks[i].buffer, 1, &region);
      }
      full_barrier(commands);
    });
  }

  /// Disjoint slots: lower halves are sources, upper ones destinations; few sizes are round.
  std::vector<BufferMove> random_moves(std::mt19937_64& random) const {
    std::vector<BufferMove> moves;
    for (VkDeviceSize at = 0; at + 30'000 < kBlock / 2; at += 30'000) {
      BufferMove move;
      move.source = &blocks[random() % kBlocks];
      move.destination = &blocks[random() % kBlocks];
      const VkDeviceSize alignment = VkDeviceSize{1} << random() % 7;
      move.source_offset = (at + random() % 64 + alignment - 1) / alignment * alignment;
      move.destination_offset =
          kBlock / 2 + (at + random() % 64 + alignment - 1) / alignment * alignment;
      move.slot_size = 1 + random() % (VkDeviceSize{1} << (1 + random() % 14));
      if (random() % 4 == 0) move.slot_size += 12'000;
      move.size = move.slot_size - random() % std::min<VkDeviceSize>(move.slot_size, 20);
      moves.push_back(move);
    }
    return moves;
  }

  ListMemory make_list(VkDeviceSize size) {
    list_ = device.buffer(size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, Place::host);
    return {.buffer = list_.buffer,
            .mapped = list_.mapped,
            .size = size,
            .address = GetParam() == Way::windows ? 0 : list_.address};
  }

  std::vector<BlockBuffer> blocks;

 private:
  std::vector<DeviceBuffer> memories_;
  DeviceBuffer list_;
};

TEST_P(CopyBuffers, EveryByteAndNoOther) {
  open(GetParam());
  make_blocks();
  const std::uint64_t seed = test::seeds(1).front();
  std::mt19937_64 random(seed);
  const std::vector<std::byte> before = noise(kBlock * kBlocks, seed);
  write_all(before);
  const std::vector<BufferMove> moves = random_moves(random);
  const ListMemory list = make_list(engine->list_bytes(moves));
  Figures figures;
  device.run(0, [&](VkCommandBuffer recording) {
    Commands commands;
    commands.copy = recording;
    auto recorded = engine->record(commands, moves, {}, list, step);
    ASSERT_TRUE(recorded);
    figures = *recorded;
  });
  EXPECT_EQ(figures.dispatches != 0, GetParam() != Way::commands);
  const std::vector<std::byte> after = read_all();
  std::vector<std::byte> expected = before;
  for (const BufferMove& move : moves) {
    const auto at = [&](const BlockBuffer* block, VkDeviceSize offset) {
      return static_cast<std::ptrdiff_t>(static_cast<std::size_t>(block - blocks.data()) * kBlock +
                                         offset);
    };
    const std::ptrdiff_t source = at(move.source, move.source_offset);
    const std::ptrdiff_t destination = at(move.destination, move.destination_offset);
    const auto size = static_cast<std::ptrdiff_t>(move.size);
    const auto slot = static_cast<std::ptrdiff_t>(move.slot_size);
    std::copy_n(before.begin() + source, size, expected.begin() + destination);
    // Bytes of the slot behind the contents may have changed.
    std::copy(after.begin() + destination + size, after.begin() + destination + slot,
              expected.begin() + destination + size);
  }
  EXPECT_TRUE(expected == after) << "seed " << seed;
}

TEST_P(CopyBuffers, SeveralRecordingsWithOneStep) {
  open(GetParam());
  make_blocks();
  const std::vector<std::byte> before = noise(kBlock * kBlocks, 5);
  write_all(before);
  BufferMove move{.source = blocks.data(), .destination = &blocks[1]};
  move.size = move.slot_size = 100'000;
  const ListMemory list = make_list(engine->list_bytes(std::span(&move, 1)));
  for (std::size_t hop = 0; hop < 3; ++hop) {
    device.run(0, [&](VkCommandBuffer recording) {
      Commands commands;
      commands.copy = recording;
      ASSERT_TRUE(engine->record(commands, std::span(&move, 1), {}, list, step));
    });
    move.source = move.destination;
    move.source_offset = move.destination_offset;
    move.destination = &blocks[(hop + 2) % kBlocks];
    move.destination_offset += 300'000;
  }
  const std::vector<std::byte> after = read_all();
  const auto moved = after.begin() + static_cast<std::ptrdiff_t>(kBlock * 0 + 600'000);
  EXPECT_TRUE(std::equal(moved, moved + 100'000, before.begin()));
}

std::string name_of(const testing::TestParamInfo<Way>& tested) {
  switch (tested.param) {
    case Way::addresses:
      return "Addresses";
    case Way::windows:
      return "Windows";
    default:
      return "Commands";
  }
}

INSTANTIATE_TEST_SUITE_P(, CopyBuffers,
                         testing::Values(Way::addresses, Way::windows, Way::commands), name_of);

}  // namespace
}  // namespace quarry::copy
