// SPDX-License-Identifier: MIT
// The layer on a real driver: each profile shows its heaps, and faults are found out.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "disguise/disguised_device.hpp"
#include "disguise/layer.hpp"

namespace quarry::disguise {
namespace {

constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;

#define QUARRY_NEED_DRIVER(instance) \
  if ((instance).physical_device() == VK_NULL_HANDLE) GTEST_SKIP() << "no CPU driver for Vulkan"

VkPhysicalDeviceMemoryProperties memory_properties(const DisguisedInstance& instance) {
  VkPhysicalDeviceMemoryProperties properties{};
  vkGetPhysicalDeviceMemoryProperties(instance.physical_device(), &properties);
  return properties;
}

VkMappedMemoryRange range_of(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size) {
  return {VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory, offset, size};
}

struct Shown {
  const char* profile;
  std::vector<VkDeviceSize> heaps;
  std::uint32_t types;
  VkDeviceSize atom;
  VkDeviceSize granularity;
};

class EachProfile : public testing::TestWithParam<Shown> {};

TEST_P(EachProfile, ShowsItsHeapsTypesAndLimits) {
  const DisguisedInstance instance(GetParam().profile, false);
  QUARRY_NEED_DRIVER(instance);
  const VkPhysicalDeviceMemoryProperties memory = memory_properties(instance);
  std::vector<VkDeviceSize> heaps;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    heaps.push_back(memory.memoryHeaps[i].size);
  }
  EXPECT_EQ(heaps, GetParam().heaps);
  EXPECT_EQ(memory.memoryTypeCount, GetParam().types);
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(instance.physical_device(), &properties);
  EXPECT_EQ(properties.limits.nonCoherentAtomSize, GetParam().atom);
  EXPECT_EQ(properties.limits.bufferImageGranularity, GetParam().granularity);
}

TEST_P(EachProfile, TellsBudgets) {
  const DisguisedInstance instance(GetParam().profile, false);
  QUARRY_NEED_DRIVER(instance);
  const DisguisedDevice device(instance, {VK_EXT_MEMORY_BUDGET_EXTENSION_NAME});
  ASSERT_EQ(device.result(), VK_SUCCESS);
  const VkDeviceMemory memory = device.allocate(1, kMiB);
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT, nullptr, {}, {}};
  VkPhysicalDeviceMemoryProperties2 properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &budget, {}};
  vkGetPhysicalDeviceMemoryProperties2(instance.physical_device(), &properties);
  const std::uint32_t heap = properties.memoryProperties.memoryTypes[1].heapIndex;
  EXPECT_EQ(budget.heapUsage[heap], kMiB);
  EXPECT_EQ(budget.heapBudget[heap], GetParam().heaps[heap] / 10 * 9);
  vkFreeMemory(device.get(), memory, nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    Disguise, EachProfile,
    testing::Values(Shown{"discrete", {8192 * kMiB, 16384 * kMiB, 214 * kMiB}, 5, 64, 1024},
                    Shown{"rebar", {8192 * kMiB, 16384 * kMiB}, 4, 64, 1},
                    Shown{"amd", {8192 * kMiB, 16384 * kMiB, 256 * kMiB}, 8, 128, 1},
                    Shown{"mobile", {12288 * kMiB}, 4, 128, 1024}),
    [](const auto& test) { return std::string(test.param.profile); });

TEST(Disguise, NoneLeavesTheDriverAsItIs) {
  const DisguisedInstance instance("none", false);
  QUARRY_NEED_DRIVER(instance);
  EXPECT_EQ(memory_properties(instance).memoryTypeCount, 1u);
  const DisguisedDevice device(instance);
  const VkDeviceMemory memory = device.allocate(0, kMiB);
  EXPECT_NE(device.map(memory), nullptr);
  vkFreeMemory(device.get(), memory, nullptr);
}

