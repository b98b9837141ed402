// SPDX-License-Identifier: MIT
// The named profiles keep the specification's rules about heaps and types, where their source kept
// them.
#include "fakes/fake_profile.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace quarry::fakes {
namespace {

TEST(FakeProfile, NamesAreUnique) {
  std::set<std::string> names;
  for (const FakeProfile& profile : profiles::all()) {
    EXPECT_TRUE(names.insert(profile.name).second) << profile.name;
  }
}

TEST(FakeProfile, TypesPointIntoTheHeaps) {
  for (const FakeProfile& profile : profiles::all()) {
    ASSERT_LE(profile.heaps.size(), VK_MAX_MEMORY_HEAPS);
    ASSERT_LE(profile.types.size(), VK_MAX_MEMORY_TYPES);
    for (const VkMemoryType& type : profile.types) {
      EXPECT_LT(type.heapIndex, profile.heaps.size()) << profile.name;
    }
  }
}

TEST(FakeProfile, TypesAreDeviceLocalAsTheirHeapIs) {
  for (const FakeProfile& profile : profiles::all()) {
    for (const VkMemoryType& type : profile.types) {
      const bool heap_local =
          (profile.heaps[type.heapIndex].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
      const bool type_local = (type.propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
      EXPECT_EQ(heap_local, type_local) << profile.name;
    }
  }
}

TEST(FakeProfile, CoherentAndCachedImplyHostVisible) {
  constexpr VkMemoryPropertyFlags kHost =
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  for (const FakeProfile& profile : profiles::all()) {
    for (const VkMemoryType& type : profile.types) {
      if ((type.propertyFlags & kHost) == 0) continue;
      EXPECT_NE(type.propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 0u) << profile.name;
    }
  }
}

TEST(FakeProfile, LazyAndProtectedExcludeHostVisible) {
  constexpr VkMemoryPropertyFlags kHidden =
      VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT;
  for (const FakeProfile& profile : profiles::all()) {
    for (const VkMemoryType& type : profile.types) {
      if ((type.propertyFlags & kHidden) == 0) continue;
      EXPECT_EQ(type.propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 0u) << profile.name;
    }
  }
}

TEST(FakeProfile, TheEffectiveVersionIsTheLower) {
  FakeProfile profile = profiles::discrete();
  profile.api_version = VK_API_VERSION_1_3;
  profile.declared_version = VK_API_VERSION_1_1;
  EXPECT_EQ(profile.effective_version(), VK_API_VERSION_1_1);
}

}  // namespace
}  // namespace quarry::fakes
