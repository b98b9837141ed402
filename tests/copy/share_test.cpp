// SPDX-License-Identifier: MIT
#include "copy/share.hpp"

#include <gtest/gtest.h>

namespace quarry::copy {
namespace {

Shares shares_of(VkDeviceSize source, VkDeviceSize destination, VkDeviceSize size,
                 VkDeviceSize slot) {
  BufferMove move;
  move.source_offset = source;
  move.destination_offset = destination;
  move.size = size;
  move.slot_size = slot;
  return share(move);
}

TEST(Share, RoundsUpToQuadsInsideTheSlot) {
  const Shares shares = shares_of(0, 32, 17, 32);
  EXPECT_EQ(shares.quads, 32u);
  EXPECT_EQ(shares.words, 0u);
  EXPECT_EQ(shares.command, 0u);
}

TEST(Share, LeavesWordsAndBytesWhereTheSlotEnds) {
  const Shares shares = shares_of(16, 0, 27, 27);
  EXPECT_EQ(shares.quads, 16u);
  EXPECT_EQ(shares.words, 8u);
  EXPECT_EQ(shares.command, 3u);
}

TEST(Share, RoundsTheWordsUpToo) {
  const Shares shares = shares_of(0, 0, 27, 28);
  EXPECT_EQ(shares.quads, 16u);
  EXPECT_EQ(shares.words, 12u);
  EXPECT_EQ(shares.command, 0u);
}

TEST(Share, OffsetsOffTheQuadTakeWords) {
  const Shares shares = shares_of(4, 16, 64, 64);
  EXPECT_EQ(shares.quads, 0u);
  EXPECT_EQ(shares.words, 64u);
}

TEST(Share, OffsetsOffTheWordTakeTheCommand) {
  const Shares shares = shares_of(2, 16, 64, 64);
  EXPECT_EQ(shares.shader_bytes(), 0u);
  EXPECT_EQ(shares.command, 64u);
}

TEST(Share, CoversEveryByteAndStaysInTheSlot) {
  for (VkDeviceSize source = 0; source < 17; ++source) {
    for (VkDeviceSize size = 1; size < 70; ++size) {
      for (VkDeviceSize slack = 0; slack < 18; ++slack) {
        const Shares shares = shares_of(source, 32, size, size + slack);
        const VkDeviceSize all = shares.shader_bytes() + shares.command;
        EXPECT_GE(all, size);
        EXPECT_LE(all, size + slack);
        EXPECT_EQ(shares.quads % kQuadBytes, 0u);
        EXPECT_EQ(shares.words % kWordBytes, 0u);
      }
    }
  }
}

}  // namespace
}  // namespace quarry::copy