TEST(Disguise, RefusesToMapWhatIsNotHostVisible) {
  const DisguisedInstance instance("discrete", false);
  QUARRY_NEED_DRIVER(instance);
  const DisguisedDevice device(instance);
  const VkDeviceMemory memory = device.allocate(1, kMiB);
  void* data = nullptr;
  EXPECT_EQ(vkMapMemory(device.get(), memory, 0, VK_WHOLE_SIZE, 0, &data),
            VK_ERROR_MEMORY_MAP_FAILED);
  vkFreeMemory(device.get(), memory, nullptr);
}

TEST(Disguise, AFullHeapIsOutOfMemory) {
  const DisguisedInstance instance("discrete", false);
  QUARRY_NEED_DRIVER(instance);
  const DisguisedDevice device(instance);
  VkResult result = VK_SUCCESS;
  const VkDeviceMemory most = device.allocate(4, 200 * kMiB, &result);
  EXPECT_EQ(result, VK_SUCCESS);
  device.allocate(4, 15 * kMiB, &result);
  EXPECT_EQ(result, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  vkFreeMemory(device.get(), most, nullptr);
  const VkDeviceMemory after = device.allocate(4, 15 * kMiB, &result);
  EXPECT_EQ(result, VK_SUCCESS);
  vkFreeMemory(device.get(), after, nullptr);
}

/// Type 1 of the profile mobile is host-visible, cached and not coherent.
TEST(Disguise, AnUnflushedWriteDoesNotReachTheDevice) {
  const DisguisedInstance instance("mobile", false);
  QUARRY_NEED_DRIVER(instance);
  const DisguisedDevice device(instance);
  constexpr VkDeviceSize kSize = 1024;
  const VkBuffer source = device.buffer(kSize, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const VkBuffer destination = device.buffer(kSize, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkDeviceMemory written = device.allocate(1, kSize);
  const VkDeviceMemory read = device.allocate(0, kSize);
  vkBindBufferMemory(device.get(), source, written, 0);
  vkBindBufferMemory(device.get(), destination, read, 0);
  auto* from = static_cast<unsigned char*>(device.map(written));
  const auto* to = static_cast<const unsigned char*>(device.map(read));
  std::memset(from, 1, kSize);
  const VkMappedMemoryRange all = range_of(written, 0, VK_WHOLE_SIZE);
  EXPECT_EQ(vkFlushMappedMemoryRanges(device.get(), 1, &all), VK_SUCCESS);
  std::memset(from, 2, kSize);
  device.copy(source, destination, kSize);
  EXPECT_EQ(to[0], 1);
  const VkMappedMemoryRange second_atom = range_of(written, 128, 128);
  EXPECT_EQ(vkFlushMappedMemoryRanges(device.get(), 1, &second_atom), VK_SUCCESS);
  device.copy(source, destination, kSize);
  EXPECT_EQ(to[127], 1);
  EXPECT_EQ(to[128], 2);
  EXPECT_EQ(to[256], 1);
  vkDestroyBuffer(device.get(), source, nullptr);
  vkDestroyBuffer(device.get(), destination, nullptr);
  vkFreeMemory(device.get(), written, nullptr);
  vkFreeMemory(device.get(), read, nullptr);
}

TEST(Disguise, ADeviceWriteIsSeenAfterAnInvalidate) {
  const DisguisedInstance instance("mobile", false);
  QUARRY_NEED_DRIVER(instance);
  const DisguisedDevice device(instance);
  constexpr VkDeviceSize kSize = 1024;
  const VkBuffer source = device.buffer(kSize, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const VkBuffer destination = device.buffer(kSize, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkDeviceMemory written = device.allocate(0, kSize);
  const VkDeviceMemory read = device.allocate(1, kSize);
  vkBindBufferMemory(device.get(), source, written, 0);
  vkBindBufferMemory(device.get(), destination, read, 0);
  std::memset(device.map(written), 3, kSize);
  const auto* to = static_cast<const unsigned char*>(device.map(read));
  const unsigned char before = to[5];
  device.copy(source, destination, kSize);
  EXPECT_EQ(to[5], before);
  const VkMappedMemoryRange all = range_of(read, 0, VK_WHOLE_SIZE);
  EXPECT_EQ(vkInvalidateMappedMemoryRanges(device.get(), 1, &all), VK_SUCCESS);
  EXPECT_EQ(to[5], 3);
  vkDestroyBuffer(device.get(), source, nullptr);
  vkDestroyBuffer(device.get(), destination, nullptr);
  vkFreeMemory(device.get(), written, nullptr);
  vkFreeMemory(device.get(), read, nullptr);
}

TEST(Disguise, LargeAttachmentsPreferDedicatedMemory) {
  const DisguisedInstance instance("rebar", false);
  QUARRY_NEED_DRIVER(instance);
  const DisguisedDevice device(instance);
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R8G8B8A8_UNORM;
  info.extent = {1024, 1024, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  VkImage image = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateImage(device.get(), &info, nullptr, &image), VK_SUCCESS);
  VkMemoryDedicatedRequirements dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS, nullptr,
                                          VK_FALSE, VK_FALSE};
  VkMemoryRequirements2 requirements{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, &dedicated, {}};
  const VkImageMemoryRequirementsInfo2 question{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
                                                nullptr, image};
  vkGetImageMemoryRequirements2(device.get(), &question, &requirements);
  EXPECT_EQ(dedicated.prefersDedicatedAllocation, VK_TRUE);
  EXPECT_EQ(requirements.memoryRequirements.memoryTypeBits, 0b1001u);
  vkDestroyImage(device.get(), image, nullptr);
}

/// What only the disguise offers: three extensions and their feature structures, between structures
/// that the driver needs.
struct FeatureChain {
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, nullptr, VK_TRUE};
  Maintenance5Features maintenance5{kMaintenance5Features, &timeline, VK_TRUE};
  VkPhysicalDeviceCoherentMemoryFeaturesAMD coherent{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COHERENT_MEMORY_FEATURES_AMD, &maintenance5, VK_TRUE};
  VkPhysicalDeviceMaintenance4Features maintenance4{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, &coherent, VK_TRUE};
  VkPhysicalDeviceMemoryPriorityFeaturesEXT priority{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT, &maintenance4, VK_TRUE};
};

TEST(Disguise, TwoThreadsMakeDevicesFromOneChain) {
  const DisguisedInstance instance("amd", false);
  QUARRY_NEED_DRIVER(instance);
  const FeatureChain chain;
  std::array<VkResult, 2> results{};
  std::vector<std::thread> threads;
  for (VkResult& result : results) {
    threads.emplace_back([&instance, &chain, &result] {
      const DisguisedDevice device(
          instance,
          {VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME,
           VK_AMD_DEVICE_COHERENT_MEMORY_EXTENSION_NAME, "VK_KHR_maintenance5"},
          &chain.priority);
      result = device.result();
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(results[0], VK_SUCCESS);
  EXPECT_EQ(results[1], VK_SUCCESS);
  EXPECT_EQ(chain.priority.pNext, &chain.maintenance4);
  EXPECT_EQ(chain.coherent.pNext, &chain.maintenance5);
}

TEST(Disguise, BufferUsageFlags2ReachTheDriver) {
  const DisguisedInstance instance("rebar", false);
  QUARRY_NEED_DRIVER(instance);
  const DisguisedDevice device(instance, {"VK_KHR_maintenance5"});
  ASSERT_EQ(device.result(), VK_SUCCESS);
  const BufferUsageFlags2 usage{kBufferUsageFlags2, nullptr, VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = &usage;
  info.size = 256;
  VkBuffer buffer = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateBuffer(device.get(), &info, nullptr, &buffer), VK_SUCCESS);
  vkDestroyBuffer(device.get(), buffer, nullptr);
}

TEST(Disguise, StandsBelowValidationWithoutAMessage) {
  for (const char* profile : {"discrete", "rebar", "amd", "mobile"}) {
    const DisguisedInstance instance(profile, true);
    QUARRY_NEED_DRIVER(instance);
    if (!instance.has_validation()) GTEST_SKIP() << "no validation layer";
    {
      const DisguisedDevice device(instance);
      // In each profile type 3 is host-visible and cached.
      const VkDeviceMemory memory = device.allocate(3, 64 * 1024);
      const VkBuffer buffer = device.buffer(64 * 1024, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
      vkBindBufferMemory(device.get(), buffer, memory, 0);
      std::memset(device.map(memory), 1, 64 * 1024);
      const VkMappedMemoryRange range = range_of(memory, 1024, 2048);
      EXPECT_EQ(vkFlushMappedMemoryRanges(device.get(), 1, &range), VK_SUCCESS);
      vkUnmapMemory(device.get(), memory);
      vkDestroyBuffer(device.get(), buffer, nullptr);
      vkFreeMemory(device.get(), memory, nullptr);
    }
    EXPECT_EQ(instance.messages(), std::vector<std::string>{}) << profile;
  }
}

TEST(Disguise, ValidationChecksAgainstWhatItShows) {
  const DisguisedInstance instance("discrete", true);
  QUARRY_NEED_DRIVER(instance);
  if (!instance.has_validation()) GTEST_SKIP() << "no validation layer";
  const DisguisedDevice device(instance);
  const VkDeviceMemory memory = device.allocate(1, 4096);
  device.map(memory);
  vkFreeMemory(device.get(), memory, nullptr);
  EXPECT_EQ(instance.messages(), std::vector<std::string>{"VUID-vkMapMemory-memory-00682"});
}

class DisguiseDeathTest : public testing::Test {
 protected:
  // The driver's threads do not survive a fork: the program is started anew.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(DisguiseDeathTest, AFlushOffTheAtomEndsTheProgram) {
  const DisguisedInstance instance("discrete", false);
  QUARRY_NEED_DRIVER(instance);
  const DisguisedDevice device(instance);
  const VkDeviceMemory memory = device.allocate(2, 4096);
  device.map(memory);
  const VkMappedMemoryRange off_start = range_of(memory, 32, 64);
  EXPECT_DEATH(vkFlushMappedMemoryRanges(device.get(), 1, &off_start), "offset 32");
  const VkMappedMemoryRange off_end = range_of(memory, 64, 100);
  EXPECT_DEATH(vkInvalidateMappedMemoryRanges(device.get(), 1, &off_end), "size 100");
  const VkMappedMemoryRange outside = range_of(memory, 0, 8192);
  EXPECT_DEATH(vkFlushMappedMemoryRanges(device.get(), 1, &outside), "size 8192");
}

TEST_F(DisguiseDeathTest, AMemoryTypeOutOfRangeEndsTheProgram) {
  const DisguisedInstance instance("rebar", false);
  QUARRY_NEED_DRIVER(instance);
  const DisguisedDevice device(instance);
  EXPECT_DEATH(device.allocate(4, 4096), "memoryTypeIndex 4 of 4");
}

TEST_F(DisguiseDeathTest, AnUnmapWithoutMapEndsTheProgram) {
  const DisguisedInstance instance("rebar", false);
  QUARRY_NEED_DRIVER(instance);
  const DisguisedDevice device(instance);
  const VkDeviceMemory memory = device.allocate(1, 4096);
  EXPECT_DEATH(vkUnmapMemory(device.get(), memory), "not mapped");
}

TEST_F(DisguiseDeathTest, AnUnknownProfileEndsTheProgram) {
  EXPECT_DEATH(DisguisedInstance("nonesuch", false), "QUARRY_DISGUISE=nonesuch");
}

}  // namespace
}  // namespace quarry::disguise
