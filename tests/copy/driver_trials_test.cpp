// SPDX-License-Identifier: MIT
// Calibration on the machine's driver: every figure is there; how great it is, is the driver's.
#include "copy/driver_rig.hpp"
#include "copy/trials.hpp"

namespace quarry::copy {
namespace {

constexpr VkDeviceSize kBlock = VkDeviceSize{4} << 20;
constexpr std::uint32_t kSide = 256;

class CopyTrials : public OnDriver {
 protected:
  DeviceImage make_image() {
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {kSide, kSide, 1};
    info.mipLevels = 1;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    shape = shape_of(info);
    return device.image(info);
  }
  ImageShape shape;
};

TEST_F(CopyTrials, MeasureEveryFamily) {
  open(Way::automatic);
  TrialSubject subject;
  const DeviceBuffer memories[] = {device.allocate(kBlock, Place::device),
                                   device.allocate(kBlock, Place::device)};
  const auto block = [&](const DeviceBuffer& memory) {
    return *engine->create_block({.memory = memory.memory,
                                  .size = kBlock,
                                  .memory_type = memory.memory_type,
                                  .device_address = device.has_addresses()},
                                 {});
  };
  subject.source = block(memories[0]);
  subject.destination = block(memories[1]);
  const DeviceImage images[] = {make_image(), make_image()};
  subject.texels = {images[0].image, images[1].image, shape, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
  subject.texel_bytes = VkDeviceSize{4} * kSide * kSide;
  device.run(0, [&](VkCommandBuffer commands) {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    barrier.image = images[0].image;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdFillBuffer(commands, subject.source.buffer, 0, VK_WHOLE_SIZE, 7);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1,
                         &barrier);
    full_barrier(commands);
  });
  CopyCalibration calibration;
  {
    Trials trials(device.opened(), *engine);
    ASSERT_TRUE(trials.open());
    const DeviceBuffer list =
        device.buffer(trials.list_bytes(subject), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, Place::host);
    subject.list = {list.buffer, list.mapped, 0, list.size, list.address};
    subject.timestamp_bits = device.families()[0].timestampValidBits;
    for (int round = 0; round < 2; ++round) {
      device.run(0, [&](VkCommandBuffer recording) {
        Commands commands;
        commands.copy = recording;
        commands.copy_queue = device.families()[0].queueFlags;
        ASSERT_TRUE(trials.record(commands, subject));
      });
      ASSERT_TRUE(trials.evaluate(calibration));
    }
    device.free(list);
  }
  const FamilySpeed& speed = calibration.families[0];
  for (const double figure : {speed.shader_small, speed.command_small, speed.shader_large,
                              speed.command_large, speed.image_texels}) {
    EXPECT_GT(figure, 0);
  }
  EXPECT_EQ(speed.image_blocks, 0);
  engine->destroy_block(subject.source);
  engine->destroy_block(subject.destination);
  for (const DeviceBuffer& memory : memories)
    device.free(memory);
  for (const DeviceImage& image : images)
    device.free(image);
}

}  // namespace
}  // namespace quarry::copy
