// SPDX-License-Identifier: MIT
// The copy engine on fake GPUs: its objects, its errors, and buffers moved byte for byte.
#include "copy/engine.hpp"

#include <array>
#include <random>

#include "base/seed.hpp"
#include "copy/fake_rig.hpp"

namespace quarry::copy {
namespace {

using fakes::FakeGpu;
using fakes::FakeProfile;
using fakes::Function;
using fakes::kMiB;

FakeProfile without_addresses() {
  FakeProfile profile = fakes::profiles::rebar();
  profile.features.buffer_device_address = false;
  return profile;
}

TEST(CopyEngine, SaysWhichFunctionIsMissing) {
  const FakeGpu gpu(fakes::profiles::rebar());
  VulkanFunctions table = FakeGpu::functions();
  table.vkCmdDispatch = nullptr;
  AllocatorDesc desc = gpu.allocator_desc();
  desc.get_instance_proc_addr = nullptr;
  desc.functions = &table;
  device::Device device;
  ASSERT_TRUE(device.open(desc));
  Engine engine(device);
  const Status opened = engine.open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().reason, Reason::function_missing);
  EXPECT_STREQ(engine.missing_function(), "vkCmdDispatch");
}

TEST(CopyEngine, RefusesATuningThatMakesNoSense) {
  const FakeGpu gpu(fakes::profiles::rebar());
  device::Device device;
  ASSERT_TRUE(device.open(gpu.allocator_desc()));
  for (const Tuning& tuning : {Tuning{.lanes = 0}, Tuning{.rows = 3}, Tuning{.chunk = 24}}) {
    Engine engine(device);
    EngineDesc desc;
    desc.tuning = tuning;
    EXPECT_EQ(engine.open(desc).error().reason, Reason::bad_argument);
  }
}

TEST(CopyEngine, AFailedOpenLeavesNothingBehind) {
  constexpr std::array kMade{Function::create_shader_module, Function::create_descriptor_set_layout,
                             Function::create_pipeline_layout, Function::create_compute_pipelines};
  for (const Function function : kMade) {
    for (const std::uint64_t nth : {1u, 2u}) {
      FakeGpu gpu(fakes::profiles::rebar());
      device::Device device;
      ASSERT_TRUE(device.open(gpu.allocator_desc()));
      gpu.fail(function, nth, VK_ERROR_OUT_OF_DEVICE_MEMORY);
      {
        Engine engine(device);
        const bool opened = engine.open().has_value();
        EXPECT_EQ(opened, function == Function::create_descriptor_set_layout && nth == 2);
      }
      expect_clean_end(gpu);
    }
  }
}

TEST(CopyEngine, ABlockItsBufferCannotLieInIsRefused) {
  FakeProfile profile = fakes::profiles::rebar();
  profile.buffer_type_bits = 1u << 1;
  FakeRig rig(profile);
  const VkDeviceMemory memory = rig.allocate_block(kMiB, 0);
  EXPECT_EQ(rig.engine.create_block({.memory = memory, .size = kMiB}, {}).error().reason,
            Reason::unsupported);
  rig.free(memory);
}

TEST(CopyEngine, ABlockBufferLeavesRoomForWhatTheDriverAdds) {
  FakeProfile profile = fakes::profiles::rebar();
  profile.buffer_padding = 64;
  FakeRig rig(profile);
  EXPECT_EQ(rig.add_block(kMiB).size, kMiB - 64);
}

TEST(CopyEngine, AFailedBlockBufferLeavesNothingBehind) {
  for (const Function function : {Function::create_buffer, Function::bind_buffer_memory}) {
    FakeRig rig;
    const VkDeviceMemory memory = rig.allocate_block(kMiB, 0);
    rig.gpu.fail(function, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_FALSE(rig.engine.create_block({.memory = memory, .size = kMiB}, {}));
    rig.free(memory);
  }
}

/// What a test of moves is about.
struct Kind {
  const char* name;
  Way way;
  bool addresses;
  std::uint32_t family;
};

std::ostream& operator<<(std::ostream& out, const Kind& kind) {
  return out << kind.name;
}

class CopyEngineMoves : public testing::TestWithParam<Kind> {};

/// Disjoint slots: the lower halves of the blocks are sources, the upper ones destinations.
std::vector<BufferMove> random_moves(const FakeRig& rig, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<BufferMove> moves;
  for (VkDeviceSize at = 0; at + 20'000 < kMiB / 2; at += 20'000) {
    BufferMove move;
    move.source = &rig.blocks[static_cast<std::size_t>(random() % rig.blocks.size())];
    move.destination = &rig.blocks[static_cast<std::size_t>(random() % rig.blocks.size())];
    const VkDeviceSize alignment = VkDeviceSize{1} << random() % 7;
    move.source_offset = (at + random() % 64 + alignment - 1) / alignment * alignment;
    move.destination_offset =
        kMiB / 2 + (at + random() % 64 + alignment - 1) / alignment * alignment;
    move.slot_size = 1 + random() % 19'000;
    move.size = 1 + random() % move.slot_size;
    moves.push_back(move);
  }
  return moves;
}

using Contents = std::vector<std::vector<std::byte>>;

Contents read_all(FakeRig& rig) {
  Contents all;
  for (VkDeviceMemory memory : rig.memories) {
    all.emplace_back(kMiB);
    EXPECT_TRUE(rig.gpu.device_read(memory, 0, all.back()));
  }
  return all;
}

void fill(FakeRig& rig, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (VkDeviceMemory memory : rig.memories) {
    std::vector<std::byte> bytes(kMiB);
    for (std::byte& byte : bytes)
      byte = static_cast<std::byte>(random());
    EXPECT_TRUE(rig.gpu.device_write(memory, 0, bytes));
  }
}

std::size_t index_of(const FakeRig& rig, const BlockBuffer* block) {
  return static_cast<std::size_t>(block - rig.blocks.data());
}

/// What was moved is there, and what belongs to nobody is as it was.
void check(const FakeRig& rig, const Contents& before, const Contents& after,
           std::span<const BufferMove> moves, std::uint64_t seed) {
  Contents expected = before;
  for (const BufferMove& move : moves) {
    const auto& from = before[index_of(rig, move.source)];
    auto& to = expected[index_of(rig, move.destination)];
    const auto& now = after[index_of(rig, move.destination)];
    const auto source = static_cast<std::ptrdiff_t>(move.source_offset);
    const auto target = static_cast<std::ptrdiff_t>(move.destination_offset);
    const auto size = static_cast<std::ptrdiff_t>(move.size);
    const auto slot = static_cast<std::ptrdiff_t>(move.slot_size);
    std::copy_n(from.begin() + source, size, to.begin() + target);
    // Bytes of the slot behind the contents may have changed.
    std::copy(now.begin() + target + size, now.begin() + target + slot, to.begin() + target + size);
  }
  EXPECT_TRUE(expected == after) << "seed " << seed;
}

TEST_P(CopyEngineMoves, EveryByteAndNoOther) {
  for (const std::uint64_t seed : test::seeds(4)) {
    EngineDesc desc;
    desc.way = GetParam().way;
    FakeRig rig(GetParam().addresses ? fakes::profiles::rebar() : without_addresses(), desc);
    for (int i = 0; i < 3; ++i)
      rig.add_block(kMiB);
    fill(rig, seed);
    const Contents before = read_all(rig);
    const std::vector<BufferMove> moves = random_moves(rig, seed);
    rig.make_list(moves);
    Commands commands;
    commands.copy = rig.gpu.begin_commands(GetParam().family);
    commands.copy_family = commands.owner_family = GetParam().family;
    commands.copy_queue = rig.gpu.profile().queue_families[GetParam().family];
    const auto figures = rig.engine.record(commands, moves, {}, rig.list, rig.step);
    ASSERT_TRUE(figures);
    EXPECT_LE(figures->list_bytes, rig.list.size);
    rig.gpu.submit(std::span(&commands.copy, 1));
    check(rig, before, read_all(rig), moves, seed);
    const bool shaders = GetParam().way != Way::commands && GetParam().family != 1;
    EXPECT_EQ(figures->dispatches != 0, shaders);
    EXPECT_EQ(figures->shader_bytes != 0, shaders);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , CopyEngineMoves,
    testing::Values(Kind{"Addresses", Way::automatic, true, 0},
                    Kind{"WindowsForWantOfAddresses", Way::automatic, false, 0},
                    Kind{"WindowsByChoice", Way::windows, true, 2},
                    Kind{"Commands", Way::commands, true, 0},
                    Kind{"TransferQueue", Way::automatic, true, 1}),
    [](const testing::TestParamInfo<Kind>& tested) { return tested.param.name; });

TEST(CopyEngine, MorePairsOfWindowsThanSetsGoByCommand) {
  constexpr std::size_t kBlocks = 36;
  constexpr std::size_t kPairs = kBlocks * kBlocks;
  FakeRig rig(without_addresses());
  for (std::size_t i = 0; i < kBlocks; ++i)
    rig.add_block(kMiB);
  fill(rig, 1);
  const Contents before = read_all(rig);
  std::vector<BufferMove> moves;
  for (std::size_t i = 0; i < kPairs; ++i) {
    moves.push_back({.source = &rig.blocks[i / kBlocks],
                     .destination = &rig.blocks[i % kBlocks],
                     .source_offset = i * 256,
                     .destination_offset = kMiB / 2 + i * 256,
                     .size = 250,
                     .slot_size = 256});
  }
  rig.make_list(moves);
  Commands commands;
  commands.copy = rig.gpu.begin_commands();
  const auto figures = rig.engine.record(commands, moves, {}, rig.list, rig.step);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->dispatches, 1024u);
  EXPECT_EQ(figures->copy_commands, kPairs - 1024);
  EXPECT_EQ(figures->shader_bytes + figures->command_bytes, kPairs * 256);
  rig.gpu.submit(std::span(&commands.copy, 1));
  check(rig, before, read_all(rig), moves, 1);
}

TEST(CopyEngine, AStepsPoolGrowsAndAFailureOfItLeavesNothingRecorded) {
  FakeRig rig(without_addresses());
  for (int i = 0; i < 3; ++i)
    rig.add_block(kMiB);
  const std::vector<BufferMove> moves = random_moves(rig, 3);
  rig.make_list(moves);
  const auto record = [&](std::span<const BufferMove> some) {
    Commands commands;
    commands.copy = rig.gpu.begin_commands();
    return rig.engine.record(commands, some, {}, rig.list, rig.step);
  };
  ASSERT_TRUE(record(std::span(moves).first(1)));
  for (const Function function :
       {Function::create_descriptor_pool, Function::allocate_descriptor_sets}) {
    const std::uint64_t barriers = rig.gpu.calls(Function::cmd_pipeline_barrier);
    rig.gpu.fail(function, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_EQ(record(moves).error().reason, Reason::out_of_device_memory);
    EXPECT_EQ(rig.gpu.calls(Function::cmd_pipeline_barrier), barriers) << "nothing is recorded";
  }
  EXPECT_TRUE(record(moves));
  EXPECT_GT(rig.step.pool_sets, 1u);
}

TEST(CopyEngine, ManyEntriesTakeSeveralDispatches) {
  FakeProfile profile = fakes::profiles::rebar();
  profile.maximum_group_count = 65'535;
  EngineDesc desc;
  desc.tuning = {.lanes = 64, .rows = 1, .chunk = 16};
  FakeRig rig(profile, desc);
  rig.add_block(4 * kMiB);
  const BufferMove move{.source = rig.blocks.data(),
                        .destination = rig.blocks.data(),
                        .destination_offset = 2 * kMiB,
                        .size = 2 * kMiB,
                        .slot_size = 2 * kMiB};
  rig.make_list(std::span(&move, 1));
  Commands commands;
  commands.copy = rig.gpu.begin_commands();
  const auto figures = rig.engine.record(commands, std::span(&move, 1), {}, rig.list, rig.step);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->dispatches, 3u);
}

TEST(CopyEngine, OneMoveTooFarIsAnError) {
  FakeRig rig;
  rig.add_block(kMiB);
  const BufferMove move{.source = rig.blocks.data(),
                        .destination = rig.blocks.data(),
                        .destination_offset = kMiB - 16,
                        .size = 32,
                        .slot_size = 32};
  rig.make_list(std::span(&move, 1));
  Commands commands;
  commands.copy = rig.gpu.begin_commands();
  EXPECT_EQ(rig.engine.record(commands, std::span(&move, 1), {}, rig.list, rig.step).error().reason,
            Reason::out_of_range);
}

TEST(CopyEngine, ASteadyStateTakesNoHostMemory) {
  FakeRig rig(without_addresses());
  rig.add_block(kMiB);
  rig.add_block(kMiB);
  const std::vector<BufferMove> moves = random_moves(rig, 7);
  rig.make_list(moves);
  const auto record = [&] {
    Commands commands;
    commands.copy = rig.gpu.begin_commands();
    EXPECT_TRUE(rig.engine.record(commands, moves, {}, rig.list, rig.step));
    rig.gpu.submit(std::span(&commands.copy, 1));
  };
  record();
  const WindowChunk* windows = rig.step.windows.data();
  const CommandRegion* regions = rig.step.regions.data();
  record();
  EXPECT_EQ(rig.step.windows.data(), windows);
  EXPECT_EQ(rig.step.regions.data(), regions);
}

}  // namespace
}  // namespace quarry::copy
