// SPDX-License-Identifier: MIT
// Remembered routes: the later requests of a kind go where the first went, and say the same of
// themselves.
#include <array>
#include <cstdint>

#include "heap/modes.hpp"
#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::kKiB;

class HotPathRoutes : public testing::TestWithParam<Mode> {};

INSTANTIATE_TEST_SUITE_P(Modes, HotPathRoutes, testing::ValuesIn(modes()), name_of_mode);

/// Several requests of one kind; false where the device has no room for any.
bool serves_all_alike(Rig& rig, VkDeviceSize size, ResourceKind kind, const AllocationDesc& desc) {
  const auto expected = rig.allocator.explain(requirements(size), kind, desc);
  EXPECT_TRUE(expected);
  if (!expected || expected->placement == Placement::none) return false;
  std::array<Allocation, 3> made;
  for (Allocation& each : made) {
    const auto allocation = rig.allocator.allocate(requirements(size), kind, desc);
    EXPECT_TRUE(allocation);
    if (!allocation) continue;
    each = *allocation;
    EXPECT_EQ(rig.allocator.info(each)->memory_type, expected->memory_type);
    EXPECT_EQ(rig.allocator.explain(each)->movable, MovableVerdict::not_created_here);
  }
  for (const Allocation each : made)
    EXPECT_TRUE(rig.allocator.free(each));
  return true;
}

TEST_P(HotPathRoutes, LaterRequestsGoWhereTheFirstWent) {
  for (const FakeProfile& profile : fakes::profiles::all()) {
    SCOPED_TRACE(profile.name);
    Rig rig(profile, [](AllocatorDesc& desc) { GetParam().apply(desc); });
    int served = 0;
    for (int intent = 0; intent <= static_cast<int>(MemoryIntent::flags); ++intent) {
      for (const ResourceKind kind :
           {ResourceKind::unknown, ResourceKind::linear, ResourceKind::optimal}) {
        SCOPED_TRACE(intent);
        const AllocationDesc desc{.intent = static_cast<MemoryIntent>(intent)};
        served += serves_all_alike(rig, 5 * kKiB, kind, desc) ? 1 : 0;
        served += serves_all_alike(rig, 300 * kKiB, kind, desc) ? 1 : 0;
      }
    }
    EXPECT_GE(served, 6);
  }
}

TEST_P(HotPathRoutes, ResourcesMadeInOneCallSayThatNobodyAskedToMoveThem) {
  Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) { GetParam().apply(desc); });
  for (int i = 0; i < 4; ++i) {
    const auto buffer = rig.allocator.create_buffer(buffer_info(5'000));
    const auto image = rig.allocator.create_image(fakes::image_info(16, 16));
    ASSERT_TRUE(buffer && image);
    EXPECT_EQ(rig.allocator.explain(buffer->allocation)->movable, MovableVerdict::not_requested);
    EXPECT_EQ(rig.allocator.explain(image->allocations[0])->movable, MovableVerdict::not_requested);
    EXPECT_EQ(reason_of(rig.allocator.destroy(Buffer{VK_NULL_HANDLE, buffer->allocation})),
              Reason::bad_argument)
        << "it was made for another";
    EXPECT_TRUE(rig.allocator.destroy(*buffer));
    EXPECT_TRUE(rig.allocator.destroy(*image));
  }
}

}  // namespace
}  // namespace quarry::test
