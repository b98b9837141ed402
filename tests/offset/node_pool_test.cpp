// SPDX-License-Identifier: MIT
#include "offset/node_pool.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"

namespace quarry::offset {
namespace {

struct Node {
  std::uint32_t next = 0;
  std::uint32_t number = 0;

  bool lives_as(std::uint32_t serial) const { return serial != 0 && serial == number; }
  std::uint32_t serial() const { return number; }
  void retire() { number = 0; }
};

TEST(NodePool, NodesNeverMove) {
  NodePool<Node> pool(HostMemory::standard());
  std::vector<const Node*> addresses;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(pool.reserve(1));
    const std::uint32_t index = pool.acquire();
    ASSERT_EQ(index, i);
    pool[index].number = i + 1;
    addresses.push_back(&pool[index]);
  }
  EXPECT_EQ(pool.used_count(), 10'000u);
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    ASSERT_EQ(&pool[i], addresses[i]);
    ASSERT_EQ(pool[i].number, i + 1);
  }
}

TEST(NodePool, AReservedNodeIsThereAndReleasedOnesAreUsedAgain) {
  test::CountingHost host;
  NodePool<Node> pool(host.memory());
  ASSERT_TRUE(pool.reserve(200));
  const std::uint64_t allocations = host.allocations();
  std::vector<std::uint32_t> indices(200);
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t& index : indices) {
      index = pool.acquire();
    }
    EXPECT_EQ(pool.used_count(), 200u);
    for (const std::uint32_t index : indices) {
      pool.release(index);
    }
    EXPECT_EQ(pool.used_count(), 0u);
  }
  EXPECT_EQ(host.allocations(), allocations);
}

TEST(NodePool, OnlyTheSerialThatLivesInANodeFindsIt) {
  NodePool<Node> pool(HostMemory::standard());
  ASSERT_TRUE(pool.reserve(2));
  const std::uint32_t index = pool.acquire();
  pool[index].number = 7;
  const OffsetHandle handle = pool.handle_of(index);
  EXPECT_EQ(pool.find(handle), index);
  EXPECT_EQ(pool.find(NodePool<Node>::make_handle(index, 8)), kNoNode);
  EXPECT_EQ(pool.find(NodePool<Node>::make_handle(index, 0)), kNoNode);
  EXPECT_EQ(pool.find(NodePool<Node>::make_handle(index + 1, 7)), kNoNode);
  EXPECT_EQ(pool.find(NodePool<Node>::make_handle(64, 7)), kNoNode);
  EXPECT_EQ(pool.find(NodePool<Node>::make_handle(kNoNode, 7)), kNoNode);
  pool.release(index);
  EXPECT_EQ(pool.find(handle), kNoNode);
}

TEST(NodePool, WithoutHostMemoryNoNodeIsLostOrLeaked) {
  for (std::uint64_t refused = 0; refused < 8; ++refused) {
    test::CountingHost host;
    {
      NodePool<Node> pool(host.memory());
      host.fail_at(refused);
      std::uint32_t made = 0;
      int refusals = 0;
      while (made < 1000) {
        if (pool.reserve(1)) {
          ASSERT_EQ(pool.acquire(), made);
          ++made;
        } else {
          ++refusals;
        }
      }
      EXPECT_EQ(refusals, 1) << refused;
      EXPECT_EQ(pool.used_count(), 1000u);
    }
    EXPECT_EQ(host.outstanding(), 0u);
  }
}

}  // namespace
}  // namespace quarry::offset
