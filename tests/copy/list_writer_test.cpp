// SPDX-License-Identifier: MIT
// The lists and regions cover what is moved: played back on plain arrays, byte for byte.
#include "copy/list_writer.hpp"

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/seed.hpp"
#include "copy/share.hpp"
#include "fakes/handles.hpp"

namespace quarry::copy {
namespace {

constexpr VkDeviceSize kBlock = 1024;
constexpr VkDeviceSize kAlignment = 64;

/// Two blocks of known bytes, at made-up addresses.
struct World {
  World() {
    for (std::size_t i = 0; i < 2; ++i) {
      blocks[i] = {fakes::handle_of<VkBuffer>(100 + i), kBlock, addresses[i]};
      bytes[i].resize(kBlock);
      for (std::size_t at = 0; at < kBlock; ++at)
        bytes[i][at] = static_cast<unsigned char>(at * 7 + i * 131 + at / 256);
    }
  }
  unsigned char* at(VkDeviceAddress address) {
    const std::size_t block = address >= addresses[1] ? 1 : 0;
    return &bytes[block].at(static_cast<std::size_t>(address - addresses[block]));
  }
  unsigned char* at(VkBuffer buffer, VkDeviceSize offset) {
    return &bytes[buffer == blocks[1].buffer ? 1 : 0].at(static_cast<std::size_t>(offset));
  }

  static constexpr VkDeviceAddress addresses[2] = {1u << 20, 1u << 21};
  BlockBuffer blocks[2];
  std::vector<unsigned char> bytes[2];
};

std::size_t bytes_of(std::uint32_t units) {
  const VkDeviceSize unit = (units & kWordUnits) != 0 ? kWordBytes : kQuadBytes;
  return static_cast<std::size_t>((units & ~kWordUnits) * unit);
}

struct Written {
  explicit Written(VkDeviceSize size)
      : step(HostMemory::standard()), list(static_cast<std::size_t>(size)) {
    memory.mapped = list.data();
    memory.size = size;
  }
  void play(World& world, const ListRules& rules) {
    for (std::uint32_t i = 0; i < written.address_entries; ++i) {
      AddressEntry entry;
      std::memcpy(&entry, list.data() + i * sizeof entry, sizeof entry);
      EXPECT_LE(bytes_of(entry.units), rules.chunk);
      std::memcpy(world.at(entry.destination), world.at(entry.source), bytes_of(entry.units));
    }
    for (std::uint32_t i = 0; i < written.window_entries; ++i) {
      WindowEntry entry;
      std::memcpy(&entry,
                  list.data() + static_cast<std::size_t>(written.window_offset) + i * sizeof entry,
                  sizeof entry);
      const WindowPair& pair = step.windows[i].pair;
      const VkDeviceSize source = entry.source * kWordBytes;
      const VkDeviceSize destination = entry.destination * kWordBytes;
      EXPECT_LE(source + bytes_of(entry.units), rules.window);
      EXPECT_LE(destination + bytes_of(entry.units), rules.window);
      std::memcpy(
          world.at(pair.destination->buffer, pair.destination_window * rules.window + destination),
          world.at(pair.source->buffer, pair.source_window * rules.window + source),
          bytes_of(entry.units));
    }
    for (const CommandRegion& region : step.regions)
      std::memcpy(world.at(region.destination, region.region.dstOffset),
                  world.at(region.source, region.region.srcOffset),
                  static_cast<std::size_t>(region.region.size));
  }
  Step step;
  std::vector<std::byte> list;
  ListMemory memory;
  WrittenList written;
};

/// Slots of a random size at random places of both blocks, the destinations in the second halves.
std::vector<BufferMove> random_moves(const World& world, std::mt19937_64& random) {
  std::vector<BufferMove> moves;
  VkDeviceSize at = 0;
  while (at < kBlock / 2 - 120) {
    BufferMove move;
    move.source = &world.blocks[random() % 2];
    move.destination = &world.blocks[random() % 2];
    move.source_offset = at + random() % 20;
    move.destination_offset = kBlock / 2 + at + (random() % 2 == 0 ? move.source_offset - at : 0);
    if (random() % 3 != 0) {
      move.source_offset &= ~VkDeviceSize{15};
      move.destination_offset &= ~VkDeviceSize{15};
      move.source_offset = std::max(move.source_offset, (at + 15) & ~VkDeviceSize{15});
      move.destination_offset =
          std::max(move.destination_offset, kBlock / 2 + ((at + 15) & ~VkDeviceSize{15}));
    }
    move.slot_size = 1 + random() % 80;
    move.size = 1 + random() % move.slot_size;
    at += 120;
    moves.push_back(move);
  }
  return moves;
}

void check(std::uint64_t seed, const ListRules& rules) {
  std::mt19937_64 random(seed);
  World world;
  const World before;
  const std::vector<BufferMove> moves = random_moves(world, random);
  Written written(list_bytes(rules, moves));
  ASSERT_EQ(write_list(rules, moves, written.memory, kAlignment, written.step, written.written),
            ListError::none);
  EXPECT_LE(written.written.bytes, written.memory.size);
  EXPECT_EQ(written.written.window_offset % kAlignment, 0u);
  written.play(world, rules);
  std::vector<bool> mine[2] = {std::vector<bool>(kBlock), std::vector<bool>(kBlock)};
  for (const BufferMove& move : moves) {
    const std::size_t to = move.destination == &world.blocks[1] ? 1 : 0;
    const std::size_t from = move.source == &world.blocks[1] ? 1 : 0;
    for (VkDeviceSize i = 0; i < move.slot_size; ++i)
      mine[to][static_cast<std::size_t>(move.destination_offset + i)] = true;
    EXPECT_EQ(std::memcmp(&world.bytes[to][static_cast<std::size_t>(move.destination_offset)],
                          &before.bytes[from][static_cast<std::size_t>(move.source_offset)],
                          static_cast<std::size_t>(move.size)),
              0)
        << "seed " << seed << ", " << move.source_offset << " to " << move.destination_offset;
  }
  for (std::size_t block = 0; block < 2; ++block) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      if (mine[block][i]) continue;
      EXPECT_EQ(world.bytes[block][i], before.bytes[block][i]) << "seed " << seed;
    }
  }
}

