// SPDX-License-Identifier: MIT
// The n-th host allocation fails, the n-th call of each driver function fails, for every n that a
// representative scenario reaches: each time an error, nothing leaked, and an allocator that works
// on.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <quarry/unique.hpp>
#include <quarry/upload_ring.hpp>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::disjoint_image_info;
using fakes::FakeProfile;
using fakes::Function;
using fakes::image_info;
using fakes::kKiB;
using fakes::kMiB;

/// Non-coherent host memory, dedicated wishes, disjoint images, granularity: every part of the heap
/// has something to do.
FakeProfile busy_profile() {
  FakeProfile profile = fakes::profiles::non_coherent();
  profile.granularity = 1'024;
  profile.prefers_dedicated_bytes = 1 * kMiB;
  return profile;
}

/// Collects what fails; the first error of a kind that was not ordered fails the test.
class Scenario {
 public:
  Scenario(Rig& rig, std::vector<VkResult> allowed) : rig_(rig), allowed_(std::move(allowed)) {}

  int failures() const { return failures_; }

  void run() {
    Allocator& a = rig_.allocator;
    const Tag tag = take(a.register_tag("a tag")).value_or(Tag{});
    const auto pool = take(a.create_pool(
        {.memory_type = 2, .block_bytes = 256 * kKiB, .minimum_blocks = 1, .name = "pool"}));
    const auto linear = take(a.create_pool(
        {.memory_type = 3, .algorithm = PoolAlgorithm::linear, .block_bytes = 64 * kKiB}));
    {
      std::vector<UniqueBuffer> buffers;
      std::vector<UniqueImage> images;
      std::vector<UniqueAllocation> memories;
      const auto keep_buffer = [&](const VkBufferCreateInfo& info, const AllocationDesc& desc) {
        if (auto made = take(a.create_buffer(info, desc))) buffers.emplace_back(a, *made);
      };
      const auto keep_image = [&](const VkImageCreateInfo& info, const AllocationDesc& desc) {
        if (auto made = take(a.create_image(info, desc))) images.emplace_back(a, *made);
      };
      keep_buffer(buffer_info(1'000), {.tag = tag, .name = "a name"});
      keep_buffer(buffer_info(1'000), {.dedicated = Dedicated::always, .movable = true});
      keep_buffer(buffer_info(5'000), {.intent = MemoryIntent::readback, .mapped = true});
      keep_buffer(buffer_info(5'000),
                  {.intent = MemoryIntent::upload, .dedicated = Dedicated::always, .mapped = true});
      keep_image(image_info(64, 64), {.movable = true, .name = "image"});
      keep_image(disjoint_image_info(64, 64), {.name = "planes"});
      keep_image(
          image_info(512, 512, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT), {});
      if (pool) keep_buffer(buffer_info(100), {.pool = *pool, .name = "pooled"});
      if (linear) keep_buffer(buffer_info(100), {.pool = *linear});
      if (auto made = take(a.allocate(requirements(3'000), ResourceKind::unknown)))
        memories.emplace_back(a, *made);
      look_at(buffers, images);
      alias_and_bind(buffers);
      stage();
    }
    a.tick();
    (void)a.trim();
    if (pool) (void)take(a.destroy_pool(*pool));
    if (linear) (void)take(a.destroy_pool(*linear));
  }

 private:
  template <class T>
  std::optional<T> take(Result<T> result) {
    note(result);
    if (!result) return std::nullopt;
    return std::move(*result);
  }
  bool take(const Status& status) {
    note(status);
    return static_cast<bool>(status);
  }
  template <class T>
  void note(const Expected<T, Error>& result) {
    if (result) return;
    ++failures_;
    const VkResult code = result.error().code;
    EXPECT_NE(std::find(allowed_.begin(), allowed_.end(), code), allowed_.end())
        << "code " << code << ", " << to_string(result.error().reason);
  }

  void look_at(const std::vector<UniqueBuffer>& buffers, const std::vector<UniqueImage>& images) {
    Allocator& a = rig_.allocator;
    std::array<std::byte, 100> bytes{};
    for (const UniqueBuffer& buffer : buffers) {
      const Allocation allocation = buffer->allocation;
      (void)take(a.set_name(allocation, "another name"));
      if ((a.info(allocation)->property_flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) continue;
      (void)take(a.copy_to(allocation, 0, bytes));
      (void)take(a.copy_from(allocation, 0, bytes));
    }
    (void)take(a.explain(buffer_info(7'000)));
    if (!images.empty()) (void)take(a.explain(images.front()->allocations[0]));
    (void)take(a.explain(image_info(700, 700), {.movable = true}));
    (void)take(a.snapshot());
    (void)a.detailed_statistics();
  }

  void alias_and_bind(const std::vector<UniqueBuffer>& buffers) {
    Allocator& a = rig_.allocator;
    const VulkanFunctions vk = fakes::FakeGpu::functions();
    if (auto shared = take(a.allocate(requirements(64 * kKiB, 4 * kKiB), ResourceKind::unknown))) {
      const auto buffer = take(a.create_aliasing_buffer(*shared, 0, buffer_info(100)));
      const auto image = take(a.create_aliasing_image(*shared, 32 * kKiB, image_info(8, 8)));
      if (buffer) vk.vkDestroyBuffer(rig_.gpu.device(), *buffer, rig_.host.callbacks());
      if (image) vk.vkDestroyImage(rig_.gpu.device(), *image, rig_.host.callbacks());
      EXPECT_TRUE(a.free(*shared));
    }
    // Flushing more than a handful needs a list in host memory.
    std::vector<AllocationRange> ranges;
    for (const UniqueBuffer& buffer : buffers) {
      if (a.info(buffer->allocation)->mapped == nullptr) continue;
      for (int i = 0; i < 10; ++i)
        ranges.push_back({buffer->allocation, 0, 10});
    }
    (void)take(a.flush(ranges));
  }

  void stage() {
    auto ring = take(UploadRing::create(rig_.allocator, {.bytes = 10'000}));
    if (!ring) return;
    const VkSemaphore semaphore = rig_.gpu.create_timeline_semaphore();
    for (std::uint64_t value = 1; value <= 3; ++value) {
      (void)take(ring->allocate(1'000));
      (void)take(ring->flush());
      (void)take(ring->close(semaphore, value));
      rig_.gpu.signal(semaphore, value);
      (void)take(ring->collect());
    }
  }

  Rig& rig_;
  std::vector<VkResult> allowed_;
  int failures_ = 0;
};

void expect_nothing_lives(Rig& rig) {
  EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
  EXPECT_EQ(rig.allocator.totals().allocation_bytes, 0u);
  EXPECT_EQ(rig.gpu.live().buffers, 0u);
  EXPECT_EQ(rig.gpu.live().images, 0u);
  (void)rig.allocator.trim();
  EXPECT_EQ(rig.allocator.totals().block_bytes, 0u);
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST(Failures, TheScenarioSucceedsWhenNothingFails) {
  Rig rig(busy_profile());
  Scenario scenario(rig, {});
  scenario.run();
  EXPECT_EQ(scenario.failures(), 0);
  expect_nothing_lives(rig);
}

TEST(Failures, OfTheNthHostAllocation) {
  int failed = 0;
  for (std::uint64_t n = 1;; ++n) {
    SCOPED_TRACE("host allocation " + std::to_string(n));
    Rig rig(busy_profile());
    const std::uint64_t before = rig.host.allocations();
    rig.host.fail(n);
    Scenario scenario(rig, {VK_ERROR_OUT_OF_HOST_MEMORY});
    scenario.run();
    const bool reached = rig.host.allocations() - before >= n;
    rig.host.succeed();
    failed += scenario.failures() > 0 ? 1 : 0;
    expect_nothing_lives(rig);
    Scenario again(rig, {});
    again.run();
    EXPECT_EQ(again.failures(), 0);
    expect_nothing_lives(rig);
    if (!reached || HasFailure()) break;
  }
  EXPECT_GT(failed, 50);
}

TEST(Failures, OfEveryHostAllocationFromTheNthOn) {
  for (std::uint64_t n = 1; n < 150 && !HasFailure(); n += 7) {
    SCOPED_TRACE("from host allocation " + std::to_string(n));
    Rig rig(busy_profile());
    rig.host.fail(n, ~std::uint64_t{0} / 2);
    Scenario scenario(rig, {VK_ERROR_OUT_OF_HOST_MEMORY});
    scenario.run();
    rig.host.succeed();
    expect_nothing_lives(rig);
  }
}

TEST(Failures, OfHostMemoryDuringCreation) {
  for (std::uint64_t n = 1;; ++n) {
    fakes::CountingHostCallbacks host;
    fakes::FakeGpu gpu(busy_profile());
    AllocatorDesc desc = gpu.allocator_desc();
    desc.host_callbacks = host.callbacks();
    host.fail(n);
    bool reached = false;
    {
      const auto made = Allocator::create(desc);
      reached = host.allocations() >= n;
      EXPECT_EQ(reason_of(made), reached ? Reason::out_of_host_memory : Reason::none);
    }
    EXPECT_EQ(host.live_blocks(), 0u);
    if (!reached) break;
  }
}

struct FailingFunction {
  Function function;
  std::vector<VkResult> codes;
};

void PrintTo(const FailingFunction& failing, std::ostream* stream) {
  *stream << text_of(failing.function).name;
}

class DriverFailures : public testing::TestWithParam<FailingFunction> {};

TEST_P(DriverFailures, OfTheNthCall) {
  const auto& [function, codes] = GetParam();
  for (const VkResult code : codes) {
    int failed = 0;
    for (std::uint64_t n = 1;; ++n) {
      SCOPED_TRACE(std::string(text_of(function).name) + " call " + std::to_string(n) +
                   " returns " + std::to_string(code));
      Rig rig(busy_profile());
      rig.gpu.fail(function, n, code);
      Scenario scenario(rig, {code});
      scenario.run();
      const bool reached = rig.gpu.calls(function) >= n;
      failed += scenario.failures() > 0 ? 1 : 0;
      expect_nothing_lives(rig);
      rig.gpu.fail(function, 1'000'000, code);  // an order that was not reached is withdrawn
      Scenario again(rig, {});
      again.run();
      EXPECT_EQ(again.failures(), 0);
      expect_nothing_lives(rig);
      if (!reached || HasFailure()) break;
    }
    // A shortage of device memory may be overcome; nothing else is.
    if (code != VK_ERROR_OUT_OF_DEVICE_MEMORY) {
      EXPECT_GT(failed, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, DriverFailures,
    testing::Values(
        FailingFunction{
            Function::allocate_memory,
            {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_DEVICE_LOST}},
        FailingFunction{Function::map_memory,
                        {VK_ERROR_MEMORY_MAP_FAILED, VK_ERROR_OUT_OF_HOST_MEMORY}},
        FailingFunction{Function::flush_mapped_memory_ranges, {VK_ERROR_OUT_OF_HOST_MEMORY}},
        FailingFunction{Function::invalidate_mapped_memory_ranges, {VK_ERROR_OUT_OF_HOST_MEMORY}},
        FailingFunction{Function::bind_buffer_memory2, {VK_ERROR_OUT_OF_HOST_MEMORY}},
        FailingFunction{Function::bind_image_memory2, {VK_ERROR_OUT_OF_HOST_MEMORY}},
        FailingFunction{Function::create_buffer, {VK_ERROR_OUT_OF_HOST_MEMORY}},
        FailingFunction{Function::create_image, {VK_ERROR_OUT_OF_HOST_MEMORY}},
        FailingFunction{Function::get_semaphore_counter_value, {VK_ERROR_DEVICE_LOST}}),
    [](const testing::TestParamInfo<FailingFunction>& tested) {
      return std::string(text_of(tested.param.function).name);
    });

}  // namespace
}  // namespace quarry::test
