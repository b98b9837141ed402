// SPDX-License-Identifier: MIT
// Handles that are stale, freed twice, foreign or made up: an error from every function that takes
// one, and nothing damaged.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::image_info;

struct Use {
  const char* name;
  std::function<Reason(Allocator&, Allocation)> call;
};

std::array<std::byte, 4> some_bytes{};

std::vector<Use> uses_of_an_allocation() {
  return {
      {"destroy buffer",
       [](Allocator& a, Allocation h) {
         return reason_of(a.destroy(Buffer{VK_NULL_HANDLE, h}));
       }},
      {"destroy image",
       [](Allocator& a, Allocation h) {
         return reason_of(a.destroy(Image{VK_NULL_HANDLE, {h}}));
       }},
      {"destroy plane",
       [](Allocator& a, Allocation h) {
         return reason_of(a.destroy(Image{VK_NULL_HANDLE, {Allocation{}, h}}));
       }},
      {"create_aliasing_buffer",
       [](Allocator& a, Allocation h) {
         return reason_of(a.create_aliasing_buffer(h, 0, buffer_info(16)));
       }},
      {"create_aliasing_image",
       [](Allocator& a, Allocation h) {
         return reason_of(a.create_aliasing_image(h, 0, image_info(4, 4)));
       }},
      {"free", [](Allocator& a, Allocation h) { return reason_of(a.free(h)); }},
      {"explain", [](Allocator& a, Allocation h) { return reason_of(a.explain(h)); }},
      {"info", [](Allocator& a, Allocation h) { return reason_of(a.info(h)); }},
      {"set_name", [](Allocator& a, Allocation h) { return reason_of(a.set_name(h, "x")); }},
      {"set_user_data",
       [](Allocator& a, Allocation h) { return reason_of(a.set_user_data(h, nullptr)); }},
      {"map", [](Allocator& a, Allocation h) { return reason_of(a.map(h)); }},
      {"unmap", [](Allocator& a, Allocation h) { return reason_of(a.unmap(h)); }},
      {"flush", [](Allocator& a, Allocation h) { return reason_of(a.flush(h)); }},
      {"invalidate", [](Allocator& a, Allocation h) { return reason_of(a.invalidate(h)); }},
      {"flush several",
       [](Allocator& a, Allocation h) {
         const std::array<AllocationRange, 1> ranges{AllocationRange{h}};
         return reason_of(a.flush(ranges));
       }},
      {"invalidate several",
       [](Allocator& a, Allocation h) {
         const std::array<AllocationRange, 1> ranges{AllocationRange{h}};
         return reason_of(a.invalidate(ranges));
       }},
      {"copy_to",
       [](Allocator& a, Allocation h) { return reason_of(a.copy_to(h, 0, some_bytes)); }},
      {"copy_from",
       [](Allocator& a, Allocation h) { return reason_of(a.copy_from(h, 0, some_bytes)); }},
      {"copy_to nothing",
       [](Allocator& a, Allocation h) { return reason_of(a.copy_to(h, 0, {})); }},
      {"copy_from nothing",
       [](Allocator& a, Allocation h) { return reason_of(a.copy_from(h, 0, {})); }},
  };
}

/// Binding needs a resource, which the fake would miss if the call went through.
Reason bind_own_buffer(Rig& rig, Allocation handle) {
  const VkBufferCreateInfo info = buffer_info(16);
  const VulkanFunctions vk = fakes::FakeGpu::functions();
  VkBuffer buffer = VK_NULL_HANDLE;
  EXPECT_EQ(vk.vkCreateBuffer(rig.gpu.device(), &info, nullptr, &buffer), VK_SUCCESS);
  const Reason reason = reason_of(rig.allocator.bind_buffer(handle, buffer));
  vk.vkDestroyBuffer(rig.gpu.device(), buffer, nullptr);
  return reason;
}
Reason bind_own_image(Rig& rig, Allocation handle) {
  const VkImageCreateInfo info = image_info(4, 4);
  const VulkanFunctions vk = fakes::FakeGpu::functions();
  VkImage image = VK_NULL_HANDLE;
  EXPECT_EQ(vk.vkCreateImage(rig.gpu.device(), &info, nullptr, &image), VK_SUCCESS);
  const Reason reason = reason_of(rig.allocator.bind_image(handle, image));
  vk.vkDestroyImage(rig.gpu.device(), image, nullptr);
  return reason;
}

