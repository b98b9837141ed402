// SPDX-License-Identifier: MIT
#include "heap/random_world.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace quarry::test {

namespace {

constexpr VkDeviceSize kContentBytes = 4096;

VkMemoryPropertyFlags any_flags(Random& random) {
  constexpr std::array kSome{
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, VK_MEMORY_PROPERTY_HOST_CACHED_BIT};
  return static_cast<VkMemoryPropertyFlags>(
      kSome[static_cast<std::size_t>(random.below(kSome.size()))]);
}

bool has_mapping_cap(std::uint64_t seed) {
  return seed % 2 == 0;
}

}  // namespace

RandomWorld::RandomWorld(fakes::FakeProfile profile, const Mode& mode, std::uint64_t seed)
    : rig_(profile,
           [&mode, seed](AllocatorDesc& desc) {
             mode.apply(desc);
             // With a cap on mapped bytes blocks are unmapped as soon as nobody wants them mapped.
             if (has_mapping_cap(seed)) desc.blocks.mapped_address_space = 6 * fakes::kMiB;
             desc.blocks.first_block = fakes::kMiB;
             desc.blocks.largest_block = 8 * fakes::kMiB;
             desc.blocks.retained_bytes = 16 * fakes::kMiB;
           }),
      random_(seed),
      has_mapping_cap_(has_mapping_cap(seed)),
      profile_(std::move(profile)) {
  for (const char* name : {"textures", "meshes", "staging"}) {
    const auto tag = rig_.allocator.register_tag(name);
    EXPECT_TRUE(tag);
    if (tag) tags_.push_back(*tag);
  }
}

void RandomWorld::step() {
  using Operation = void (RandomWorld::*)();
  struct Weighted {
    std::uint32_t weight;
    Operation operation;
  };
  constexpr std::array kOperations{
      Weighted{22, &RandomWorld::create_buffer},
      Weighted{14, &RandomWorld::create_image},
      Weighted{8, &RandomWorld::allocate_raw},
      Weighted{4, &RandomWorld::allocate_for_own_buffer},
      Weighted{4, &RandomWorld::come_and_go_plainly},
      Weighted{2, &RandomWorld::in_another_thread},
      Weighted{38, &RandomWorld::destroy_any},
      Weighted{10, &RandomWorld::map_or_unmap},
      Weighted{10, &RandomWorld::write_contents},
      Weighted{6, &RandomWorld::flush_or_invalidate},
      Weighted{2, &RandomWorld::alias},
      Weighted{3, &RandomWorld::explain},
      Weighted{2, &RandomWorld::create_or_destroy_pool},
      Weighted{3, &RandomWorld::keep_up},
      Weighted{2, &RandomWorld::break_something},
      Weighted{3, &RandomWorld::misuse},
  };
  std::uint32_t sum = 0;
  for (const Weighted& w : kOperations)
    sum += w.weight;
  std::uint64_t choice = random_.below(sum);
  for (const Weighted& w : kOperations) {
    if (choice < w.weight) {
      (this->*w.operation)();
      return;
    }
    choice -= w.weight;
  }
}

VkDeviceSize RandomWorld::any_size() {
  return random_.one_in(40) ? random_.any_magnitude(25) : random_.any_magnitude(18);
}

