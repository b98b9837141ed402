// SPDX-License-Identifier: MIT
#include "memory/device_memory.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "device/opened_device.hpp"
#include "device/resource.hpp"
#include "device/vulkan_infos.hpp"
#include "fakes/expect.hpp"

namespace quarry::memory {
namespace {

namespace profiles = fakes::profiles;
using device::OpenedDevice;
using fakes::Function;
using fakes::kGiB;
using fakes::kMiB;

struct Ready {
  OpenedDevice opened;
  Budget budget;

  explicit Ready(const fakes::FakeProfile& profile, BudgetDesc desc = {}) : opened(profile) {
    budget.open(opened.device, desc);
    opened.gpu.reset_calls();
  }
  fakes::FakeGpu& gpu() { return opened.gpu; }
  Status allocate(DeviceMemory& memory, const MemoryRequest& request) {
    return memory.allocate(opened.device, budget, request);
  }
};

// Types of profiles::discrete().
constexpr std::uint32_t kDeviceType = 1;
constexpr std::uint32_t kHostType = 2;

TEST(DeviceMemory, CountsFromAllocationToTheEndOfItsScope) {
  Ready ready(profiles::discrete());
  {
    DeviceMemory memory;
    ASSERT_TRUE(ready.allocate(memory, {.memory_type = kHostType, .size = kMiB}));
    EXPECT_TRUE(memory);
    EXPECT_EQ(memory.size(), kMiB);
    EXPECT_EQ(memory.heap(), 1u);
    EXPECT_EQ(ready.budget.own_bytes(1), kMiB);
    EXPECT_EQ(ready.budget.object_count(), 1u);
    EXPECT_EQ(ready.gpu().used_bytes(1), kMiB);
  }
  EXPECT_EQ(ready.budget.own_bytes(1), 0u);
  EXPECT_EQ(ready.budget.object_count(), 0u);
  Counters counters;
  ready.opened.device.counters().read_into(counters);
  EXPECT_EQ(counters.driver_allocations, 1u);
  EXPECT_EQ(counters.driver_frees, 1u);
  fakes::expect_clean_end(ready.gpu());
}

TEST(DeviceMemory, F03F04LargerThanTheHeapMakesNoDriverCall) {
  Ready tiny(profiles::tiny_first_heap());
  DeviceMemory memory;
  EXPECT_EQ(tiny.allocate(memory, {.memory_type = 0, .size = 16'777'224}).error().reason,
            Reason::larger_than_heap);
  Ready window(profiles::small_window());
  const Error error = window.allocate(memory, {.memory_type = 1, .size = 536'870'912}).error();
  EXPECT_EQ(error.reason, Reason::larger_than_heap);
  EXPECT_EQ(error.code, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(error.requested_bytes, 536'870'912u);

  fakes::FakeProfile profile = profiles::discrete();
  profile.maximum_allocation_size = 1000;
  Ready limited(profile);
  EXPECT_EQ(limited.allocate(memory, {.memory_type = 0, .size = 1001}).error().reason,
            Reason::larger_than_heap);
  EXPECT_EQ(tiny.gpu().calls() + window.gpu().calls() + limited.gpu().calls(), 0u);
}

TEST(DeviceMemory, F16SizeZeroIsRefused) {
  Ready ready(profiles::discrete());
  DeviceMemory memory;
  EXPECT_EQ(ready.allocate(memory, {.memory_type = 0, .size = 0}).error().reason,
            Reason::size_zero);
  EXPECT_EQ(ready.gpu().calls(), 0u);
}

TEST(DeviceMemory, F24BudgetIsAskedBeforeTheDriver) {
  Ready ready(profiles::discrete());
  // Of the 8 GiB the driver's share is 7,373 MiB; what is left of it is less than the headroom.
  ready.gpu().set_outside_bytes(0, 7300 * kMiB);
  ready.budget.refresh();
  ready.gpu().reset_calls();
  DeviceMemory memory;
  EXPECT_EQ(
      ready.allocate(memory, {.memory_type = kDeviceType, .size = kMiB, .within_budget = true})
          .error()
          .reason,
      Reason::over_budget);
  EXPECT_EQ(ready.gpu().calls(), 0u);
  EXPECT_FALSE(memory);
}

TEST(DeviceMemory, ADriversRefusalLeavesNothingBehind) {
  Ready ready(profiles::discrete());
  for (const VkResult code :
       {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_TOO_MANY_OBJECTS}) {
    ready.gpu().fail(Function::allocate_memory, 1, code);
    DeviceMemory memory;
    const Error error = ready.allocate(memory, {.memory_type = kDeviceType, .size = kMiB}).error();
    EXPECT_EQ(error.code, code);
    EXPECT_FALSE(memory);
    EXPECT_EQ(ready.budget.own_bytes(0), 0u);
    EXPECT_EQ(ready.budget.object_count(), 0u);
    EXPECT_EQ(ready.budget.left_to_limit(0), 8 * kGiB);
  }
  fakes::expect_clean_end(ready.gpu());
}

TEST(DeviceMemory, CanBeAllocatedAgainAfterItWasFreed) {
  Ready ready(profiles::discrete());
  DeviceMemory memory;
  ASSERT_TRUE(ready.allocate(memory, {.memory_type = kHostType, .size = kMiB}));
  ASSERT_TRUE(memory.map());
  memory.free();
  memory.free();
  ASSERT_TRUE(ready.allocate(memory, {.memory_type = kHostType, .size = 2 * kMiB}));
  EXPECT_FALSE(memory.is_mapped());
  EXPECT_EQ(ready.budget.mapped_bytes(), 0u);
  memory.free();
  fakes::expect_clean_end(ready.gpu());
}

TEST(DeviceMemory, MapsOnceHoweverOftenItIsAsked) {
  Ready ready(profiles::discrete());
  DeviceMemory memory;
  ASSERT_TRUE(ready.allocate(memory, {.memory_type = kHostType, .size = kMiB}));
  const Result<std::byte*> first = memory.map();
  const Result<std::byte*> second = memory.map();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(memory.mapped(), *first);
  EXPECT_EQ(ready.gpu().calls(Function::map_memory), 1u);
  std::memset(*first, 7, kMiB);
  EXPECT_TRUE(memory.unmap());
  EXPECT_EQ(ready.gpu().calls(Function::unmap_memory), 0u);
  EXPECT_TRUE(memory.unmap());
  EXPECT_EQ(ready.gpu().calls(Function::unmap_memory), 1u);
  EXPECT_EQ(memory.mapped(), nullptr);
  EXPECT_EQ(memory.unmap().error().reason, Reason::not_mapped);
  ASSERT_TRUE(memory.map());
  EXPECT_EQ(ready.gpu().calls(Function::map_memory), 2u);
  memory.free();
  fakes::expect_clean_end(ready.gpu());
}

TEST(DeviceMemory, F21MappingWhatIsNotHostVisibleFailsEveryTime) {
  Ready ready(profiles::discrete());
  DeviceMemory memory;
  ASSERT_TRUE(ready.allocate(memory, {.memory_type = kDeviceType, .size = kMiB}));
  EXPECT_FALSE(memory.host_visible());
  for (int time = 0; time < 3; ++time) {
    const Error error = memory.map().error();
    EXPECT_EQ(error.reason, Reason::not_host_visible);
    EXPECT_EQ(error.code, VK_ERROR_MEMORY_MAP_FAILED);
  }
  EXPECT_EQ(memory.unmap().error().reason, Reason::not_mapped);
  EXPECT_EQ(ready.gpu().calls(Function::map_memory), 0u);
}

TEST(DeviceMemory, F10ProtectedMemoryIsNeverMapped) {
  fakes::FakeProfile profile = profiles::protected_memory();
  profile.types[0].propertyFlags |= VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  Ready ready(profile);
  DeviceMemory memory;
  ASSERT_TRUE(ready.allocate(memory, {.memory_type = 0, .size = kMiB}));
  EXPECT_EQ(memory.map().error().reason, Reason::not_host_visible);
  EXPECT_FALSE(memory.needs_flush());
}

TEST(DeviceMemory, FailedMappingIsAnErrorAndMayBeTriedAgain) {
  Ready ready(profiles::discrete());
  DeviceMemory memory;
  ASSERT_TRUE(ready.allocate(memory, {.memory_type = kHostType, .size = kMiB}));
  ready.gpu().fail(Function::map_memory, 1, VK_ERROR_MEMORY_MAP_FAILED);
  EXPECT_EQ(memory.map().error().code, VK_ERROR_MEMORY_MAP_FAILED);
  EXPECT_EQ(ready.budget.mapped_bytes(), 0u);
  EXPECT_FALSE(memory.is_mapped());
  EXPECT_TRUE(memory.map());
  EXPECT_TRUE(memory.unmap());
}

TEST(DeviceMemory, F23MappingBeyondTheCapIsRefusedUntilOthersLetGo) {
  Ready ready(profiles::discrete(), {.mapped_address_space = 3 * kMiB});
  DeviceMemory first;
  DeviceMemory second;
  ASSERT_TRUE(ready.allocate(first, {.memory_type = kHostType, .size = 2 * kMiB}));
  ASSERT_TRUE(ready.allocate(second, {.memory_type = kHostType, .size = 2 * kMiB}));
  ASSERT_TRUE(first.map());
  const Error error = second.map().error();
  EXPECT_EQ(error.reason, Reason::over_limit);
  EXPECT_EQ(error.code, VK_ERROR_MEMORY_MAP_FAILED);
  EXPECT_TRUE(first.unmap());
  EXPECT_TRUE(second.map());
  second.free();
  EXPECT_EQ(ready.budget.mapped_bytes(), 0u);
  EXPECT_TRUE(first.map());
}

TEST(DeviceMemory, F07TellsWhetherWritesNeedAFlush) {
  Ready ready(profiles::non_coherent());
  const bool needs[] = {false, true, false, true};
  for (std::uint32_t type = 0; type < 4; ++type) {
    DeviceMemory memory;
    ASSERT_TRUE(ready.allocate(memory, {.memory_type = type, .size = kMiB}));
    EXPECT_EQ(memory.needs_flush(), needs[type]) << type;
    EXPECT_EQ(memory.property_flags(), profiles::non_coherent().types[type].propertyFlags);
  }
}

TEST(DeviceMemory, PriorityAddressAndDedicatedAreSaidWhereEnabled) {
  Ready ready(profiles::rebar());
  const VkBufferCreateInfo info =
      device::buffer_info(1000, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  const Result<VkBuffer> buffer = device::create_buffer(ready.opened.device, info);
  ASSERT_TRUE(buffer);
  const auto requirements = device::requirements_of_buffer(ready.opened.device, *buffer);
  DeviceMemory memory;
  ASSERT_TRUE(ready.allocate(memory, {.memory_type = 0,
                                      .size = requirements.memory.size,
                                      .priority = 0.9f,
                                      .device_address = true,
                                      .dedicated_buffer = *buffer}));
  const auto facts = ready.gpu().memory_facts(memory.handle());
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->dedicated);
  EXPECT_TRUE(facts->device_address);
  EXPECT_FLOAT_EQ(facts->priority, 0.875f);
  ASSERT_TRUE(device::bind_buffer(ready.opened.device, *buffer, memory.handle(), 0));
  device::destroy_buffer(ready.opened.device, *buffer);
  memory.free();
  fakes::expect_clean_end(ready.gpu());
}

TEST(DeviceMemory, NothingIsSaidThatIsNotEnabled) {
  Ready ready(device::at_version_1_0(profiles::discrete()));
  const Result<VkBuffer> buffer =
      device::create_buffer(ready.opened.device, device::buffer_info(1000));
  ASSERT_TRUE(buffer);
  DeviceMemory memory;
  ASSERT_TRUE(ready.allocate(memory, {.memory_type = kDeviceType,
                                      .size = 65'536,
                                      .priority = 1.0f,
                                      .device_address = true,
                                      .dedicated_buffer = *buffer}));
  const auto facts = ready.gpu().memory_facts(memory.handle());
  EXPECT_FALSE(facts->dedicated);
  EXPECT_FALSE(facts->device_address);
  EXPECT_EQ(facts->priority, -1.0f);
  device::destroy_buffer(ready.opened.device, *buffer);
  memory.free();
  fakes::expect_clean_end(ready.gpu());
}

TEST(DeviceMemory, F34TheOwnersChainGoesAlongAndIsNotSaidTwice) {
  Ready ready(profiles::rebar());
  VkExportMemoryAllocateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkMemoryPriorityAllocateInfoEXT priority{};
  priority.sType = VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT;
  priority.pNext = &exported;
  priority.priority = 0.25f;
  DeviceMemory memory;
  ASSERT_TRUE(ready.allocate(
      memory, {.memory_type = 0, .size = kMiB, .priority = 1.0f, .next = &priority}));
  const auto facts = ready.gpu().memory_facts(memory.handle());
  EXPECT_FLOAT_EQ(facts->priority, 0.25f);
  EXPECT_EQ(facts->exported, exported.handleTypes);
  EXPECT_EQ(priority.pNext, &exported);
  memory.free();
  fakes::expect_clean_end(ready.gpu());
}

TEST(DeviceMemory, HostMemoryGoesThroughTheCallbacks) {
  Ready ready(profiles::discrete());
  DeviceMemory memory;
  ASSERT_TRUE(ready.allocate(memory, {.memory_type = kHostType, .size = kMiB}));
  memory.free();
  EXPECT_EQ(ready.opened.host.live_blocks(), 0u);
  EXPECT_TRUE(ready.opened.host.misuse().empty());
  fakes::expect_clean_end(ready.gpu());
}

TEST(DeviceMemory, ThreadsMapAndUnmapAtWill) {
  Ready ready(profiles::discrete());
  DeviceMemory memory;
  ASSERT_TRUE(ready.allocate(memory, {.memory_type = kHostType, .size = 4096}));
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (std::size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 3000; ++round) {
        const Result<std::byte*> mapped = memory.map();
        if (!mapped) {
          ++failures;
          continue;
        }
        (*mapped)[thread] = static_cast<std::byte>(round);
        if ((*mapped)[thread] != static_cast<std::byte>(round)) ++failures;
        if (!memory.unmap()) ++failures;
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_FALSE(memory.is_mapped());
  EXPECT_EQ(ready.gpu().calls(Function::map_memory), ready.gpu().calls(Function::unmap_memory));
  EXPECT_EQ(ready.budget.mapped_bytes(), 0u);
  memory.free();
  fakes::expect_clean_end(ready.gpu());
}

TEST(PriorityClass, ClampsAndSendsNotANumberToTheMiddle) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(priority_class(-1.0f), 0u);
  EXPECT_EQ(priority_class(-kInfinity), 0u);
  EXPECT_EQ(priority_class(2.0f), kPriorityClasses - 1);
  EXPECT_EQ(priority_class(kInfinity), kPriorityClasses - 1);
  EXPECT_EQ(priority_class(std::numeric_limits<float>::quiet_NaN()), priority_class(0.5f));
}

TEST(PriorityClass, EachStandsForAPriorityOfItsOwn) {
  for (std::uint32_t index = 0; index < kPriorityClasses; ++index) {
    EXPECT_EQ(priority_class(priority_of_class(index)), index);
    EXPECT_GE(priority_of_class(index), 0.0f);
    EXPECT_LE(priority_of_class(index), 1.0f);
    if (index > 0) {
      EXPECT_LT(priority_of_class(index - 1), priority_of_class(index));
    }
  }
  EXPECT_EQ(priority_of_class(priority_class(0.5f)), 0.5f);
}

}  // namespace
}  // namespace quarry::memory