void expect_refused_everywhere(Rig& rig, Allocation handle, Reason expected) {
  for (const Use& use : uses_of_an_allocation())
    EXPECT_EQ(use.call(rig.allocator, handle), expected) << use.name;
  EXPECT_EQ(bind_own_buffer(rig, handle), expected);
  EXPECT_EQ(bind_own_image(rig, handle), expected);
}

/// Something that must not be disturbed by any of it.
struct Bystander {
  explicit Bystander(Rig& over) : rig(over) {
    auto made = rig.allocator.create_buffer(buffer_info(500), {.intent = MemoryIntent::upload});
    EXPECT_TRUE(made);
    if (made) buffer = *made;
    EXPECT_TRUE(rig.allocator.copy_to(buffer.allocation, 3, some_bytes));
    before = rig.allocator.totals();
  }
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;
  ~Bystander() {
    const Totals after = rig.allocator.totals();
    EXPECT_EQ(after.allocation_count, before.allocation_count);
    EXPECT_EQ(after.allocation_bytes, before.allocation_bytes);
    EXPECT_EQ(after.block_bytes, before.block_bytes);
    EXPECT_TRUE(rig.allocator.copy_from(buffer.allocation, 3, some_bytes));
    EXPECT_TRUE(rig.allocator.destroy(buffer));
  }
  Rig& rig;
  Buffer buffer;
  Totals before;
};

TEST(Handles, AFreedHandleIsStaleEverywhere) {
  Rig rig(fakes::profiles::single_type());
  const auto buffer = rig.allocator.create_buffer(buffer_info(100));
  ASSERT_TRUE(buffer);
  ASSERT_TRUE(rig.allocator.destroy(*buffer));
  const Bystander bystander(rig);
  expect_refused_everywhere(rig, buffer->allocation, Reason::stale_handle);
  EXPECT_EQ(reason_of(rig.allocator.destroy(*buffer)), Reason::stale_handle);
}

TEST(Handles, AStaleHandleStaysStaleWhenItsSlotIsUsedAgain) {
  Rig rig(fakes::profiles::single_type());
  const auto first = rig.allocator.create_buffer(buffer_info(100));
  ASSERT_TRUE(first);
  ASSERT_TRUE(rig.allocator.destroy(*first));
  const auto second = rig.allocator.create_buffer(buffer_info(100));
  ASSERT_TRUE(second);
  ASSERT_NE(first->allocation, second->allocation);
  expect_refused_everywhere(rig, first->allocation, Reason::stale_handle);
  EXPECT_TRUE(rig.allocator.info(second->allocation));
  EXPECT_TRUE(rig.allocator.destroy(*second));
}

TEST(Handles, AnotherAllocatorsHandleIsForeignEverywhere) {
  Rig rig(fakes::profiles::single_type());
  Rig other(fakes::profiles::single_type());
  const Bystander here(rig);
  const Bystander there(other);
  expect_refused_everywhere(rig, there.buffer.allocation, Reason::foreign_handle);
}

TEST(Handles, MadeUpHandlesAreRefused) {
  Rig rig(fakes::profiles::single_type());
  const Bystander bystander(rig);
  Random random(1);
  std::vector<std::uint64_t> values{1, ~std::uint64_t{0}, std::uint64_t{1} << 63};
  for (int bit = 0; bit < 64; ++bit)
    values.push_back(bystander.buffer.allocation.value ^ (std::uint64_t{1} << bit));
  for (int i = 0; i < 200; ++i)
    values.push_back(random.below(~std::uint64_t{0}) | 1);
  for (const std::uint64_t value : values) {
    if (value == bystander.buffer.allocation.value) continue;
    for (const Use& use : uses_of_an_allocation()) {
      const Reason reason = use.call(rig.allocator, Allocation{value});
      ASSERT_TRUE(reason == Reason::stale_handle || reason == Reason::foreign_handle)
          << use.name << " of " << value << ": " << to_string(reason);
    }
  }
}

TEST(Handles, NoneIsStaleWhereItIsNotAllowed) {
  Rig rig(fakes::profiles::single_type());
  for (const Use& use : uses_of_an_allocation()) {
    const Reason reason = use.call(rig.allocator, Allocation{});
    const bool destroys = std::string(use.name).starts_with("destroy");
    EXPECT_EQ(reason, destroys ? Reason::none : Reason::stale_handle) << use.name;
  }
}

