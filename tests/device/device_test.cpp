// SPDX-License-Identifier: MIT
#include "device/device.hpp"

#include <cmath>
#include <cstring>

#include "device/opened_device.hpp"
#include "fakes/expect.hpp"

namespace quarry::device {
namespace {

namespace profiles = fakes::profiles;
using fakes::FakeGpu;
using fakes::FakeProfile;

/// The error of opening after `change`, which gets the description.
template <class Change>
Error error_after(const FakeProfile& profile, Change change) {
  const FakeGpu gpu(profile);
  Description description(gpu);
  change(description.desc);
  Device device;
  const Status opened = device.open(description.desc);
  EXPECT_FALSE(opened);
  EXPECT_EQ(description.messages.size(), 1u);
  return opened ? Error{} : opened.error();
}

TEST(Device, OpensOnEveryProfileThroughLoaderAndTable) {
  for (const FakeProfile& profile : profiles::all()) {
    const FakeGpu gpu(profile);
    const VulkanFunctions table = FakeGpu::functions();
    for (const bool through_table : {false, true}) {
      AllocatorDesc desc = gpu.allocator_desc();
      if (through_table) {
        desc.get_instance_proc_addr = nullptr;
        desc.functions = &table;
      }
      Device device;
      ASSERT_TRUE(device.open(desc)) << profile.name;
      EXPECT_EQ(device.facts().memory.memoryTypeCount, profile.types.size());
      EXPECT_EQ(device.facts().maximum_allocation_size, profile.maximum_allocation_size);
      EXPECT_EQ(device.handle(), gpu.device());
    }
    fakes::expect_no_violations(gpu);
  }
}

TEST(Device, NullHandlesAreRefused) {
  const FakeProfile profile = profiles::discrete();
  const auto reason = [&](auto change) { return error_after(profile, change).reason; };
  EXPECT_EQ(reason([](AllocatorDesc& d) { d.instance = VK_NULL_HANDLE; }), Reason::bad_argument);
  EXPECT_EQ(reason([](AllocatorDesc& d) { d.physical_device = VK_NULL_HANDLE; }),
            Reason::bad_argument);
  EXPECT_EQ(reason([](AllocatorDesc& d) { d.device = VK_NULL_HANDLE; }), Reason::bad_argument);
}

TEST(Device, ExactlyOneSourceOfFunctions) {
  const VulkanFunctions table = FakeGpu::functions();
  const FakeProfile profile = profiles::discrete();
  EXPECT_EQ(
      error_after(profile, [](AllocatorDesc& d) { d.get_instance_proc_addr = nullptr; }).reason,
      Reason::bad_argument);
  EXPECT_EQ(error_after(profile, [&](AllocatorDesc& d) { d.functions = &table; }).reason,
            Reason::bad_argument);
}

TEST(Device, HalfFilledCallbacksAndNonsenseSharesAreRefused) {
  const FakeProfile profile = profiles::discrete();
  const VkAllocationCallbacks half{};
  EXPECT_EQ(error_after(profile, [&](AllocatorDesc& d) { d.host_callbacks = &half; }).reason,
            Reason::bad_argument);
  for (const double share : {0.0, -1.0, 1.5, static_cast<double>(NAN)}) {
    EXPECT_EQ(
        error_after(profile, [&](AllocatorDesc& d) { d.assumed_budget_share = share; }).reason,
        Reason::bad_argument);
  }
}

/// What only moving contents needs comes last.
constexpr std::size_t kFirstOptional =
    offsetof(VulkanFunctions, vkCmdPipelineBarrier) / sizeof(PFN_vkVoidFunction);

TEST(Device, FunctionsForMovingContentsMayBeMissing) {
  const FakeGpu gpu(profiles::rebar());
  VulkanFunctions table = FakeGpu::functions();
  std::memset(reinterpret_cast<char*>(&table) + kFirstOptional * sizeof(PFN_vkVoidFunction), 0,
              sizeof(table) - kFirstOptional * sizeof(PFN_vkVoidFunction));
  AllocatorDesc desc = gpu.allocator_desc();
  desc.get_instance_proc_addr = nullptr;
  desc.functions = &table;
  Device device;
  ASSERT_TRUE(device.open(desc));
  EXPECT_EQ(device.fn().vkCmdCopyBuffer, nullptr);
  EXPECT_EQ(device.fn().vkGetBufferDeviceAddress, nullptr);
}

TEST(Device, EveryFunctionThatIsOpenMustBeThere) {
  FakeProfile profile = profiles::rebar();
  const FakeGpu gpu(profile);
  for (std::size_t member = 0; member < kFirstOptional; ++member) {
    VulkanFunctions table = FakeGpu::functions();
    std::memset(reinterpret_cast<char*>(&table) + member * sizeof(PFN_vkVoidFunction), 0,
                sizeof(PFN_vkVoidFunction));
    Description description(gpu);
    description.desc.get_instance_proc_addr = nullptr;
    description.desc.functions = &table;
    Device device;
    const Status opened = device.open(description.desc);
    ASSERT_FALSE(opened) << member;
    EXPECT_EQ(opened.error().reason, Reason::function_missing);
    EXPECT_EQ(opened.error().code, VK_ERROR_INITIALIZATION_FAILED);
    ASSERT_EQ(description.messages.size(), 1u);
    EXPECT_NE(description.messages[0].find("vk"), std::string::npos);
  }
}

TEST(Device, ANonNullPointerAloneProvesNothing) {
  const FakeGpu gpu(at_version_1_0(profiles::discrete()));
  const VulkanFunctions table = FakeGpu::functions();
  AllocatorDesc desc = gpu.allocator_desc();
  desc.get_instance_proc_addr = nullptr;
  desc.functions = &table;
  Device device;
  ASSERT_TRUE(device.open(desc));
  EXPECT_EQ(device.fn().vkGetPhysicalDeviceProperties2, nullptr);
  EXPECT_EQ(device.fn().vkGetPhysicalDeviceMemoryProperties2, nullptr);
  EXPECT_EQ(device.fn().vkBindBufferMemory2, nullptr);
  EXPECT_EQ(device.fn().vkBindImageMemory2, nullptr);
  EXPECT_EQ(device.fn().vkGetBufferMemoryRequirements2, nullptr);
  EXPECT_EQ(device.fn().vkGetImageMemoryRequirements2, nullptr);
  EXPECT_EQ(device.fn().vkGetSemaphoreCounterValue, nullptr);
  EXPECT_EQ(device.fn().vkGetDeviceBufferMemoryRequirements, nullptr);
  EXPECT_EQ(device.fn().vkGetDeviceImageMemoryRequirements, nullptr);
  EXPECT_NE(device.fn().vkAllocateMemory, nullptr);
  EXPECT_FALSE(device.facts().uses_requirements2);
  EXPECT_FALSE(device.facts().uses_dedicated_allocation);
  EXPECT_FALSE(device.facts().uses_bind2);
  EXPECT_FALSE(device.facts().uses_memory_budget);
  EXPECT_FALSE(device.uses_planes());
  fakes::expect_no_violations(gpu);
}

TEST(Device, ExtensionsOpenTheirFunctionsOnVulkan10) {
  FakeProfile profile = at_version_1_0(
      profiles::discrete(), {"VK_KHR_get_memory_requirements2", "VK_KHR_dedicated_allocation",
                             "VK_KHR_bind_memory2", "VK_KHR_maintenance3", "VK_EXT_memory_budget",
                             "VK_KHR_timeline_semaphore", "VK_KHR_maintenance4"});
  profile.instance_extensions = {"VK_KHR_get_physical_device_properties2"};
  profile.features.timeline_semaphore = true;
  profile.features.maintenance4 = true;
  profile.maximum_allocation_size = 12345678;
  const FakeGpu gpu(profile);
  Device device;
  ASSERT_TRUE(device.open(gpu.allocator_desc()));
  EXPECT_EQ(device.facts().api_version, VK_API_VERSION_1_0);
  EXPECT_TRUE(device.facts().uses_requirements2);
  EXPECT_TRUE(device.facts().uses_dedicated_allocation);
  EXPECT_TRUE(device.facts().uses_bind2);
  EXPECT_TRUE(device.facts().uses_memory_budget);
  EXPECT_TRUE(device.facts().uses_maintenance4);
  EXPECT_NE(device.fn().vkGetSemaphoreCounterValue, nullptr);
  EXPECT_EQ(device.facts().maximum_allocation_size, 12345678u);
  fakes::expect_no_violations(gpu);
}

TEST(Device, WithoutMaintenance3TheLargestHeapLimitsAnAllocation) {
  const OpenedDevice opened(at_version_1_0(profiles::discrete()));
  EXPECT_EQ(opened.device.facts().maximum_allocation_size, 16 * fakes::kGiB);
  fakes::expect_no_violations(opened.gpu);
}

TEST(Device, VersionInUseIsTheLowestWithoutPatch) {
  const auto in_use = [](std::uint32_t declared, std::uint32_t offered) {
    FakeProfile profile = profiles::discrete();
    profile.features = {};
    profile.device_extensions.clear();
    profile.api_version = offered;
    profile.declared_version = declared;
    const FakeGpu gpu(profile);
    AllocatorDesc desc = gpu.allocator_desc();
    desc.api_version = declared;
    Device device;
    EXPECT_TRUE(device.open(desc));
    return device.facts().api_version;
  };
  EXPECT_EQ(in_use(VK_API_VERSION_1_3, VK_API_VERSION_1_1), VK_API_VERSION_1_1);
  EXPECT_EQ(in_use(VK_API_VERSION_1_1, VK_MAKE_API_VERSION(0, 1, 4, 300)), VK_API_VERSION_1_1);
  EXPECT_EQ(in_use(VK_MAKE_API_VERSION(0, 1, 2, 77), VK_API_VERSION_1_3), VK_API_VERSION_1_2);
}

TEST(Device, VersionZeroMeansVulkan10) {
  const FakeGpu gpu(at_version_1_0(profiles::discrete()));
  AllocatorDesc desc = gpu.allocator_desc();
  desc.api_version = 0;
  Device device;
  ASSERT_TRUE(device.open(desc));
  EXPECT_EQ(device.facts().api_version, VK_API_VERSION_1_0);
}

TEST(Device, AFeatureNeedsTheVersionOrExtensionThatCarriesIt) {
  bool EnabledFeatures::*const features[] = {
      &EnabledFeatures::buffer_device_address,  &EnabledFeatures::memory_priority,
      &EnabledFeatures::device_coherent_memory, &EnabledFeatures::maintenance4,
      &EnabledFeatures::maintenance5,           &EnabledFeatures::protected_memory,
      &EnabledFeatures::timeline_semaphore,
  };
  for (const auto feature : features) {
    const Error error = error_after(at_version_1_0(profiles::discrete()),
                                    [&](AllocatorDesc& desc) { desc.features.*feature = true; });
    EXPECT_EQ(error.reason, Reason::feature_not_enabled);
    EXPECT_EQ(error.code, VK_ERROR_FEATURE_NOT_PRESENT);
  }
}

TEST(Device, VersionsCarryTheirFeatures) {
  FakeProfile profile = profiles::nvidia_h200();
  profile.features.protected_memory = true;
  profile.device_extensions.push_back("VK_AMD_device_coherent_memory");
  profile.features.device_coherent_memory = true;
  const OpenedDevice opened(profile);
  EXPECT_TRUE(opened.device.facts().features.maintenance5);
  EXPECT_TRUE(opened.device.facts().uses_maintenance4);
  EXPECT_TRUE(opened.device.uses_planes());
}

TEST(Device, Maintenance4FunctionsNeedTheFeatureEvenOnVulkan13) {
  FakeProfile profile = profiles::discrete();
  profile.features.maintenance4 = false;
  const OpenedDevice opened(profile);
  EXPECT_FALSE(opened.device.facts().uses_maintenance4);
  EXPECT_EQ(opened.device.fn().vkGetDeviceBufferMemoryRequirements, nullptr);
}

TEST(Device, ZeroLimitsBecomeWhatTheSpecificationPromises) {
  FakeProfile profile = profiles::discrete();
  profile.granularity = 0;
  profile.atom = 0;
  profile.maximum_allocation_count = 0;
  profile.maximum_allocation_size = 0;
  const OpenedDevice opened(profile);
  const VkPhysicalDeviceLimits& limits = opened.device.facts().properties.limits;
  EXPECT_EQ(limits.bufferImageGranularity, 1u);
  EXPECT_EQ(limits.nonCoherentAtomSize, 1u);
  EXPECT_EQ(limits.maxMemoryAllocationCount, 4096u);
  EXPECT_EQ(opened.device.facts().maximum_allocation_size, 16 * fakes::kGiB);
}

TEST(Device, MemoryTypesWithoutAHeapAreRefused) {
  FakeProfile profile = profiles::discrete();
  profile.types[2].heapIndex = 7;
  EXPECT_EQ(error_after(profile, [](AllocatorDesc&) {}).reason, Reason::unsupported);
}

TEST(Device, NullNamesAmongTheExtensionsAreSkipped) {
  const FakeGpu gpu(profiles::discrete());
  AllocatorDesc desc = gpu.allocator_desc();
  const char* const names[] = {nullptr, "VK_EXT_memory_budget"};
  desc.device_extensions = names;
  Device device;
  ASSERT_TRUE(device.open(desc));
  EXPECT_TRUE(device.facts().uses_memory_budget);
}

TEST(HostMemoryOfCallbacks, GoesThroughThemWithObjectScope) {
  fakes::CountingHostCallbacks host;
  const HostMemory memory = host_memory(host.callbacks());
  void* block = memory.allocate(memory.user, 100, 64);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(host.live_bytes(VK_SYSTEM_ALLOCATION_SCOPE_OBJECT), 100u);
  memory.release(memory.user, block);
  EXPECT_EQ(host.live_blocks(), 0u);
  EXPECT_TRUE(host.misuse().empty());

  const HostMemory standard = host_memory(nullptr);
  block = standard.allocate(standard.user, 10, 8);
  ASSERT_NE(block, nullptr);
  standard.release(standard.user, block);
}

}  // namespace
}  // namespace quarry::device
