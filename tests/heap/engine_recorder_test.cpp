// SPDX-License-Identifier: MIT
// Moves when the copy engine cannot record: copy commands take over, and what was refused leaves no
// trace in the command buffer.
#include <gtest/gtest.h>

#include "heap/defragmentation_rig.hpp"

namespace quarry::test {
namespace {

using Copies = DefragmentationDesc::Copies;
using fakes::Function;

class EngineRecorderTest : public testing::Test {
 protected:
  void fill() {
    for (std::uint32_t i = 0; i < 32; ++i) {
      rig.add_buffer(300'000);
      rig.add_buffer(300'000);
      rig.add_image(256, 256);
      rig.add_image(256, 256);
    }
    rig.destroy_every_other();
  }
  /// A pass through windows into blocks, so that each step needs descriptor sets.
  DefragmentationFigures run(Copies copies) {
    DefragmentationFigures figures;
    auto pass = Defragmentation::begin(rig.allocator, {.copies = copies});
    EXPECT_TRUE(pass);
    if (!pass) return figures;
    rig.run(*pass);
    return pass->figures();
  }

  DefragmentationRig rig{[](AllocatorDesc& desc) { desc.features.buffer_device_address = false; }};
};

TEST_F(EngineRecorderTest, GoesByComputeOnRequest) {
  fill();
  const DefragmentationFigures figures = run(Copies::compute);
  EXPECT_GT(figures.bytes_by_compute, 0u);
  EXPECT_LE(figures.bytes_by_compute, figures.bytes_moved);
  EXPECT_GT(rig.gpu.calls(Function::cmd_dispatch), 0u);
  rig.expect_contents();
  rig.destroy_all();
}

TEST_F(EngineRecorderTest, GoesByCommandOnRequest) {
  fill();
  const DefragmentationFigures figures = run(Copies::commands);
  EXPECT_EQ(figures.bytes_by_compute, 0u);
  EXPECT_EQ(rig.gpu.calls(Function::cmd_dispatch), 0u);
  rig.expect_contents();
  rig.destroy_all();
}

TEST_F(EngineRecorderTest, RefusesAnUnknownWay) {
  EXPECT_EQ(reason_of(Defragmentation::begin(rig.allocator, {.copies = static_cast<Copies>(3)})),
            Reason::bad_argument);
}

TEST_F(EngineRecorderTest, CommandsServeWhereTheDriverRefusesDescriptors) {
  for (const Function function :
       {Function::create_descriptor_pool, Function::allocate_descriptor_sets}) {
    for (const std::uint64_t nth : {1u, 2u, 3u}) {
      fill();
      rig.gpu.fail(function, nth, VK_ERROR_OUT_OF_DEVICE_MEMORY, 100);
      const std::uint64_t images = rig.gpu.calls(Function::cmd_copy_image);
      EXPECT_GT(run(Copies::compute).moves, 0u);
      EXPECT_GT(rig.gpu.calls(Function::cmd_copy_image), images);
      rig.gpu.fail(function, 1, VK_SUCCESS, 0);
      rig.expect_contents();
      rig.destroy_all();
    }
  }
}

}  // namespace
}  // namespace quarry::test
