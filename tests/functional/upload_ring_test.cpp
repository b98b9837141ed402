// SPDX-License-Identifier: MIT
// The upload ring with frames in flight on a real timeline.
#include <deque>
#include <optional>

#include "functional/fixture.hpp"

namespace quarry::functional {

namespace {

class FunctionalRing : public Functional {
 protected:
  struct Frame {
    std::uint64_t value;
    Buffer target;
    std::vector<std::byte> expected;
  };

  void finish_oldest() {
    const Frame frame = std::move(frames_.front());
    frames_.pop_front();
    device().wait(frame.value);
    std::vector<std::byte> back(frame.expected.size());
    ASSERT_TRUE(allocator.copy_from(frame.target.allocation, 0, back));
    EXPECT_EQ(back, frame.expected) << "frame " << frame.value;
    EXPECT_TRUE(allocator.destroy(frame.target));
  }

  std::deque<Frame> frames_;
};

TEST_F(FunctionalRing, FramesInFlightArriveWhole) {
  constexpr VkDeviceSize kRing = 1 << 16;
  constexpr std::size_t kFramesInFlight = 3;
  auto ring = UploadRing::create(allocator, {.bytes = kRing});
  ASSERT_TRUE(ring) << to_string(ring.error().reason);
  std::mt19937_64 random(test::seeds(1).front());
  for (int frame = 0; frame < 200; ++frame) {
    const VkDeviceSize size = (random() % 20'000 + 4) / 4 * 4;
    auto space = ring->allocate(size, 256);
    while (!space) {
      ASSERT_EQ(space.error().reason, Reason::over_limit);
      ASSERT_FALSE(frames_.empty());
      finish_oldest();
      ASSERT_TRUE(ring->collect());
      space = ring->allocate(size, 256);
    }
    const std::vector<std::byte> bytes = noise(size, random());
    std::memcpy(space->mapped, bytes.data(), size);
    ASSERT_TRUE(ring->flush());
    const Buffer target = make_buffer(size, {.intent = MemoryIntent::readback});
    const std::uint64_t value = device().next_value();
    device().submit_copy(space->buffer, target.buffer, {space->offset, 0, size}, value);
    ASSERT_TRUE(ring->close(device().timeline(), value));
    frames_.push_back({value, target, bytes});
    if (frames_.size() > kFramesInFlight) finish_oldest();
    ASSERT_TRUE(ring->collect());
  }
  while (!frames_.empty())
    finish_oldest();
  ASSERT_TRUE(ring->collect());
  EXPECT_EQ(ring->used(), 0u);
}

}  // namespace

}  // namespace quarry::functional
