// SPDX-License-Identifier: MIT
// The recorder with many threads and with host memory that ends.
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "observe/trace_bytes.hpp"

namespace quarry::test {
namespace {

TraceEvent allocation(std::uint64_t id) {
  TraceEvent event;
  event.kind = TraceEventKind::allocate;
  event.id = id;
  event.size = 1 + id % 1000;
  return event;
}

TraceEvent free_of(std::uint64_t id) {
  TraceEvent event;
  event.kind = TraceEventKind::free;
  event.id = id;
  return event;
}

TEST(TraceThreads, EveryEventOfEveryThreadIsThereOnce) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kRounds = 2000;
  ByteSink sink;
  {
    auto recorder = TraceRecorder::create(sink.desc());
    ASSERT_TRUE(recorder.has_value());
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::uint64_t i = 0; i < kRounds; ++i) {
          const std::uint64_t id = (thread << 32) | i;
          EXPECT_TRUE(recorder->record(allocation(id)));
          if (i % 2 == 1) {
            EXPECT_TRUE(recorder->record(free_of(id - 1)));
          }
        }
      });
    }
    for (std::thread& thread : threads)
      thread.join();
  }
  const ReadTrace read = read_trace(sink.bytes);
  EXPECT_EQ(read.error, TraceError::none);
  EXPECT_EQ(read.events.size(), kThreads * (kRounds + kRounds / 2));
}

struct Allowance {
  int left = 0;
};

HostMemory limited(Allowance& allowance) {
  static const HostMemory standard = HostMemory::standard();
  HostMemory host;
  host.user = &allowance;
  host.allocate = [](void* user, std::size_t size, std::size_t alignment) noexcept -> void* {
    if (static_cast<Allowance*>(user)->left-- <= 0) return nullptr;
    return standard.allocate(standard.user, size, alignment);
  };
  host.release = [](void*, void* memory) noexcept { standard.release(standard.user, memory); };
  return host;
}

TEST(TraceThreads, WhatHostMemoryDoesNotHoldIsLeftOut) {
  for (int given = 0; given < 20; ++given) {
    Allowance allowance{given};
    ByteSink sink;
    TraceRecorderDesc desc = sink.desc();
    desc.host = limited(allowance);
    std::uint64_t taken = 0;
    {
      auto recorder = TraceRecorder::create(desc);
      if (!recorder) {
        EXPECT_EQ(recorder.error(), TraceError::out_of_host_memory);
        continue;
      }
      for (std::uint64_t id = 0; id < 500; ++id) {
        const TraceStatus status = recorder->record(allocation(id));
        if (status) {
          ++taken;
        } else {
          EXPECT_EQ(status.error(), TraceError::out_of_host_memory);
        }
      }
    }
    const ReadTrace read = read_trace(sink.bytes);
    EXPECT_EQ(read.error, TraceError::none);
    EXPECT_EQ(read.events.size(), taken);

    Allowance reading{given};
    auto reader = TraceReader::create(sink.bytes, limited(reading));
    if (!reader) {
      EXPECT_EQ(reader.error(), TraceError::out_of_host_memory);
      continue;
    }
    TraceEvent event;
    auto more = reader->next(event);
    while (more && *more)
      more = reader->next(event);
    if (!more) {
      EXPECT_EQ(more.error(), TraceError::out_of_host_memory);
    }
  }
}

}  // namespace
}  // namespace quarry::test