AllocationDesc RandomWorld::any_desc() {
  AllocationDesc desc;
  desc.intent = static_cast<MemoryIntent>(random_.below(6));
  if (random_.one_in(8)) desc.required_flags = any_flags(random_);
  if (random_.one_in(8)) desc.preferred_flags = any_flags(random_);
  if (random_.one_in(8)) desc.forbidden_flags = any_flags(random_);
  if (random_.one_in(16)) desc.memory_type_bits = static_cast<std::uint32_t>(random_.below(256));
  if (random_.one_in(8)) desc.minimum_alignment = VkDeviceSize{1} << random_.below(14);
  desc.priority = static_cast<float>(random_.below(5)) / 4.0f;
  desc.lifetime = static_cast<Lifetime>(random_.below(3));
  if (random_.one_in(8)) desc.dedicated = static_cast<Dedicated>(random_.below(3));
  desc.mapped = random_.one_in(4);
  desc.within_budget = random_.one_in(4);
  desc.can_alias = random_.one_in(8);
  desc.movable = random_.one_in(4);
  if (!pools_.empty() && random_.one_in(6)) {
    desc.pool = pools_[static_cast<std::size_t>(random_.below(pools_.size()))];
    desc.upper_address = random_.one_in(4);
  }
  if (random_.one_in(2)) desc.tag = tags_[static_cast<std::size_t>(random_.below(tags_.size()))];
  if (random_.one_in(3)) desc.name = "thing";
  return desc;
}

