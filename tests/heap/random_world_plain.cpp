// SPDX-License-Identifier: MIT
// The part of the random world that threads' caches serve: small requests with nothing special,
// again and again, from this thread and from others that end at once.
#include <array>
#include <thread>
#include <utility>

#include "heap/random_world.hpp"

namespace quarry::test {

void RandomWorld::come_and_go_plainly() {
  constexpr std::array kIntents{MemoryIntent::device, MemoryIntent::upload, MemoryIntent::readback};
  AllocationDesc desc;
  desc.intent = kIntents[random_.index(kIntents.size())];
  desc.within_budget = random_.one_in(4);
  const auto kind = static_cast<ResourceKind>(random_.below(3));
  for (std::uint64_t left = random_.between(1, 24); left > 0; --left) {
    if (!live_.empty() && random_.below(100) < 52) {
      // Mostly what came last: its slot is the next to go out.
      const std::size_t index = random_.one_in(3) ? random_.index(live_.size()) : live_.size() - 1;
      if (live_[index].kind == Kind::raw) destroy(index);
      continue;
    }
    desc.tag = random_.one_in(2) ? tags_[random_.index(tags_.size())] : Tag{};
    const VkMemoryRequirements needed{random_.any_magnitude(16),
                                      VkDeviceSize{1} << random_.below(10), ~0u};
    const auto made = rig_.allocator.allocate(needed, kind, desc);
    if (!made) return expect_plausible(made.error());
    const auto info = rig_.allocator.info(*made);
    ASSERT_TRUE(info);
    EXPECT_GE(info->size, needed.size);
    EXPECT_EQ(info->offset % needed.alignment, 0u);
    EXPECT_EQ(info->tag, desc.tag);
    EXPECT_EQ(info->name, nullptr);
    EXPECT_EQ(info->mapped, nullptr);
    Live live;
    live.kind = Kind::raw;
    live.raw = *made;
    live.raw_kind = kind;
    give_claim(live);
    live_.push_back(std::move(live));
  }
}

void RandomWorld::in_another_thread() {
  std::thread([this] {
    come_and_go_plainly();
    for (std::uint64_t left = random_.below(4); left > 0 && !live_.empty(); --left)
      destroy(random_.index(live_.size()));
  }).join();
}

}  // namespace quarry::test
