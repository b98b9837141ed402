// SPDX-License-Identifier: MIT
// Creation of allocators: descriptions that are wrong, moves, and what becomes of a failure.
#include "heap/core.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeGpu;

struct Attempt {
  fakes::CountingHostCallbacks host;
  FakeGpu gpu{fakes::profiles::discrete()};
  std::vector<std::string> messages;

  Reason create(const Rig::Change& change) {
    AllocatorDesc desc = gpu.allocator_desc();
    desc.host_callbacks = host.callbacks();
    desc.on_message = [](void* user, Severity severity, const char* text) {
      EXPECT_EQ(severity, Severity::error);
      static_cast<Attempt*>(user)->messages.emplace_back(text);
    };
    desc.message_user = this;
    messages.clear();
    change(desc);
    const auto made = Allocator::create(desc);
    EXPECT_EQ(host.live_blocks(), made ? host.live_blocks() : 0u);
    EXPECT_TRUE(made || !messages.empty()) << "an error is told in words";
    return reason_of(made);
  }
};

TEST(Core, WrongDescriptionsAreRefusedInWords) {
  Attempt attempt;
  EXPECT_EQ(attempt.create([](AllocatorDesc& d) { d.instance = VK_NULL_HANDLE; }),
            Reason::bad_argument);
  EXPECT_EQ(attempt.create([](AllocatorDesc& d) { d.physical_device = VK_NULL_HANDLE; }),
            Reason::bad_argument);
  EXPECT_EQ(attempt.create([](AllocatorDesc& d) { d.device = VK_NULL_HANDLE; }),
            Reason::bad_argument);
  EXPECT_EQ(attempt.create([](AllocatorDesc& d) { d.get_instance_proc_addr = nullptr; }),
            Reason::bad_argument);
  EXPECT_EQ(attempt.create([](AllocatorDesc& d) { d.blocks.first_block = 0; }), Reason::size_zero);
  EXPECT_EQ(attempt.create([](AllocatorDesc& d) { d.blocks.largest_block = 0; }),
            Reason::size_zero);
  EXPECT_EQ(attempt.create([](AllocatorDesc& d) { d.blocks.largest_mapped_block = 0; }),
            Reason::size_zero);
  for (const double share : {0.0, -1.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(attempt.create([share](AllocatorDesc& d) { d.assumed_budget_share = share; }),
              Reason::bad_argument);
  }
  EXPECT_EQ(attempt.create([](AllocatorDesc& d) { d.features.device_coherent_memory = true; }),
            Reason::feature_not_enabled);
}

TEST(Core, HalfFilledCallbacksAreRefusedBeforeTheyAreUsed) {
  Attempt attempt;
  const VkAllocationCallbacks whole = *attempt.host.callbacks();
  for (int missing = 0; missing < 3; ++missing) {
    VkAllocationCallbacks callbacks = whole;
    if (missing == 0) callbacks.pfnAllocation = nullptr;
    if (missing == 1) callbacks.pfnReallocation = nullptr;
    if (missing == 2) callbacks.pfnFree = nullptr;
    EXPECT_EQ(attempt.create([&](AllocatorDesc& d) { d.host_callbacks = &callbacks; }),
              Reason::bad_argument);
  }
}

TEST(Core, AFunctionThatShouldBeThereAndIsNotIsNamed) {
  Attempt attempt;
  VulkanFunctions table = FakeGpu::functions();
  table.vkBindImageMemory2 = nullptr;
  EXPECT_EQ(attempt.create([&](AllocatorDesc& d) {
    d.get_instance_proc_addr = nullptr;
    d.functions = &table;
  }),
            Reason::function_missing);
  EXPECT_NE(attempt.messages.front().find("vkBindImageMemory2"), std::string::npos);
}

TEST(Core, NothingOfTheDescriptionIsNeededAfterwards) {
  fakes::CountingHostCallbacks host;
  FakeGpu gpu(fakes::profiles::discrete());
  {
    Allocator allocator;
    {
      auto desc = std::make_unique<AllocatorDesc>(gpu.allocator_desc());
      auto callbacks = std::make_unique<VkAllocationCallbacks>(*host.callbacks());
      auto table = std::make_unique<VulkanFunctions>(FakeGpu::functions());
      const std::vector<VkDeviceSize> limits{VK_WHOLE_SIZE};
      desc->host_callbacks = callbacks.get();
      desc->get_instance_proc_addr = nullptr;
      desc->functions = table.get();
      desc->heap_limits = limits;
      auto made = Allocator::create(*desc);
      ASSERT_TRUE(made);
      allocator = std::move(*made);
    }
    const auto buffer = allocator.create_buffer(buffer_info(100));
    ASSERT_TRUE(buffer);
    EXPECT_TRUE(allocator.destroy(*buffer));
  }
  fakes::expect_clean_end(gpu);
  EXPECT_EQ(host.live_blocks(), 0u);
}

TEST(Core, MovingHandsTheAllocatorOver) {
  Rig rig(fakes::profiles::discrete());
  const auto buffer = rig.allocator.create_buffer(buffer_info(100));
  ASSERT_TRUE(buffer);
  Allocator moved(std::move(rig.allocator));
  EXPECT_FALSE(rig.allocator);  // NOLINT(bugprone-use-after-move): what a move leaves is the test
  EXPECT_TRUE(moved.info(buffer->allocation));
  Allocator& same = moved;
  moved = std::move(same);
  EXPECT_TRUE(moved);
  rig.allocator = std::move(moved);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Core, AssigningEndsTheOneThatWasThere) {
  fakes::CountingHostCallbacks host;
  FakeGpu gpu(fakes::profiles::discrete());
  AllocatorDesc desc = gpu.allocator_desc();
  desc.host_callbacks = host.callbacks();
  auto allocator = std::move(*Allocator::create(desc));
  const std::size_t blocks = host.live_blocks();
  allocator = std::move(*Allocator::create(desc));
  EXPECT_EQ(host.live_blocks(), blocks);
  allocator = Allocator();
  EXPECT_EQ(host.live_blocks(), 0u);
}

TEST(Core, TheSteadyClockServesWhereNoneIsGiven) {
  Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) {
    desc.clock = nullptr;
    desc.blocks.retained_milliseconds = 0;
    desc.hot_path.deterministic = true;  // a thread's cache would hold on to the block
  });
  const auto buffer = rig.allocator.create_buffer(buffer_info(100));
  ASSERT_TRUE(buffer);
  ASSERT_TRUE(rig.allocator.destroy(*buffer));
  rig.allocator.tick();
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST(Core, WithoutCallbacksTheLibraryHasItsOwnHostMemory) {
  FakeGpu gpu(fakes::profiles::discrete());
  {
    auto allocator = std::move(*Allocator::create(gpu.allocator_desc()));
    const auto buffer = allocator.create_buffer(buffer_info(100), {.name = "x"});
    ASSERT_TRUE(buffer);
    EXPECT_TRUE(allocator.destroy(*buffer));
  }
  fakes::expect_clean_end(gpu);
}

}  // namespace
}  // namespace quarry::test
