// SPDX-License-Identifier: MIT
#include "fakes/fake_gpu.hpp"

#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fakes/bench.hpp"
#include "fakes/expect.hpp"

namespace quarry::fakes {
namespace {

PFN_vkVoidFunction instance_function(const FakeGpu& gpu, const std::string& name) {
  return FakeGpu::get_instance_proc_addr(gpu.instance(), name.c_str());
}

TEST(FakeGpu, ServesEveryFunctionOfTheTableByName) {
  const FakeGpu gpu(profiles::discrete());
  for (const FunctionText& text : functions()) {
    EXPECT_NE(instance_function(gpu, text.name), nullptr) << text.name;
  }
}

TEST(FakeGpu, ServesDeviceFunctionsThroughTheDevice) {
  const FakeGpu gpu(profiles::discrete());
  const auto get_device_proc_addr =
      reinterpret_cast<PFN_vkGetDeviceProcAddr>(instance_function(gpu, "vkGetDeviceProcAddr"));
  ASSERT_NE(get_device_proc_addr, nullptr);
  for (const FunctionText& text : functions()) {
    EXPECT_EQ(get_device_proc_addr(gpu.device(), text.name) != nullptr, !text.instance_level)
        << text.name;
  }
}

TEST(FakeGpu, ServesNothingWithoutInstanceButItsOwnEntry) {
  EXPECT_NE(FakeGpu::get_instance_proc_addr(VK_NULL_HANDLE, "vkGetInstanceProcAddr"), nullptr);
  EXPECT_EQ(FakeGpu::get_instance_proc_addr(VK_NULL_HANDLE, "vkAllocateMemory"), nullptr);
}

TEST(FakeGpu, ServesCoreNamesByVersionAndKhrNamesByExtension) {
  FakeProfile profile = profiles::discrete();
  profile.declared_version = VK_API_VERSION_1_0;
  profile.device_extensions = {VK_KHR_BIND_MEMORY_2_EXTENSION_NAME};
  profile.instance_extensions = {VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME};
  const FakeGpu gpu(profile);
  EXPECT_EQ(instance_function(gpu, "vkBindBufferMemory2"), nullptr);
  EXPECT_NE(instance_function(gpu, "vkBindBufferMemory2KHR"), nullptr);
  EXPECT_NE(instance_function(gpu, "vkGetPhysicalDeviceMemoryProperties2KHR"), nullptr);
  EXPECT_EQ(instance_function(gpu, "vkGetBufferMemoryRequirements2KHR"), nullptr);
  EXPECT_EQ(instance_function(gpu, "vkAllocateMemoryKHR"), nullptr);
}

TEST(FakeGpu, SeveralLiveAtOnce) {
  Bench first(profiles::discrete());
  Bench second(profiles::single_type());
  const VkDeviceMemory a = first.allocate(1, 1024);
  const VkDeviceMemory b = second.allocate(0, 1024);
  EXPECT_NE(a, b);
  EXPECT_EQ(first.gpu.live().memories, 1u);
  EXPECT_EQ(second.gpu.calls(Function::allocate_memory), 1u);
  first.free(a);
  second.free(b);
  expect_clean_end(first.gpu);
  expect_clean_end(second.gpu);
}

TEST(FakeGpu, CountsCalls) {
  Bench bench(profiles::discrete());
  bench.destroy_buffer(bench.buffer(64));
  EXPECT_EQ(bench.gpu.calls(Function::create_buffer), 1u);
  EXPECT_EQ(bench.gpu.calls(), 2u);
  bench.gpu.reset_calls();
  EXPECT_EQ(bench.gpu.calls(), 0u);
}

TEST(FakeGpu, FailsTheNthCall) {
  Bench bench(profiles::discrete());
  bench.gpu.fail(Function::create_buffer, 2, VK_ERROR_OUT_OF_HOST_MEMORY, 2);
  std::vector<VkResult> results;
  for (int i = 0; i < 4; ++i) {
    bench.buffer(64);
    results.push_back(bench.result);
  }
  EXPECT_EQ(results, (std::vector{VK_SUCCESS, VK_ERROR_OUT_OF_HOST_MEMORY,
                                  VK_ERROR_OUT_OF_HOST_MEMORY, VK_SUCCESS}));
  EXPECT_EQ(bench.gpu.live().buffers, 2u);
}

TEST(FakeGpu, AnOrderedFailureSurvivesAResetOfTheCounts) {
  Bench bench(profiles::discrete());
  bench.buffer(64);
  bench.gpu.fail(Function::create_buffer, 2, VK_ERROR_OUT_OF_HOST_MEMORY);
  bench.buffer(64);
  bench.gpu.reset_calls();
  bench.buffer(64);
  EXPECT_EQ(bench.result, VK_ERROR_OUT_OF_HOST_MEMORY);
  bench.buffer(64);
  EXPECT_EQ(bench.result, VK_SUCCESS);
}

TEST(FakeGpu, RefusesAllocationsOnDemand) {
  Bench bench(profiles::discrete());
  bench.gpu.refuse_allocations([](const VkMemoryAllocateInfo& info) {
    return info.memoryTypeIndex == 1 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
  });
  bench.allocate(1, 1024);
  EXPECT_EQ(bench.result, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  bench.allocate(2, 1024);
  EXPECT_EQ(bench.result, VK_SUCCESS);
}

TEST(FakeGpu, AFullHeapIsOutOfMemory) {
  Bench bench(profiles::tiny_first_heap());
  const VkDeviceMemory most = bench.allocate(0, 16'000'000);
  EXPECT_EQ(bench.gpu.used_bytes(0), 16'000'000u);
  bench.allocate(0, 1'000'000);
  EXPECT_EQ(bench.result, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  bench.free(most);
  bench.allocate(0, 1'000'000);
  EXPECT_EQ(bench.result, VK_SUCCESS);
}

TEST(FakeGpu, AnotherProcessTakesRoom) {
  Bench bench(profiles::tiny_first_heap());
  bench.gpu.set_outside_bytes(0, 16'000'000);
  bench.allocate(0, 1'000'000);
  EXPECT_EQ(bench.result, VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

TEST(FakeGpu, AnOverCommittingDriverNeverSaysNo) {
  FakeProfile profile = profiles::tiny_first_heap();
  profile.over_commit = true;
  Bench bench(profile);
  for (int i = 0; i < 4; ++i) {
    bench.allocate(0, 16'000'000);
    EXPECT_EQ(bench.result, VK_SUCCESS);
  }
  EXPECT_EQ(bench.gpu.used_bytes(0), 64'000'000u);
}

TEST(FakeGpu, HugeMemoryCostsNothing) {
  Bench bench(profiles::nvidia_h200());
  std::vector<VkDeviceMemory> memories;
  for (int i = 0; i < 30; ++i)
    memories.push_back(bench.allocate(1, 4 * kGiB));
  EXPECT_EQ(bench.gpu.used_bytes(0), 120 * kGiB);
  for (const VkDeviceMemory memory : memories)
    bench.free(memory);
  expect_clean_end(bench.gpu);
}

TEST(FakeGpu, AHookRunsWithoutTheLock) {
  Bench bench(profiles::discrete());
  std::uint64_t seen = 0;
  bench.gpu.set_hook([&](Function function) {
    if (function == Function::allocate_memory) {
      std::thread([&] { seen = bench.gpu.calls(Function::allocate_memory); }).join();
    }
  });
  bench.allocate(1, 1024);
  EXPECT_EQ(seen, 1u);
}

TEST(FakeGpu, ADelayedCallTakesItsTime) {
  Bench bench(profiles::discrete());
  bench.gpu.set_delay(Function::allocate_memory, std::chrono::milliseconds(5));
  const auto before = std::chrono::steady_clock::now();
  bench.allocate(1, 1024);
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(5));
}

TEST(FakeGpu, TellsWhatAnAllocationCarried) {
  Bench bench(profiles::rebar());
  const VkBuffer buffer = bench.buffer(4096);
  const VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                                nullptr, VK_NULL_HANDLE, buffer};
  const VkMemoryPriorityAllocateInfoEXT priority{
      VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT, &dedicated, 0.75f};
  const VkDeviceMemory memory = bench.allocate(3, 4096, &priority);
  bench.bind_buffer(buffer, memory);
  bench.map(memory);
  const auto facts = bench.gpu.memory_facts(memory);
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->size, 4096u);
  EXPECT_EQ(facts->type, 3u);
  EXPECT_TRUE(facts->mapped);
  EXPECT_TRUE(facts->dedicated);
  EXPECT_FALSE(facts->device_address);
  EXPECT_EQ(facts->priority, 0.75f);
  EXPECT_EQ(facts->bound_resources, 1u);
  EXPECT_EQ(bench.gpu.live().mapped_memories, 1u);
  const auto binding = bench.gpu.buffer_binding(buffer);
  ASSERT_TRUE(binding.has_value());
  EXPECT_EQ(binding->memory, memory);
  expect_no_violations(bench.gpu);
}

TEST(FakeGpu, BindsThePlanesOfADisjointImageApart) {
  Bench bench(profiles::discrete());
  const VkImage image = bench.image(disjoint_image_info(256, 256));
  const VkDeviceMemory memory = bench.allocate(1, kMiB);
  std::vector<VkBindImagePlaneMemoryInfo> planes;
  std::vector<VkBindImageMemoryInfo> infos;
  planes.reserve(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    planes.push_back({VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO, nullptr,
                      static_cast<VkImageAspectFlagBits>(VK_IMAGE_ASPECT_PLANE_0_BIT << i)});
    infos.push_back(
        {VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, &planes.back(), image, memory, i * 64 * kKiB});
  }
  EXPECT_EQ(bench.vk.vkBindImageMemory2(bench.device(), 3, infos.data()), VK_SUCCESS);
  EXPECT_EQ(bench.gpu.image_binding(image, 2)->offset, 128 * kKiB);
  bench.gpu.use_image(image);
  bench.destroy_image(image);
  bench.free(memory);
  expect_clean_end(bench.gpu);
}

TEST(FakeGpu, DeclaredAliasesMayOverlap) {
  Bench bench(profiles::discrete());
  const VkDeviceMemory memory = bench.allocate(1, 64 * kKiB);
  bench.gpu.allow_aliasing(memory, 0, 8192);
  bench.bind_buffer(bench.buffer(4096), memory);
  bench.bind_buffer(bench.buffer(4096), memory, 2048);
  expect_no_violations(bench.gpu);
  bench.bind_buffer(bench.buffer(4096), memory, 8192);
  bench.bind_buffer(bench.buffer(4096), memory, 10'240);
  expect_violation(bench.gpu, Rule::resources_overlap);
  bench.gpu.forbid_aliasing(memory, 0, 8192);
  bench.bind_buffer(bench.buffer(1024), memory, 1024);
  expect_violation(bench.gpu, Rule::resources_overlap);
}

TEST(FakeGpu, ManyThreadsUseItAtOnce) {
  Bench bench(profiles::discrete());
  const auto work = [&] {
    for (int i = 0; i < 200; ++i) {
      const VkBufferCreateInfo info = buffer_info(4096);
      VkBuffer buffer = VK_NULL_HANDLE;
      bench.vk.vkCreateBuffer(bench.device(), &info, nullptr, &buffer);
      const VkMemoryAllocateInfo allocate = Bench::allocate_info(2, 4096);
      VkDeviceMemory memory = VK_NULL_HANDLE;
      bench.vk.vkAllocateMemory(bench.device(), &allocate, nullptr, &memory);
      bench.vk.vkBindBufferMemory(bench.device(), buffer, memory, 0);
      void* data = nullptr;
      bench.vk.vkMapMemory(bench.device(), memory, 0, VK_WHOLE_SIZE, 0, &data);
      std::memset(data, 1, 4096);
      bench.vk.vkUnmapMemory(bench.device(), memory);
      bench.vk.vkDestroyBuffer(bench.device(), buffer, nullptr);
      bench.vk.vkFreeMemory(bench.device(), memory, nullptr);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(work);
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(bench.gpu.calls(Function::allocate_memory), 800u);
  expect_clean_end(bench.gpu);
}

}  // namespace
}  // namespace quarry::fakes
