// SPDX-License-Identifier: MIT
// F11 to F19: granularity, alignment, sizes.
#include <cstdint>
#include <utility>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::image_info;
using fakes::kKiB;
using fakes::kMiB;

class Granularity : public testing::TestWithParam<VkDeviceSize> {};

TEST_P(Granularity, F11NoGranuleHoldsALinearAndAnOptimalResource) {
  for (const std::uint64_t seed : seeds(1)) {
    Random random(seed);
    FakeProfile profile = fakes::profiles::single_type();
    profile.granularity = GetParam();
    Rig rig(profile);
    const auto pool = rig.allocator.create_pool({.block_bytes = 32 * kMiB, .maximum_blocks = 1});
    ASSERT_TRUE(pool);
    struct Live {
      Allocation allocation;
      VkDeviceMemory memory;
      VkDeviceSize offset;
      VkDeviceSize size;
    };
    std::vector<Live> live;
    const auto free_one = [&](std::size_t which) {
      std::swap(live[which], live.back());
      const Live gone = live.back();
      live.pop_back();
      rig.gpu.unclaim(gone.memory, gone.offset, gone.size);
      ASSERT_TRUE(rig.allocator.free(gone.allocation));
    };
    for (int i = 0; i < 60'000; ++i) {
      if (live.size() > 400 || (random.one_in(2) && !live.empty())) {
        free_one(static_cast<std::size_t>(random.below(live.size())));
        continue;
      }
      const auto kind = static_cast<ResourceKind>(random.below(3));
      const VkMemoryRequirements needed =
          requirements(random.between(1, 200'000), VkDeviceSize{1} << random.below(9));
      const auto made =
          rig.allocator.allocate(needed, kind, {.pool = random.one_in(4) ? *pool : Pool{}});
      if (!made) {
        ASSERT_EQ(reason_of(made), Reason::over_limit) << "only the pool is ever full";
        continue;
      }
      const auto info = rig.allocator.info(*made);
      ASSERT_EQ(info->offset % needed.alignment, 0u);
      rig.gpu.claim(
          info->memory, info->offset, needed.size,
          kind == ResourceKind::unknown ? static_cast<ResourceKind>(random.between(1, 2)) : kind);
      live.push_back({*made, info->memory, info->offset, needed.size});
    }
    fakes::expect_no_violations(rig.gpu);
    while (!live.empty())
      free_one(0);
    EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
  }
}

INSTANTIATE_TEST_SUITE_P(Bytes, Granularity, testing::Values(1'024, 4'096, 65'536));

TEST(Cases, F12GranularityWiderThanTheAlignmentOfImages) {
  for (const std::uint64_t seed : seeds(1)) {
    Random random(seed);
    FakeProfile profile = fakes::profiles::single_type();
    profile.granularity = 65'536;
    profile.small_image_alignment = 1'024;
    profile.large_image_alignment = 1'024;
    Rig rig(profile);
    const auto pool = rig.allocator.create_pool({.block_bytes = 64 * kMiB});
    std::vector<Buffer> buffers;
    std::vector<Image> images;
    for (int i = 0; i < 3'000; ++i) {
      const AllocationDesc desc{.can_alias = random.one_in(5),
                                .pool = random.one_in(2) ? *pool : Pool{}};
      if (random.one_in(2)) {
        const auto made = rig.allocator.create_buffer(buffer_info(random.between(1, 20'000)), desc);
        ASSERT_TRUE(made);
        buffers.push_back(*made);
      } else {
        const auto made = rig.allocator.create_image(
            image_info(static_cast<std::uint32_t>(random.between(1, 60)),
                       static_cast<std::uint32_t>(random.between(1, 60))),
            desc);
        ASSERT_TRUE(made);
        images.push_back(*made);
      }
      if (random.one_in(3) && !buffers.empty()) {
        std::swap(buffers[static_cast<std::size_t>(random.below(buffers.size()))], buffers.back());
        EXPECT_TRUE(rig.allocator.destroy(buffers.back()));
        buffers.pop_back();
      }
    }
    fakes::expect_no_violations(rig.gpu);
    for (const Buffer& buffer : buffers)
      EXPECT_TRUE(rig.allocator.destroy(buffer));
    for (const Image& image : images)
      EXPECT_TRUE(rig.allocator.destroy(image));
    EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
  }
}

/// Where each of many buffers lies, and what it cost the host and the driver.
struct Course {
  std::vector<VkDeviceSize> offsets;
  std::uint64_t host_allocations = 0;
  std::uint64_t driver_calls = 0;
  friend bool operator==(const Course&, const Course&) = default;
};

Course place_buffers(VkDeviceSize granularity) {
  FakeProfile profile = fakes::profiles::discrete();
  profile.granularity = granularity;
  Rig rig(profile);
  Random random(42);
  Course course;
  std::vector<Buffer> buffers;
  for (int i = 0; i < 2'000; ++i) {
    const auto made = rig.allocator.create_buffer(buffer_info(random.between(1, 100'000)));
    EXPECT_TRUE(made);
    course.offsets.push_back(rig.allocator.info(made->allocation)->offset);
    buffers.push_back(*made);
    if (random.one_in(3)) {
      std::swap(buffers[static_cast<std::size_t>(random.below(buffers.size()))], buffers.back());
      EXPECT_TRUE(rig.allocator.destroy(buffers.back()));
      buffers.pop_back();
    }
  }
  course.host_allocations = rig.host.allocations();
  course.driver_calls = rig.gpu.calls();
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
  return course;
}

TEST(Cases, F13BuffersTakeTheSameCourseWhateverTheGranularity) {
  const Course at_one = place_buffers(1);
  EXPECT_EQ(place_buffers(4'096), at_one);
  EXPECT_EQ(place_buffers(65'536), at_one);
}

TEST(Cases, F14FreeingInEitherOrderLeavesTheBlockEmpty) {
  Rig rig(fakes::profiles::single_type());
  const auto pool = rig.allocator.create_pool({.block_bytes = 64 * kKiB, .maximum_blocks = 1});
  const auto take = [&](VkDeviceSize size, VkDeviceSize alignment) {
    return *rig.allocator.allocate(requirements(size, alignment), ResourceKind::linear,
                                   {.pool = *pool});
  };
  const auto expect_empty = [&] {
    const auto statistics = rig.allocator.detailed_statistics(*pool);
    EXPECT_EQ(statistics->free_range_count, 1u);
    EXPECT_EQ(statistics->free_bytes, 64 * kKiB);
  };
  {
    const Allocation first = take(480 + 16, 256);
    const Allocation second = take(400 + 16, 256);
    EXPECT_TRUE(rig.allocator.free(second));
    EXPECT_TRUE(rig.allocator.free(first));
    expect_empty();
  }
  {
    const Allocation first = take(400 + 16, 16);
    const Allocation second = take(64 + 16, 16);
    EXPECT_TRUE(rig.allocator.free(first));
    const Allocation third = take(384 + 16, 16);
    EXPECT_TRUE(rig.allocator.free(second));
    EXPECT_TRUE(rig.allocator.free(third));
    expect_empty();
  }
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

TEST(Cases, F16SizeZeroIsAnErrorAndDamagesNothing) {
  Rig rig(fakes::profiles::discrete());
  const auto before = rig.allocator.create_buffer(buffer_info(100));
  ASSERT_TRUE(before);
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(0))), Reason::size_zero);
  EXPECT_EQ(reason_of(rig.allocator.create_image(image_info(0, 0))), Reason::size_zero);
  EXPECT_EQ(reason_of(rig.allocator.allocate(requirements(0), ResourceKind::linear)),
            Reason::size_zero);
  Tlsf tlsf({.size = 1'024});
  Linear linear({.size = 1'024});
  Buddy buddy({.size = 1'024});
  EXPECT_EQ(tlsf.allocate({.size = 0}).error(), OffsetError::invalid_argument);
  EXPECT_EQ(linear.allocate({.size = 0}).error(), OffsetError::invalid_argument);
  EXPECT_EQ(buddy.allocate({.size = 0}).error(), OffsetError::invalid_argument);
  EXPECT_TRUE(tlsf.allocate({.size = 1'024}));
  EXPECT_TRUE(linear.allocate({.size = 1'024}));
  EXPECT_TRUE(buddy.allocate({.size = 1'024}));
  EXPECT_TRUE(rig.allocator.destroy(*before));
}

TEST(Cases, F17ThreeQuartersOfTheLargestCountDoNotOverflow) {
  FakeProfile profile = fakes::profiles::nvidia_h200();
  ASSERT_EQ(profile.maximum_allocation_count, 4'294'967'295u);
  Rig rig(profile);
  const auto target = rig.allocator.create_image(
      image_info(4'096, 4'096, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT));
  ASSERT_TRUE(target);
  EXPECT_TRUE(rig.allocator.info(target->allocations[0])->dedicated);
  EXPECT_TRUE(rig.allocator.destroy(*target));
}

/// Holes of `hole` bytes at 16 modulo 1,024, as many as fit.
void make_holes(Rig& rig, Pool pool, VkDeviceSize block, VkDeviceSize hole) {
  const auto take = [&](VkDeviceSize size) {
    return *rig.allocator.allocate(requirements(size, 16), ResourceKind::linear, {.pool = pool});
  };
  std::vector<Allocation> holes;
  for (VkDeviceSize at = 0; at < block; at += 1'024) {
    (void)take(16);
    holes.push_back(take(hole));
    (void)take(1'024 - 16 - hole);
  }
  for (const Allocation allocation : holes)
    ASSERT_TRUE(rig.allocator.free(allocation));
}

void free_all(Rig& rig) {
  const auto snapshot = rig.allocator.snapshot();
  for (const SnapshotRange& range : snapshot->ranges()) {
    if (range.allocation) {
      ASSERT_TRUE(rig.allocator.free(range.allocation));
    }
  }
}

TEST(Cases, F18F19HolesThatDoNotFitAreRefusedAndANewBlockServes) {
  constexpr VkDeviceSize kBlock = 8 * kMiB;
  Rig rig(fakes::profiles::single_type());
  const auto full = rig.allocator.create_pool({.block_bytes = kBlock, .maximum_blocks = 1});
  const auto growing = rig.allocator.create_pool({.block_bytes = kBlock});
  ASSERT_TRUE(full && growing);
  for (const Pool pool : {*full, *growing})
    make_holes(rig, pool, kBlock, 480);
  const auto ask = [&](Pool pool, VkDeviceSize size, VkDeviceSize alignment) {
    return rig.allocator.allocate(requirements(size, alignment), ResourceKind::linear,
                                  {.pool = pool});
  };
  EXPECT_EQ(reason_of(ask(*full, 256, 256)), Reason::over_limit) << "large enough, none aligned";
  EXPECT_EQ(reason_of(ask(*full, 1'024, 16)), Reason::over_limit) << "bytes enough, none in a row";
  const std::uint64_t before = rig.driver_allocations();
  EXPECT_TRUE(ask(*growing, 256, 256));
  EXPECT_EQ(rig.driver_allocations(), before + 1);
  free_all(rig);
  EXPECT_TRUE(rig.allocator.destroy_pool(*full));
  EXPECT_TRUE(rig.allocator.destroy_pool(*growing));
}

}  // namespace
}  // namespace quarry::test
