// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include <quarry/upload_ring.hpp>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::FakeProfile;
using fakes::Function;
using fakes::kKiB;
using fakes::kMiB;

UploadRing make(Rig& rig, const UploadRingDesc& desc) {
  auto ring = UploadRing::create(rig.allocator, desc);
  EXPECT_TRUE(ring) << to_string(reason_of(ring));
  return ring ? std::move(*ring) : UploadRing();
}

void fill(const UploadSpan& span, std::uint64_t value) {
  std::memset(span.mapped, static_cast<int>(value & 0xFF), static_cast<std::size_t>(span.size));
}

/// What the device reads there is what was written.
bool device_sees(Rig& rig, const UploadSpan& span, std::uint64_t value) {
  const auto binding = rig.gpu.buffer_binding(span.buffer);
  std::vector<std::byte> bytes(static_cast<std::size_t>(span.size));
  if (!rig.gpu.device_read(binding->memory, binding->offset + span.offset, bytes)) return false;
  for (const std::byte byte : bytes) {
    if (byte != static_cast<std::byte>(value & 0xFF)) return false;
  }
  return true;
}

TEST(UploadRing, HandsOutMappedSpacesOfOneBuffer) {
  Rig rig(fakes::profiles::discrete());
  UploadRing ring = make(rig, {.bytes = 64 * kKiB});
  EXPECT_EQ(ring.capacity(), 64 * kKiB);
  const auto a = ring.allocate(100);
  const auto b = ring.allocate(100, 256);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->buffer, b->buffer);
  EXPECT_EQ(a->size, 100u);
  EXPECT_EQ(b->offset % 256, 0u);
  EXPECT_GE(b->offset, a->offset + 100);
  EXPECT_EQ(b->mapped - a->mapped, static_cast<std::ptrdiff_t>(b->offset - a->offset));
  EXPECT_EQ(ring.used(), b->offset + 100);
  EXPECT_EQ(rig.allocator.counters().uploaded_bytes, 200u);
}