VkBufferCreateInfo RandomWorld::any_buffer_info() {
  constexpr std::array kUsages{VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
                               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                               VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
  VkBufferUsageFlags usage = kUsages[static_cast<std::size_t>(random_.below(kUsages.size()))];
  if (!profile_.features.buffer_device_address) {
    usage &= ~static_cast<VkBufferUsageFlags>(VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  }
  VkBufferCreateInfo info =
      fakes::buffer_info(any_size(), usage | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  if (profile_.features.protected_memory && random_.one_in(6)) {
    info.flags = VK_BUFFER_CREATE_PROTECTED_BIT;
  }
  return info;
}

VkImageCreateInfo RandomWorld::any_image_info() {
  const auto side = [&] { return static_cast<std::uint32_t>(random_.any_magnitude(9)); };
  if (profile_.effective_version() >= VK_API_VERSION_1_1 && random_.one_in(10)) {
    return fakes::disjoint_image_info(side(), side());
  }
  VkImageCreateInfo info = fakes::image_info(side(), side());
  if (random_.one_in(4)) {
    info.tiling = VK_IMAGE_TILING_LINEAR;
  } else if (random_.one_in(4)) {
    info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    if (random_.one_in(2)) info.usage |= VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT;
  }
  if (profile_.features.protected_memory && random_.one_in(6)) {
    info.flags |= VK_IMAGE_CREATE_PROTECTED_BIT;
  }
  return info;
}

RandomWorld::Live* RandomWorld::any_live() {
  return live_.empty() ? nullptr : &live_[static_cast<std::size_t>(random_.below(live_.size()))];
}

void RandomWorld::expect_plausible(const Error& error) const {
  EXPECT_NE(error.code, VK_SUCCESS);
  switch (error.reason) {
    case Reason::none:
    case Reason::size_zero:
    case Reason::bad_alignment:
    case Reason::stale_handle:
    case Reason::foreign_handle:
    case Reason::not_mapped:
    case Reason::function_missing:
    case Reason::still_in_use:
      ADD_FAILURE() << "an implausible error: " << to_string(error.reason);
      break;
    default:
      break;
  }
}

/// Only an ordered failure, or the cap on mapped bytes, may make it fail.
void RandomWorld::expect_survivable(const Status& status) const {
  if (status) return;
  const Reason reason = status.error().reason;
  EXPECT_TRUE(reason == Reason::driver || reason == Reason::out_of_host_memory ||
              reason == Reason::out_of_device_memory ||
              (has_mapping_cap_ && reason == Reason::over_limit))
      << to_string(reason);
}

void RandomWorld::create_buffer() {
  const auto made = rig_.allocator.create_buffer(any_buffer_info(), any_desc());
  if (!made) return expect_plausible(made.error());
  Live live;
  live.buffer = *made;
  live_.push_back(std::move(live));
}

void RandomWorld::create_image() {
  const auto made = rig_.allocator.create_image(any_image_info(), any_desc());
  if (!made) return expect_plausible(made.error());
  Live live;
  live.kind = Kind::image;
  live.image = *made;
  live_.push_back(std::move(live));
}

void RandomWorld::allocate_raw() {
  const auto kind = static_cast<ResourceKind>(random_.below(3));
  // Lazily allocated types are for transient images alone, which raw requirements cannot tell.
  const VkMemoryRequirements needed{any_size(), VkDeviceSize{1} << random_.below(13), ~0u};
  const auto made = rig_.allocator.allocate(needed, kind, any_desc());
  if (!made) return expect_plausible(made.error());
  Live live;
  live.kind = Kind::raw;
  live.raw = *made;
  live.raw_kind = kind;
  give_claim(live);
  const auto info = rig_.allocator.info(*made);
  EXPECT_GE(info->size, needed.size);
  EXPECT_EQ(info->offset % needed.alignment, 0u);
  live_.push_back(std::move(live));
}

void RandomWorld::allocate_for_own_buffer() {
  const VkBufferCreateInfo info = any_buffer_info();
  VkBuffer buffer = VK_NULL_HANDLE;
  if (vk_.vkCreateBuffer(rig_.gpu.device(), &info, nullptr, &buffer) != VK_SUCCESS) return;
  const auto made = rig_.allocator.allocate_for_buffer(buffer, any_desc());
  Status bound;
  if (made) bound = rig_.allocator.bind_buffer(*made, buffer);
  if (!made || !bound) {
    vk_.vkDestroyBuffer(rig_.gpu.device(), buffer, nullptr);
    if (made) {
      expect_survivable(bound);
      EXPECT_TRUE(rig_.allocator.free(*made));
    } else {
      expect_plausible(made.error());
    }
    return;
  }
  Live live;
  live.kind = Kind::raw;
  live.raw = *made;
  live.own_buffer = buffer;
  give_claim(live);
  live_.push_back(std::move(live));
}

void RandomWorld::give_claim(const Live& live) {
  const auto info = rig_.allocator.info(live.raw);
  ASSERT_TRUE(info);
  rig_.gpu.claim(info->memory, info->offset, info->size, live.raw_kind);
}

void RandomWorld::take_claim(const Live& live) {
  const auto info = rig_.allocator.info(live.raw);
  ASSERT_TRUE(info);
  rig_.gpu.unclaim(info->memory, info->offset, info->size);
}

void RandomWorld::free_raw(const Live& live) {
  take_claim(live);
  if (live.own_buffer != VK_NULL_HANDLE) {
    vk_.vkDestroyBuffer(rig_.gpu.device(), live.own_buffer, nullptr);
  }
  EXPECT_TRUE(rig_.allocator.free(live.raw));
}

void RandomWorld::destroy_any() {
  // The heap fills for a while, then empties for a while.
  if (random_.one_in(200)) growing_ = !growing_;
  if (growing_ && random_.one_in(2)) return;
  if (!live_.empty()) destroy(static_cast<std::size_t>(random_.below(live_.size())));
}

void RandomWorld::destroy(std::size_t index) {
  check_contents(live_[index]);
  const Live live = std::move(live_[index]);
  live_[index] = std::move(live_.back());
  live_.pop_back();
  dead_.push_back(live.first());
  switch (live.kind) {
    case Kind::buffer:
      EXPECT_TRUE(rig_.allocator.destroy(live.buffer));
      break;
    case Kind::image:
      EXPECT_TRUE(rig_.allocator.destroy(live.image));
      break;
    case Kind::raw:
      free_raw(live);
      break;
  }
}

void RandomWorld::map_or_unmap() {
  Live* live = any_live();
  if (live == nullptr) return;
  if (live->maps != 0 && random_.one_in(2)) {
    EXPECT_TRUE(rig_.allocator.unmap(live->first()));
    --live->maps;
    return;
  }
  const auto mapped = rig_.allocator.map(live->first());
  const auto info = rig_.allocator.info(live->first());
  ASSERT_TRUE(info);
  if (mapped) {
    ++live->maps;
    EXPECT_EQ(*mapped, info->mapped);
    EXPECT_NE(info->property_flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 0u);
  } else if ((info->property_flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) {
    EXPECT_EQ(mapped.error().reason, Reason::not_host_visible);
  }
}

/// From the host through the library, or on the device; either way the device sees it.
void RandomWorld::write_contents() {
  Live* live = any_live();
  if (live == nullptr || live->kind == Kind::image) return;
  check_contents(*live);
  const auto info = rig_.allocator.info(live->first());
  ASSERT_TRUE(info);
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(info->size, kContentBytes)));
  for (std::byte& byte : bytes)
    byte = static_cast<std::byte>(random_.below(256));
  if (random_.one_in(2)) {
    const Status copied = rig_.allocator.copy_to(live->first(), 0, bytes);
    if ((info->property_flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) {
      EXPECT_FALSE(copied);
      return;
    }
    expect_survivable(copied);
    if (!copied) bytes.clear();
  } else {
    EXPECT_TRUE(rig_.gpu.device_write(info->memory, info->offset, bytes));
  }
  live->contents = std::move(bytes);
}

void RandomWorld::check_contents(Live& live) {
  if (live.contents.empty()) return;
  const auto info = rig_.allocator.info(live.first());
  ASSERT_TRUE(info);
  std::vector<std::byte> seen(live.contents.size());
  EXPECT_TRUE(rig_.gpu.device_read(info->memory, info->offset, seen));
  EXPECT_TRUE(seen == live.contents) << "contents changed on the device";
  if ((info->property_flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) return;
  const Status copied = rig_.allocator.copy_from(live.first(), 0, seen);
  expect_survivable(copied);
  EXPECT_TRUE(!copied || seen == live.contents) << "the host sees something else";
}

/// Any range of a mapped allocation, whose host view is made equal to the device's before.
void RandomWorld::flush_or_invalidate() {
  Live* live = any_live();
  if (live == nullptr || live->maps == 0) return;
  const Allocation allocation = live->first();
  const Status seen = rig_.allocator.invalidate(allocation);
  expect_survivable(seen);
  if (!seen) return;
  const auto info = rig_.allocator.info(allocation);
  ASSERT_TRUE(info);
  const VkDeviceSize offset = random_.below(info->size);
  const VkDeviceSize size =
      random_.one_in(4) ? VK_WHOLE_SIZE : random_.between(1, info->size - offset);
  expect_survivable(random_.one_in(2) ? rig_.allocator.flush(allocation, offset, size)
                                      : rig_.allocator.invalidate(allocation, offset, size));
}

void RandomWorld::alias() {
  Live* live = any_live();
  if (live == nullptr || live->kind != Kind::buffer) return;
  const auto info = rig_.allocator.info(live->first());
  ASSERT_TRUE(info);
  rig_.gpu.allow_aliasing(info->memory, info->offset, info->size);
  const auto made = rig_.allocator.create_aliasing_buffer(
      live->first(), 256 * random_.below(4), fakes::buffer_info(random_.between(1, info->size)));
  if (made) vk_.vkDestroyBuffer(rig_.gpu.device(), *made, rig_.host.callbacks());
  rig_.gpu.forbid_aliasing(info->memory, info->offset, info->size);
}

void RandomWorld::explain() {
  const AllocationDesc desc = any_desc();
  if (random_.one_in(2)) {
    (void)rig_.allocator.explain(any_buffer_info(), desc);
  } else {
    (void)rig_.allocator.explain(any_image_info(), desc);
  }
  const Live* live = any_live();
  if (live == nullptr) return;
  const auto explained = rig_.allocator.explain(live->first());
  ASSERT_TRUE(explained);
  EXPECT_EQ(explained->memory_type, rig_.allocator.info(live->first())->memory_type);
}

void RandomWorld::create_or_destroy_pool() {
  if (!pools_.empty() && random_.one_in(2)) {
    const auto index = static_cast<std::size_t>(random_.below(pools_.size()));
    const Status destroyed = rig_.allocator.destroy_pool(pools_[index]);
    if (destroyed) {
      pools_.erase(pools_.begin() + static_cast<std::ptrdiff_t>(index));
    } else {
      EXPECT_EQ(destroyed.error().reason, Reason::still_in_use);
    }
    return;
  }
  PoolDesc desc;
  desc.memory_type = static_cast<std::uint32_t>(random_.below(profile_.types.size() + 1));
  desc.algorithm = static_cast<PoolAlgorithm>(random_.below(3));
  if (random_.one_in(2)) desc.block_bytes = VkDeviceSize{1} << random_.between(16, 22);
  desc.minimum_blocks = static_cast<std::uint32_t>(random_.below(2));
  desc.maximum_blocks = static_cast<std::uint32_t>(random_.below(4));
  if (random_.one_in(4)) desc.maximum_bytes = random_.any_magnitude(23);
  if (random_.one_in(4)) desc.minimum_alignment = VkDeviceSize{1} << random_.below(10);
  desc.name = "pool";
  const auto made = rig_.allocator.create_pool(desc);
  if (made) pools_.push_back(*made);
}

void RandomWorld::keep_up() {
  const std::uint64_t choice = random_.below(5);
  const auto heap = static_cast<std::uint32_t>(random_.below(profile_.heaps.size()));
  if (choice == 0) {
    rig_.now += random_.below(30'000);
    rig_.allocator.tick();
  } else if (choice == 1) {
    rig_.allocator.trim();
  } else if (choice == 2) {
    rig_.gpu.set_outside_bytes(heap, random_.one_in(2) ? 0 : profile_.heaps[heap].size / 2);
  } else if (choice == 3) {
    EXPECT_TRUE(rig_.allocator.set_heap_limit(
        heap, random_.one_in(2) ? VK_WHOLE_SIZE : random_.any_magnitude(28)));
  } else {
    check();
  }
}

void RandomWorld::break_something() {
  using fakes::Function;
  constexpr std::array kFunctions{Function::allocate_memory,
                                  Function::map_memory,
                                  Function::create_buffer,
                                  Function::create_image,
                                  Function::bind_buffer_memory,
                                  Function::bind_buffer_memory2,
                                  Function::bind_image_memory,
                                  Function::bind_image_memory2,
                                  Function::flush_mapped_memory_ranges,
                                  Function::invalidate_mapped_memory_ranges};
  if (random_.one_in(2)) {
    rig_.host.fail(random_.between(1, 20), random_.between(1, 3));
  } else {
    const auto which = static_cast<std::size_t>(random_.below(kFunctions.size()));
    rig_.gpu.fail(kFunctions[which], random_.between(1, 3),
                  random_.one_in(2) ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_ERROR_OUT_OF_HOST_MEMORY);
  }
}

/// What a program should not do is told, and nothing else happens.
void RandomWorld::misuse() {
  EXPECT_EQ(reason_of(rig_.allocator.create_buffer(fakes::buffer_info(0))), Reason::size_zero);
  EXPECT_EQ(reason_of(rig_.allocator.create_image(fakes::image_info(0, 4))), Reason::size_zero);
  EXPECT_EQ(reason_of(rig_.allocator.allocate({64, 3, ~0u}, ResourceKind::linear)),
            Reason::bad_alignment);
  EXPECT_EQ(reason_of(rig_.allocator.free(Allocation{random_.below(~0ull)})) == Reason::none,
            false);
  if (dead_.empty()) return;
  const Allocation stale = dead_[static_cast<std::size_t>(random_.below(dead_.size()))];
  EXPECT_EQ(reason_of(rig_.allocator.free(stale)), Reason::stale_handle);
  EXPECT_EQ(reason_of(rig_.allocator.info(stale)), Reason::stale_handle);
  EXPECT_EQ(reason_of(rig_.allocator.map(stale)), Reason::stale_handle);
}

}  // namespace quarry::test
