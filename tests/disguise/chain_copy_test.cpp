// SPDX-License-Identifier: MIT
#include "disguise/chain_copy.hpp"

#include <array>

#include <gtest/gtest.h>

namespace quarry::disguise {
namespace {

constexpr auto kDropped = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT;

struct Chain {
  VkPhysicalDeviceMaintenance4Features last{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, nullptr, VK_TRUE};
  VkPhysicalDeviceMemoryPriorityFeaturesEXT dropped{kDropped, &last, VK_TRUE};
  VkPhysicalDeviceTimelineSemaphoreFeatures first{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, &dropped, VK_TRUE};
};

TEST(ChainCopy, WithoutAnythingToDropTheChainIsTheCallersOwn) {
  Chain chain;
  chain.first.pNext = &chain.last;
  ChainCopy copy;
  EXPECT_EQ(copy.without(&chain.first, std::array{kDropped}), &chain.first);
  EXPECT_EQ(copy.without(nullptr, std::array{kDropped}), nullptr);
}

TEST(ChainCopy, CopiesWhatStandsBeforeAndSharesWhatStandsBehind) {
  const Chain chain;
  ChainCopy copy;
  const auto* first = static_cast<const VkPhysicalDeviceTimelineSemaphoreFeatures*>(
      copy.without(&chain.first, std::array{kDropped}));
  ASSERT_NE(first, &chain.first);
  EXPECT_EQ(first->sType, chain.first.sType);
  EXPECT_EQ(first->timelineSemaphore, VK_TRUE);
  EXPECT_EQ(first->pNext, &chain.last);
}

TEST(ChainCopy, DropsAtTheHeadAndTwiceInARow) {
  Chain chain;
  const VkPhysicalDeviceMemoryPriorityFeaturesEXT again{kDropped, &chain.dropped, VK_FALSE};
  ChainCopy copy;
  EXPECT_EQ(copy.without(&again, std::array{kDropped}), &chain.last);
}

TEST(ChainCopy, LeavesTheCallersChainAlone) {
  const Chain chain;
  ChainCopy copy;
  copy.without(&chain.first, std::array{kDropped});
  EXPECT_EQ(chain.first.pNext, &chain.dropped);
  EXPECT_EQ(chain.dropped.pNext, &chain.last);
}

TEST(ChainCopyDeathTest, AStructureOfUnknownSizeIsNamed) {
  const Chain chain;
  const VkBaseInStructure unknown{static_cast<VkStructureType>(77),
                                  reinterpret_cast<const VkBaseInStructure*>(&chain.first)};
  ChainCopy copy;
  EXPECT_DEATH(copy.without(&unknown, std::array{kDropped}), "sType 77");
}

}  // namespace
}  // namespace quarry::disguise