// ---- Pools and tags

std::vector<Use> uses_of_a_pool() {
  const auto desc = [](Allocation h) { return AllocationDesc{.pool = Pool{h.value}}; };
  return {
      {"create_buffer",
       [desc](Allocator& a, Allocation h) {
         return reason_of(a.create_buffer(buffer_info(16), desc(h)));
       }},
      {"create_image",
       [desc](Allocator& a, Allocation h) {
         return reason_of(a.create_image(image_info(4, 4), desc(h)));
       }},
      {"allocate",
       [desc](Allocator& a, Allocation h) {
         return reason_of(a.allocate(requirements(16), ResourceKind::linear, desc(h)));
       }},
      {"explain buffer",
       [desc](Allocator& a, Allocation h) {
         return reason_of(a.explain(buffer_info(16), desc(h)));
       }},
      {"explain image",
       [desc](Allocator& a, Allocation h) {
         return reason_of(a.explain(image_info(4, 4), desc(h)));
       }},
      {"explain memory",
       [desc](Allocator& a, Allocation h) {
         return reason_of(a.explain(requirements(16), ResourceKind::linear, desc(h)));
       }},
      {"select_memory_type",
       [desc](Allocator& a, Allocation h) {
         return reason_of(a.select_memory_type(~0u, desc(h)));
       }},
      {"destroy_pool",
       [](Allocator& a, Allocation h) { return reason_of(a.destroy_pool(Pool{h.value})); }},
      {"pool_totals",
       [](Allocator& a, Allocation h) { return reason_of(a.pool_totals(Pool{h.value})); }},
      {"detailed_statistics",
       [](Allocator& a, Allocation h) { return reason_of(a.detailed_statistics(Pool{h.value})); }},
  };
}

TEST(Handles, PoolsThatAreGoneOrForeignAreRefusedEverywhere) {
  Rig rig(fakes::profiles::single_type());
  Rig other(fakes::profiles::single_type());
  const auto gone = rig.allocator.create_pool({});
  ASSERT_TRUE(gone);
  ASSERT_TRUE(rig.allocator.destroy_pool(*gone));
  const auto foreign = other.allocator.create_pool({});
  ASSERT_TRUE(foreign);
  for (const Use& use : uses_of_a_pool()) {
    EXPECT_EQ(use.call(rig.allocator, Allocation{gone->value}), Reason::stale_handle) << use.name;
    EXPECT_EQ(use.call(rig.allocator, Allocation{foreign->value}), Reason::foreign_handle)
        << use.name;
  }
  // The state of the pool that is gone is used again: its handle stays stale.
  const auto next = rig.allocator.create_pool({});
  ASSERT_TRUE(next);
  for (const Use& use : uses_of_a_pool())
    EXPECT_EQ(use.call(rig.allocator, Allocation{gone->value}), Reason::stale_handle) << use.name;
  EXPECT_TRUE(rig.allocator.destroy_pool(*next));
  EXPECT_TRUE(other.allocator.destroy_pool(*foreign));
}

TEST(Handles, NoPoolIsNoPoolToDestroyOrCount) {
  Rig rig(fakes::profiles::single_type());
  EXPECT_EQ(reason_of(rig.allocator.destroy_pool(Pool{})), Reason::stale_handle);
  EXPECT_EQ(reason_of(rig.allocator.pool_totals(Pool{})), Reason::stale_handle);
  EXPECT_EQ(reason_of(rig.allocator.detailed_statistics(Pool{})), Reason::stale_handle);
}

TEST(Handles, UnknownTagsAreRefusedAndCountNothing) {
  Rig rig(fakes::profiles::single_type());
  ASSERT_TRUE(rig.allocator.register_tag("known"));
  const Tag unknown{2};
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(16), {.tag = unknown})),
            Reason::bad_argument);
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(16), {.tag = Tag{~0u}})),
            Reason::bad_argument);
  EXPECT_STREQ(rig.allocator.tag_name(unknown), "");
  EXPECT_EQ(rig.allocator.tag_totals(unknown).allocation_count, 0u);
}

}  // namespace
}  // namespace quarry::test