TEST(ListWriter, MovesEveryByteAndTouchesNoOtherByAddress) {
  for (const std::uint64_t seed : test::seeds(50))
    check(seed, {.chunk = 32, .window = 256, .shaders = true, .addresses = true});
}

TEST(ListWriter, MovesEveryByteAndTouchesNoOtherThroughWindows) {
  for (const std::uint64_t seed : test::seeds(50))
    check(seed, {.chunk = 48, .window = 64, .shaders = true});
}

TEST(ListWriter, MovesEveryByteAndTouchesNoOtherByCommand) {
  for (const std::uint64_t seed : test::seeds(10))
    check(seed, {.chunk = 32, .window = 256});
}

TEST(ListWriter, LargeMovesGoByCommandIfTheRulesSaySo) {
  const World world;
  BufferMove move{.source = &world.blocks[0], .destination = &world.blocks[1]};
  move.size = move.slot_size = 512;
  const ListRules rules{.chunk = 64, .window = 512, .shaders = true, .largest_shader_move = 511};
  Written written(list_bytes(rules, std::span(&move, 1)));
  ASSERT_EQ(write_list(rules, std::span(&move, 1), written.memory, kAlignment, written.step,
                       written.written),
            ListError::none);
  EXPECT_EQ(written.written.command_bytes, 512u);
  EXPECT_EQ(written.written.window_entries, 0u);
}

TEST(ListWriter, RefusesWhatLeavesTheBlock) {
  const World world;
  BufferMove move{.source = &world.blocks[0], .destination = &world.blocks[1]};
  move.size = 16;
  move.slot_size = 32;
  move.destination_offset = kBlock - 16;
  const ListRules rules{.chunk = 64, .window = 512, .shaders = true};
  Written written(1024);
  EXPECT_EQ(write_list(rules, std::span(&move, 1), written.memory, kAlignment, written.step,
                       written.written),
            ListError::outside_block);
}

TEST(ListWriter, SaysThatTheListIsTooSmall) {
  const World world;
  BufferMove move{.source = &world.blocks[0], .destination = &world.blocks[1]};
  move.size = move.slot_size = 512;
  for (const bool addresses : {false, true}) {
    const ListRules rules{.chunk = 64, .window = 512, .shaders = true, .addresses = addresses};
    Written written(64);
    EXPECT_EQ(write_list(rules, std::span(&move, 1), written.memory, kAlignment, written.step,
                         written.written),
              ListError::list_too_small);
  }
}

}  // namespace
}  // namespace quarry::copy
