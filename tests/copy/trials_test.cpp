// SPDX-License-Identifier: MIT
#include "copy/trials.hpp"

#include "copy/fake_rig.hpp"

namespace quarry::copy {
namespace {

using fakes::Function;
using fakes::kMiB;

/// Two blocks and a list; trials that end before the rig.
struct TrialRig {
  explicit TrialRig(FakeRig& owner)
      : rig(owner), trials(std::make_unique<Trials>(rig.opened, rig.engine)) {
    EXPECT_TRUE(trials->open());
    subject.source = rig.add_block(kMiB);
    subject.destination = rig.add_block(kMiB);
    const BufferMove all{.source = rig.blocks.data(),
                         .destination = rig.blocks.data(),
                         .size = 64 * kMiB,
                         .slot_size = 64 * kMiB};
    rig.make_list(std::span(&all, 1));
    subject.list = rig.list;
  }
  Status record(std::uint32_t family) {
    Commands commands;
    commands.copy = rig.gpu.begin_commands(family);
    commands.copy_family = commands.owner_family = family;
    commands.copy_queue = rig.gpu.profile().queue_families[family];
    Status recorded = trials->record(commands, subject);
    rig.gpu.submit(std::span(&commands.copy, 1));
    return recorded;
  }
  FakeRig& rig;
  std::unique_ptr<Trials> trials;
  TrialSubject subject;
};

TEST(Trials, EveryWayOfAComputeFamilyGetsAFigure) {
  FakeRig rig;
  TrialRig trial(rig);
  ASSERT_TRUE(trial.record(2));
  CopyCalibration calibration;
  ASSERT_TRUE(trial.trials->evaluate(calibration));
  EXPECT_TRUE(calibration.belongs_to(rig.opened.facts().properties));
  // The fake's clock makes a microsecond of every trial.
  const double expected = static_cast<double>(kMiB) * 1e6;
  EXPECT_DOUBLE_EQ(calibration.families[2].shader_small, expected);
  EXPECT_DOUBLE_EQ(calibration.families[2].command_small, expected);
  EXPECT_DOUBLE_EQ(calibration.families[2].shader_large, expected);
  EXPECT_DOUBLE_EQ(calibration.families[2].command_large, expected);
  EXPECT_EQ(calibration.families[2].image_texels, 0);
}

TEST(Trials, ATransferFamilyHasCommandsOnly) {
  FakeRig rig;
  TrialRig trial(rig);
  ASSERT_TRUE(trial.record(1));
  CopyCalibration calibration;
  ASSERT_TRUE(trial.trials->evaluate(calibration));
  EXPECT_EQ(calibration.families[1].shader_small, 0);
  EXPECT_GT(calibration.families[1].command_large, 0);
}

TEST(Trials, GreaterFiguresStay) {
  FakeRig rig;
  TrialRig trial(rig);
  ASSERT_TRUE(trial.record(0));
  CopyCalibration calibration;
  ASSERT_TRUE(trial.trials->evaluate(calibration));
  calibration.families[0].shader_small = 1e30;
  ASSERT_TRUE(trial.trials->evaluate(calibration));
  EXPECT_EQ(calibration.families[0].shader_small, 1e30);
}

TEST(Trials, FiguresOfAnotherDriverAreForgotten) {
  FakeRig rig;
  TrialRig trial(rig);
  ASSERT_TRUE(trial.record(0));
  CopyCalibration calibration{.driver_version = 77};
  calibration.families[1].command_large = 5;
  ASSERT_TRUE(trial.trials->evaluate(calibration));
  EXPECT_EQ(calibration.families[1].command_large, 0);
}

TEST(Trials, RefusesWhatItCannotDo) {
  FakeRig rig;
  TrialRig trial(rig);
  trial.subject.timestamp_bits = 0;
  EXPECT_EQ(trial.record(0).error().reason, Reason::unsupported);
  trial.subject.timestamp_bits = 64;
  trial.subject.list.size = 100;
  EXPECT_EQ(trial.record(0).error().reason, Reason::bad_argument);
}

TEST(Trials, NeedFunctionsThatMovingDoesNot) {
  const fakes::FakeGpu gpu(fakes::profiles::rebar());
  VulkanFunctions table = fakes::FakeGpu::functions();
  table.vkCmdWriteTimestamp = nullptr;
  AllocatorDesc desc = gpu.allocator_desc();
  desc.get_instance_proc_addr = nullptr;
  desc.functions = &table;
  device::Device device;
  ASSERT_TRUE(device.open(desc));
  Engine engine(device);
  EXPECT_TRUE(engine.open());
  Trials trials(device, engine);
  EXPECT_EQ(trials.open().error().reason, Reason::function_missing);
}

TEST(Trials, AFailedQueryPoolIsReported) {
  FakeRig rig;
  Trials trials(rig.opened, rig.engine);
  rig.gpu.fail(Function::create_query_pool, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(trials.open().error().reason, Reason::out_of_device_memory);
}

}  // namespace
}  // namespace quarry::copy
