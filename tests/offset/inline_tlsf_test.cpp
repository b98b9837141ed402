// SPDX-License-Identifier: MIT
#include "offset/inline_tlsf.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/seed.hpp"

namespace quarry::test {
namespace {

TEST(InlineTlsf, AnswersEveryCallAsTlsfDoes) {
  for (const std::uint64_t seed : seeds(4)) {
    Random random(seed);
    const TlsfDesc desc{.size = random.between(1 << 16, 1 << 22), .max_allocations = 700};
    Tlsf plain(desc);
    offset::InlineTlsf inlined(desc);
    std::vector<OffsetHandle> live;
    for (int step = 0; step < 20'000; ++step) {
      ASSERT_EQ(plain.largest_free_class(), inlined.largest_free_class());
      if (!live.empty() && random.below(100) < 48) {
        std::swap(live[random.index(live.size())], live.back());
        for (const OffsetError expected : {OffsetError::none, OffsetError::stale_handle}) {
          ASSERT_EQ(plain.free(live.back()), expected);
          ASSERT_EQ(inlined.free(live.back()), expected);
        }
        live.pop_back();
        continue;
      }
      const OffsetRequest request{.size = random.any_magnitude(18) - 1,
                                  .alignment = std::uint64_t{1} << random.below(14),
                                  .user = random.below(1000),
                                  .strategy = static_cast<OffsetStrategy>(random.below(4)),
                                  .upper = random.one_in(50)};
      const auto one = plain.allocate(request);
      const auto other = inlined.allocate(request);
      ASSERT_EQ(one.has_value(), other.has_value());
      if (one) {
        ASSERT_EQ(one->offset, other->offset);
        ASSERT_EQ(one->handle, other->handle);
        ASSERT_EQ(inlined.info(other->handle)->user, request.user);
        live.push_back(one->handle);
      } else {
        ASSERT_EQ(one.error(), other.error());
      }
    }
    EXPECT_TRUE(inlined.validate());
    EXPECT_EQ(plain.free_bytes(), inlined.free_bytes());
  }
}

TEST(InlineTlsf, AllocatesAtExactlyTheOffsetOrNotAtAll) {
  for (const std::uint64_t seed : seeds(4)) {
    Random random(seed);
    const std::uint64_t size = random.between(1 << 10, 1 << 14);
    offset::InlineTlsf space({.size = size});
    std::vector<bool> used(size);
    struct Live {
      std::uint64_t offset, size;
      OffsetHandle handle;
    };
    std::vector<Live> live;
    for (int step = 0; step < 5'000; ++step) {
      if (!live.empty() && random.one_in(2)) {
        std::swap(live[random.index(live.size())], live.back());
        const Live last = live.back();
        live.pop_back();
        ASSERT_EQ(space.free(last.handle), OffsetError::none);
        std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(last.offset), last.size, false);
        continue;
      }
      const std::uint64_t alignment = std::uint64_t{1} << random.below(4);
      const std::uint64_t offset = random.below(size / alignment) * alignment;
      const std::uint64_t bytes = random.between(1, 64);
      // Any hint will do, a stale one and one behind the place, too.
      const OffsetHandle hint =
          live.empty() ? OffsetHandle{} : live[random.index(live.size())].handle;
      bool expected = offset + bytes <= size;
      for (std::uint64_t i = 0; expected && i < bytes; ++i)
        expected = !used[offset + i];
      const auto made = space.allocate_at({.size = bytes, .alignment = alignment}, offset,
                                          random.one_in(4) ? OffsetHandle{1} : hint);
      ASSERT_EQ(made.has_value(), expected);
      if (!made) {
        ASSERT_EQ(made.error(), OffsetError::out_of_space);
        continue;
      }
      ASSERT_EQ(made->offset, offset);
      std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(offset), bytes, true);
      live.push_back({offset, bytes, made->handle});
    }
    EXPECT_TRUE(space.validate());
  }
}

TEST(InlineTlsf, MovesAsATlsf) {
  offset::InlineTlsf from({.size = 1024});
  const OffsetAllocation one = *from.allocate({.size = 64});
  offset::InlineTlsf to(std::move(from));
  EXPECT_EQ(to.free(one.handle), OffsetError::none);
  EXPECT_TRUE(to.empty());
}

}  // namespace
}  // namespace quarry::test
