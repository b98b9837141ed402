// SPDX-License-Identifier: MIT
// The adapter, with volk's globals set by hand: no loader and no driver.
#include <array>
#include <cstring>

#include <gtest/gtest.h>
#include <volk.h>

#include <quarry/volk.hpp>

namespace quarry {
namespace {

VKAPI_ATTR VkResult VKAPI_CALL bind_core(VkDevice, std::uint32_t, const VkBindBufferMemoryInfo*) {
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL bind_extension(VkDevice, std::uint32_t,
                                              const VkBindBufferMemoryInfo*) {
  return VK_INCOMPLETE;
}

VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice, VkDeviceMemory, const VkAllocationCallbacks*) {}

class FunctionsFromVolk : public testing::Test {
 protected:
  ~FunctionsFromVolk() override {
    vkBindBufferMemory2 = nullptr;
    vkBindBufferMemory2KHR = nullptr;
    vkFreeMemory = nullptr;
  }
};

TEST_F(FunctionsFromVolk, IsAllNullBeforeVolkLoads) {
  const VulkanFunctions functions = functions_from_volk();
  std::array<unsigned char, sizeof(VulkanFunctions)> bytes;
  std::memcpy(bytes.data(), &functions, bytes.size());
  EXPECT_EQ(bytes, (std::array<unsigned char, sizeof(VulkanFunctions)>{}));
}

TEST_F(FunctionsFromVolk, CopiesWhatVolkLoaded) {
  vkFreeMemory = free_memory;
  EXPECT_EQ(functions_from_volk().vkFreeMemory, free_memory);
}

TEST_F(FunctionsFromVolk, TakesTheExtensionsNameWhereTheCoreNameIsMissing) {
  vkBindBufferMemory2KHR = bind_extension;
  EXPECT_EQ(functions_from_volk().vkBindBufferMemory2, bind_extension);
}

TEST_F(FunctionsFromVolk, PrefersTheCoreName) {
  vkBindBufferMemory2KHR = bind_extension;
  vkBindBufferMemory2 = bind_core;
  EXPECT_EQ(functions_from_volk().vkBindBufferMemory2, bind_core);
}

}  // namespace
}  // namespace quarry
