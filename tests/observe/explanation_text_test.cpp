// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;

std::string text_of(const Explanation& explanation) {
  std::vector<char> room(format(explanation, {}) + 1);
  EXPECT_EQ(format(explanation, room), room.size() - 1);
  return room.data();
}

TEST(ExplanationText, TellsChoicePlacementAndEachType) {
  Rig rig(fakes::profiles::discrete());
  const auto told = rig.allocator.explain(buffer_info(1'000), {.intent = MemoryIntent::upload});
  ASSERT_TRUE(told);
  EXPECT_EQ(
      text_of(*told),
      "1008 bytes aligned to 16: memory type 2 (flags 0x6, heap 1), in a new block, 4194304 new "
      "bytes\n"
      "not movable: not asked for\n"
      "  type 0: lacks a required property\n"
      "  type 1: lacks a required property\n"
      "  type 2: chosen\n"
      "  type 3: would be tried next\n"
      "  type 4: would be tried next\n");
}

TEST(ExplanationText, SaysWhenNothingServes) {
  Rig rig(fakes::profiles::discrete());
  const auto told = rig.allocator.explain(buffer_info(16), {.memory_type_bits = 0});
  ASSERT_TRUE(told);
  EXPECT_NE(text_of(*told).find("cannot be placed"), std::string::npos);
}

TEST(ExplanationText, IsCutToTheRoomThereIsAndAlwaysTerminated) {
  Rig rig(fakes::profiles::discrete());
  const auto told = rig.allocator.explain(buffer_info(1'000));
  ASSERT_TRUE(told);
  const std::string whole = text_of(*told);
  for (std::size_t size = 1; size <= whole.size() + 1; ++size) {
    std::vector<char> room(size, '#');
    EXPECT_EQ(format(*told, room), whole.size());
    ASSERT_EQ(room[std::min(size - 1, whole.size())], '\0');
    EXPECT_EQ(std::string(room.data()), whole.substr(0, size - 1));
  }
}

TEST(ExplanationText, EachEnumeratorHasWordsOfItsOwnAndGarbageHasSome) {
  std::set<std::string> words;
  for (unsigned i = 0; i <= static_cast<unsigned>(TypeVerdict::over_limit); ++i)
    EXPECT_TRUE(words.insert(to_string(static_cast<TypeVerdict>(i))).second);
  words.clear();
  for (unsigned i = 0; i <= static_cast<unsigned>(Placement::dedicated); ++i)
    EXPECT_TRUE(words.insert(to_string(static_cast<Placement>(i))).second);
  words.clear();
  for (unsigned i = 0; i <= static_cast<unsigned>(MovableVerdict::unsupported_usage); ++i)
    EXPECT_TRUE(words.insert(to_string(static_cast<MovableVerdict>(i))).second);
  words.clear();
  for (unsigned i = 0; i <= static_cast<unsigned>(Reason::unsupported); ++i)
    EXPECT_TRUE(words.insert(to_string(static_cast<Reason>(i))).second);
  EXPECT_STREQ(to_string(static_cast<TypeVerdict>(200)), "unknown");
  EXPECT_STREQ(to_string(static_cast<Placement>(200)), "unknown");
  EXPECT_STREQ(to_string(static_cast<MovableVerdict>(200)), "unknown");
  EXPECT_STREQ(to_string(static_cast<Reason>(200)), "unknown");
}

}  // namespace
}  // namespace quarry::test
