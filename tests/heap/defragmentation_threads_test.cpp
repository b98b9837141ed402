// SPDX-License-Identifier: MIT
// Owners allocate, free, map, query and pin while another thread moves what is theirs. Meant for
// ThreadSanitizer as well as for the oracle and the final balance.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include <quarry/defragmentation.hpp>

#include "copy/played_shaders.hpp"
#include "heap/rig.hpp"

namespace quarry::test {
namespace {

constexpr int kThreads = 4;
constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;

int rounds() {
  const char* given = std::getenv("QUARRY_TEST_OPERATIONS");
  return given == nullptr ? 600 : std::atoi(given);
}

struct Thing {
  Buffer buffer;
  VkDeviceSize size = 0;
  std::uint8_t mark = 0;
};

/// One thread's buffers; the mover comes for a moment to tell the new handles.
struct Owner {
  std::mutex mutex;
  std::vector<Thing> things;
};

class Crowd {
 public:
  Crowd(Rig& rig, std::uint64_t seed) : rig_(rig), seed_(seed) {}

  void run() {
    std::vector<std::thread> threads;
    std::atomic<int> running{kThreads};
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([this, i, &running] {
        live(i);
        --running;
      });
    }
    while (running.load() > 0)
      move();
    for (std::thread& thread : threads)
      thread.join();
    // On a busy machine the threads may be over before anything was moved. Half of what is left
    // goes first, so that there is something to move.
    for (Owner& owner : owners_) {
      Random random(seed_);
      for (std::size_t left = owner.things.size() / 2; left > 0; --left)
        destroy(owner, random);
    }
    move();
    for (Owner& owner : owners_) {
      for (const Thing& thing : owner.things) {
        check(thing);
        EXPECT_TRUE(rig_.allocator.destroy(thing.buffer));
      }
    }
  }
  std::uint64_t moves() const { return moves_; }

 private:
  void live(int number) {
    Random random(seed_ + static_cast<std::uint64_t>(number));
    Owner& owner = owners_[number];
    for (int round = 0; round < rounds(); ++round) {
      const std::uint64_t choice = random.below(10);
      if (choice < 3 || owner_size(owner) < 8) {
        create(owner, random);
        continue;
      }
      if (choice < 6) {
        destroy(owner, random);
        continue;
      }
      const Thing thing = any(owner, random);
      if (choice < 8) {
        check(thing);
      } else if (choice < 9) {
        EXPECT_TRUE(rig_.allocator.pin(thing.buffer.allocation));
        EXPECT_TRUE(rig_.allocator.info(thing.buffer.allocation));
        EXPECT_TRUE(rig_.allocator.unpin(thing.buffer.allocation));
      } else {
        EXPECT_TRUE(rig_.allocator.set_name(thing.buffer.allocation, "renamed"));
        EXPECT_TRUE(rig_.allocator.snapshot());
      }
    }
  }
  static Thing any(Owner& owner, Random& random) {
    const std::lock_guard lock(owner.mutex);
    return owner.things[random.index(owner.things.size())];
  }
  static std::size_t owner_size(Owner& owner) {
    const std::lock_guard lock(owner.mutex);
    return owner.things.size();
  }
  void create(Owner& owner, Random& random) {
    Thing thing;
    thing.size = random.between(1, 300) << 10;
    thing.mark = static_cast<std::uint8_t>(random.between(1, 255));
    {
      // What the mover tells of it comes after it is in the list.
      const std::lock_guard lock(owner.mutex);
      const auto made = rig_.allocator.create_buffer(
          fakes::buffer_info(thing.size), {.intent = MemoryIntent::upload, .movable = true});
      ASSERT_TRUE(made);
      thing.buffer = *made;
      owner.things.push_back(thing);
    }
    const std::vector<std::byte> bytes(thing.size, std::byte{thing.mark});
    Status written = rig_.allocator.copy_to(thing.buffer.allocation, 0, bytes);
    while (!written && written.error().reason == Reason::being_moved) {
      std::this_thread::yield();
      written = rig_.allocator.copy_to(thing.buffer.allocation, 0, bytes);
    }
    EXPECT_TRUE(written);
  }
  /// With the lock: the handle is the new one, or the old one of a move that is not complete.
  void destroy(Owner& owner, Random& random) {
    const std::lock_guard lock(owner.mutex);
    const std::size_t index = random.index(owner.things.size());
    EXPECT_TRUE(rig_.allocator.destroy(owner.things[index].buffer));
    owner.things.erase(owner.things.begin() + static_cast<std::ptrdiff_t>(index));
  }
  void check(const Thing& thing) {
    const auto mapped = rig_.allocator.map(thing.buffer.allocation);
    if (!mapped) {
      EXPECT_EQ(mapped.error().reason, Reason::being_moved);
      return;
    }
    const auto* bytes = static_cast<const std::byte*>(*mapped);
    EXPECT_EQ(bytes[0], std::byte{thing.mark});
    EXPECT_EQ(bytes[thing.size - 1], std::byte{thing.mark});
    EXPECT_TRUE(rig_.allocator.unmap(thing.buffer.allocation));
  }

  void move() {
    auto pass = Defragmentation::begin(rig_.allocator, {.host_visible = true});
    ASSERT_TRUE(pass);
    for (int i = 0; i < 20 && !pass->done(); ++i) {
      const DefragmentationStep step{.commands = rig_.gpu.begin_commands(),
                                     .queue_family = 0,
                                     .value = ++value_,
                                     .max_bytes = kMiB,
                                     .max_moves = 8};
      const auto moved = pass->record(step);
      ASSERT_TRUE(moved);
      moves_ += moved->size();
      for (const MovedResource& each : *moved)
        rename(each);
      rig_.gpu.submit(std::span(&step.commands, 1));
      pass->complete(step.value);
    }
  }
  void rename(const MovedResource& moved) {
    for (Owner& owner : owners_) {
      const std::lock_guard lock(owner.mutex);
      for (Thing& thing : owner.things) {
        if (thing.buffer.allocation == moved.allocation) thing.buffer.buffer = moved.new_buffer;
      }
    }
  }

  Rig& rig_;
  const std::uint64_t seed_;
  Owner owners_[kThreads];
  std::uint64_t value_ = 0;
  std::uint64_t moves_ = 0;
};

TEST(DefragmentationThreads, F38OwnersDoAsTheyLikeWhileTheirsIsMoved) {
  for (const std::uint64_t seed : seeds(2)) {
    Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) {
      desc.blocks.first_block = desc.blocks.largest_block = kMiB;
    });
    copy::play_copy_shaders(rig.gpu);
    Crowd crowd(rig, seed);
    crowd.run();
    EXPECT_GT(crowd.moves(), 0u);
  }
}

}  // namespace
}  // namespace quarry::test