TEST(UploadRing, BadRequestsAreRefused) {
  Rig rig(fakes::profiles::discrete());
  UploadRing ring = make(rig, {.bytes = 1'000});
  EXPECT_EQ(reason_of(ring.allocate(0)), Reason::size_zero);
  EXPECT_EQ(reason_of(ring.allocate(10, 0)), Reason::bad_alignment);
  EXPECT_EQ(reason_of(ring.allocate(10, 24)), Reason::bad_alignment);
  EXPECT_EQ(reason_of(ring.allocate(1'001)), Reason::bad_argument);
  EXPECT_EQ(reason_of(ring.allocate(~VkDeviceSize{0})), Reason::bad_argument);
  EXPECT_EQ(reason_of(ring.close(VK_NULL_HANDLE, 1)), Reason::bad_argument);
  EXPECT_EQ(reason_of(ring.close_with_fence(VK_NULL_HANDLE)), Reason::bad_argument);
  EXPECT_EQ(ring.collect(VK_NULL_HANDLE, ~std::uint64_t{0}), 0u);

  EXPECT_EQ(reason_of(UploadRing::create(rig.allocator, {.bytes = 0})), Reason::size_zero);
  EXPECT_EQ(reason_of(UploadRing::create(rig.allocator, {.usage = 0})), Reason::bad_argument);
  EXPECT_EQ(reason_of(UploadRing::create(rig.allocator, {.intent = static_cast<MemoryIntent>(9)})),
            Reason::bad_argument);
  EXPECT_EQ(reason_of(UploadRing::create(rig.allocator, {.tag = Tag{9}})), Reason::bad_argument);
  EXPECT_EQ(reason_of(UploadRing::create(rig.allocator, {.bytes = 100 * fakes::kGiB})),
            Reason::larger_than_heap);
  Allocator none;
  EXPECT_EQ(reason_of(UploadRing::create(none, {})), Reason::bad_argument);
}

TEST(UploadRing, AnEmptyOneRefusesEverything) {
  UploadRing ring;
  EXPECT_EQ(reason_of(ring.allocate(1)), Reason::bad_argument);
  EXPECT_EQ(reason_of(ring.flush()), Reason::bad_argument);
  EXPECT_EQ(reason_of(ring.close(VK_NULL_HANDLE, 1)), Reason::bad_argument);
  EXPECT_EQ(reason_of(ring.close_with_fence(VK_NULL_HANDLE)), Reason::bad_argument);
  EXPECT_EQ(reason_of(ring.collect()), Reason::bad_argument);
  EXPECT_EQ(ring.collect(VK_NULL_HANDLE, 1), 0u);
  EXPECT_EQ(ring.capacity(), 0u);
  EXPECT_EQ(ring.used(), 0u);
}

TEST(UploadRing, AFullRingSaysSoUntilABatchIsDone) {
  Rig rig(fakes::profiles::discrete());
  UploadRing ring = make(rig, {.bytes = 3'000});
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
  for (std::uint64_t value = 1; value <= 3; ++value) {
    ASSERT_TRUE(ring.allocate(1'000, 8));
    ASSERT_TRUE(ring.close(semaphore, value));
  }
  EXPECT_EQ(reason_of(ring.allocate(1)), Reason::over_limit);
  EXPECT_EQ(*ring.collect(), 0u);
  rig.gpu.signal(semaphore, 1);
  EXPECT_EQ(reason_of(ring.allocate(1)), Reason::over_limit) << "nobody collected";
  EXPECT_EQ(*ring.collect(), 1'000u);
  EXPECT_TRUE(ring.allocate(1'000, 8));
  EXPECT_EQ(ring.used(), 3'000u);
}

TEST(UploadRing, CollectWithAKnownValueAsksNobody) {
  Rig rig(fakes::profiles::discrete());
  UploadRing ring = make(rig, {.bytes = 3'000});
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
  const VkSemaphore other = rig.gpu.create_timeline_semaphore();
  for (std::uint64_t value = 1; value <= 3; ++value) {
    ASSERT_TRUE(ring.allocate(1'000, 8));
    ASSERT_TRUE(ring.close(semaphore, value));
  }
  rig.gpu.reset_calls();
  EXPECT_EQ(ring.collect(other, 99), 0u);
  EXPECT_EQ(ring.collect(semaphore, 0), 0u);
  EXPECT_EQ(ring.collect(semaphore, 2), 2'000u);
  EXPECT_EQ(ring.collect(semaphore, 99), 1'000u);
  EXPECT_EQ(rig.gpu.calls(), 0u);
}

TEST(UploadRing, BatchesOfSeveralSemaphoresAndFencesAreTakenBackInOrder) {
  Rig rig(fakes::profiles::discrete());
  UploadRing ring = make(rig, {.bytes = 3'000});
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
  const VkFence fence = rig.gpu.create_fence();
  ASSERT_TRUE(ring.allocate(1'000, 8));
  ASSERT_TRUE(ring.close(semaphore, 1));
  ASSERT_TRUE(ring.allocate(1'000, 8));
  ASSERT_TRUE(ring.close_with_fence(fence));
  rig.gpu.signal_fence(fence);
  EXPECT_EQ(*ring.collect(), 0u) << "the older batch comes first";
  rig.gpu.signal(semaphore, 1);
  EXPECT_EQ(*ring.collect(), 2'000u);
}

TEST(UploadRing, AnEmptyBatchIsNoBatch) {
  Rig rig(fakes::profiles::discrete());
  UploadRing ring = make(rig, {.bytes = 1'000});
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
  for (std::uint64_t value = 1; value < 100; ++value)
    EXPECT_TRUE(ring.close(semaphore, value));
  rig.gpu.reset_calls();
  EXPECT_EQ(*ring.collect(), 0u);
  EXPECT_EQ(rig.gpu.calls(), 0u);
}

TEST(UploadRing, ADriverThatCannotTellIsReported) {
  Rig rig(fakes::profiles::discrete());
  UploadRing ring = make(rig, {.bytes = 3'000});
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
  const VkFence fence = rig.gpu.create_fence();
  ASSERT_TRUE(ring.allocate(1'000, 8));
  ASSERT_TRUE(ring.close(semaphore, 1));
  ASSERT_TRUE(ring.allocate(1'000, 8));
  ASSERT_TRUE(ring.close_with_fence(fence));
  rig.gpu.signal(semaphore, 1);
  rig.gpu.signal_fence(fence);
  rig.gpu.fail(Function::get_semaphore_counter_value, 1, VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(ring.collect().error().code, VK_ERROR_DEVICE_LOST);
  rig.gpu.fail(Function::get_fence_status, 1, VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(ring.collect().error().code, VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(*ring.collect(), 1'000u) << "the first batch was taken back before the error";
}

TEST(UploadRing, WithoutTimelineSemaphoresThereAreFences) {
  FakeProfile profile = fakes::profiles::discrete();
  profile.features.timeline_semaphore = false;
  Rig rig(profile);
  UploadRing ring = make(rig, {.bytes = 1'000});
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
  ASSERT_TRUE(ring.allocate(100));
  EXPECT_EQ(reason_of(ring.close(semaphore, 1)), Reason::feature_not_enabled);
  const VkFence fence = rig.gpu.create_fence();
  EXPECT_TRUE(ring.close_with_fence(fence));
  rig.gpu.signal_fence(fence);
  EXPECT_EQ(*ring.collect(), 100u);
}

TEST(UploadRing, AFlushThatFailedIsDoneAgain) {
  FakeProfile profile = fakes::profiles::non_coherent();
  profile.buffer_type_bits = 1u << 3;
  Rig rig(profile);
  UploadRing ring = make(rig, {.bytes = 4'096});
  const auto span = ring.allocate(1'000);
  ASSERT_TRUE(span);
  fill(*span, 0x5A);
  EXPECT_FALSE(device_sees(rig, *span, 0x5A));
  rig.gpu.fail(Function::flush_mapped_memory_ranges, 1, VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(ring.flush().error().code, VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_TRUE(ring.flush());
  EXPECT_TRUE(device_sees(rig, *span, 0x5A));
  rig.gpu.reset_calls();
  EXPECT_TRUE(ring.flush());
  EXPECT_EQ(rig.gpu.calls(), 0u) << "what is flushed stays flushed";
}

TEST(UploadRing, MovesLikeAnOwner) {
  Rig rig(fakes::profiles::discrete());
  UploadRing ring = make(rig, {.bytes = 1'000});
  ASSERT_TRUE(ring.allocate(100));
  UploadRing moved(std::move(ring));
  EXPECT_EQ(moved.used(), 100u);
  UploadRing& same = moved;
  moved = std::move(same);
  EXPECT_EQ(moved.used(), 100u);
  moved = make(rig, {.bytes = 2'000});
  EXPECT_EQ(moved.capacity(), 2'000u);
  EXPECT_EQ(rig.gpu.live().buffers, 1u);
}

TEST(UploadRing, FailingCreationLeavesNothing) {
  Rig rig(fakes::profiles::discrete());
  for (std::uint64_t n = 1; n < 100; ++n) {
    rig.host.fail(n);
    {
      const auto ring = UploadRing::create(rig.allocator, {.bytes = 1'000});
      rig.host.succeed();
      if (ring) break;
      EXPECT_EQ(reason_of(ring), Reason::out_of_host_memory);
      ASSERT_LT(n, 99u);
    }
    EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
    EXPECT_EQ(rig.gpu.live().buffers, 0u);
  }
}

// ---- Frames in flight, with the fake's model of submitted work watching

struct Frames {
  const char* name;
  bool fences = false;
  bool coherent = true;
};

class InFlight : public testing::TestWithParam<Frames> {};

TEST_P(InFlight, NothingIsWrittenWhileTheDeviceReadsItAndAllOfItArrives) {
  for (const std::uint64_t seed : seeds(3)) {
    Random random(seed);
    FakeProfile profile = fakes::profiles::non_coherent();
    profile.buffer_type_bits = GetParam().coherent ? 1u << 2 : 1u << 3;
    Rig rig(profile);
    UploadRing ring = make(rig, {.bytes = random.between(2'000, 20'000)});
    const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
    struct Frame {
      std::uint64_t value = 0;
      VkFence fence = VK_NULL_HANDLE;
    };
    std::deque<Frame> in_flight;
    const auto finish_oldest = [&] {
      if (GetParam().fences) {
        rig.gpu.signal_fence(in_flight.front().fence);
      } else {
        rig.gpu.signal(semaphore, in_flight.front().value);
      }
      in_flight.pop_front();
      ASSERT_TRUE(ring.collect());
    };
    std::uint64_t spans_written = 0;
    for (std::uint64_t frame = 1; frame <= 300; ++frame) {
      std::vector<std::pair<UploadSpan, std::uint64_t>> spans;
      for (std::uint64_t i = random.below(6); i > 0; --i) {
        const VkDeviceSize size = random.between(1, ring.capacity() / 8);
        auto span = ring.allocate(size, VkDeviceSize{1} << random.below(7));
        while (!span && !in_flight.empty()) {
          ASSERT_EQ(reason_of(span), Reason::over_limit);
          finish_oldest();
          span = ring.allocate(size);
        }
        if (!span) break;  // the open batch fills the ring
        fill(*span, frame + i);
        spans.emplace_back(*span, frame + i);
        ++spans_written;
      }
      ASSERT_TRUE(ring.flush());
      Frame submitted{frame, GetParam().fences ? rig.gpu.create_fence() : VK_NULL_HANDLE};
      for (const auto& [span, value] : spans) {
        ASSERT_TRUE(device_sees(rig, span, value));
        if (GetParam().fences) {
          rig.gpu.submit_buffer_read_with_fence(span.buffer, span.offset, span.size,
                                                submitted.fence);
        } else {
          rig.gpu.submit_buffer_read(span.buffer, span.offset, span.size, semaphore, frame);
        }
      }
      ASSERT_TRUE(GetParam().fences ? ring.close_with_fence(submitted.fence)
                                    : ring.close(semaphore, frame));
      in_flight.push_back(submitted);
      while (in_flight.size() > 3)
        finish_oldest();
      fakes::expect_no_violations(rig.gpu);
      if (HasFailure()) return;
    }
    EXPECT_GT(spans_written, 300u);
    while (!in_flight.empty())
      finish_oldest();
    EXPECT_EQ(ring.used(), 0u);
    EXPECT_EQ(rig.driver_allocations(), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Frames, InFlight,
                         testing::Values(Frames{"timeline_coherent", false, true},
                                         Frames{"timeline_incoherent", false, false},
                                         Frames{"fences_coherent", true, true},
                                         Frames{"fences_incoherent", true, false}),
                         [](const testing::TestParamInfo<Frames>& tested) {
                           return tested.param.name;
                         });

}  // namespace
}  // namespace quarry::test
