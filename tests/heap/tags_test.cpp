// SPDX-License-Identifier: MIT
#include "heap/tags.hpp"

#include <cstdint>
#include <string>

#include "base/counting_host.hpp"
#include "heap/rig.hpp"

namespace quarry::heap {
namespace {

using test::reason_of;

TEST(Tags, TheSameNameGivesTheSameTag) {
  test::CountingHost host;
  Tags tags(host.memory());
  const auto first = tags.add("textures");
  const auto second = tags.add("meshes");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->index, 1u);
  EXPECT_EQ(second->index, 2u);
  EXPECT_EQ(tags.add("textures")->index, 1u);
  EXPECT_EQ(tags.count(), 2u);
  EXPECT_STREQ(tags.name({1}), "textures");
  EXPECT_STREQ(tags.name({2}), "meshes");
}

TEST(Tags, NoTagAndUnknownTagsHaveNoName) {
  test::CountingHost host;
  Tags tags(host.memory());
  EXPECT_STREQ(tags.name({0}), "");
  EXPECT_STREQ(tags.name({1}), "");
  EXPECT_TRUE(tags.known({0}));
  EXPECT_FALSE(tags.known({1}));
  EXPECT_EQ(tags.read({1}).allocation_count, 0u);
}

TEST(Tags, NamesMustBeNames) {
  test::CountingHost host;
  Tags tags(host.memory());
  EXPECT_EQ(reason_of(tags.add("")), Reason::bad_argument);
  EXPECT_EQ(reason_of(tags.add(std::string(256, 'x'))), Reason::bad_argument);
  EXPECT_EQ(reason_of(tags.add(std::string_view("a\0b", 3))), Reason::bad_argument);
  EXPECT_EQ(reason_of(tags.add(std::string_view())), Reason::bad_argument);
  EXPECT_TRUE(tags.add(std::string(255, 'x')));
  EXPECT_EQ(tags.count(), 1u);
}

TEST(Tags, ThereAre65535) {
  test::CountingHost host;
  Tags tags(host.memory());
  for (std::uint32_t i = 1; i <= Tags::kMaximum; ++i)
    ASSERT_EQ(tags.add("tag " + std::to_string(i))->index, i);
  EXPECT_EQ(reason_of(tags.add("one more")), Reason::over_limit);
  EXPECT_EQ(tags.add("tag 40000")->index, 40'000u);
  EXPECT_STREQ(tags.name({65'535}), "tag 65535");
}

TEST(Tags, WithoutHostMemoryATagIsNotThereAndMayComeLater) {
  for (std::uint64_t failing = 0;; ++failing) {
    test::CountingHost host;
    {
      Tags tags(host.memory());
      host.fail_at(failing);
      const auto refused = tags.add("first");
      if (refused) {
        EXPECT_GT(failing, 0u);
        EXPECT_EQ(host.refused(), 0u);
        break;
      }
      EXPECT_EQ(reason_of(refused), Reason::out_of_host_memory);
      EXPECT_EQ(tags.count(), 0u);
      EXPECT_FALSE(tags.known({1}));
      host.fail_at(test::CountingHost::kNever);
      const auto other = tags.add("second");
      const auto first = tags.add("first");
      ASSERT_TRUE(other && first);
      EXPECT_NE(*first, *other);
      EXPECT_STREQ(tags.name(*first), "first");
      EXPECT_STREQ(tags.name(*other), "second");
    }
    EXPECT_EQ(host.outstanding(), 0u);
  }
}

TEST(Tags, PeaksOfEveryTagAreReset) {
  test::CountingHost host;
  Tags tags(host.memory());
  const Tag tag = *tags.add("a");
  for (const Tag each : {tag, Tag{}}) {
    tags.add_allocations(each, 1, 100);
    tags.add_allocations(each, -1, -100);
    EXPECT_EQ(tags.read(each).peak_allocation_bytes, 100u);
  }
  tags.reset_peaks();
  for (const Tag each : {tag, Tag{}})
    EXPECT_EQ(tags.read(each).peak_allocation_bytes, 0u);
}

TEST(Tags, AreCountedThroughTheAllocator) {
  test::Rig rig(fakes::profiles::single_type());
  EXPECT_EQ(rig.allocator.tag_count(), 0u);
  const auto tag = rig.allocator.register_tag("sky");
  ASSERT_TRUE(tag);
  EXPECT_EQ(rig.allocator.tag_count(), 1u);
  EXPECT_STREQ(rig.allocator.tag_name(*tag), "sky");
  const auto buffer = rig.allocator.create_buffer(fakes::buffer_info(64), {.tag = *tag});
  ASSERT_TRUE(buffer);
  EXPECT_EQ(rig.allocator.info(buffer->allocation)->tag, *tag);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

}  // namespace
}  // namespace quarry::heap
