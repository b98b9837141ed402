// SPDX-License-Identifier: MIT
#include <string>
#include <unordered_map>

#include <gtest/gtest.h>

#include "base/seed.hpp"
#include "observe/trace_bytes.hpp"

namespace quarry::test {
namespace {

TraceEvent allocation(std::uint64_t id, VkDeviceSize size, VkDeviceSize alignment = 256) {
  TraceEvent event;
  event.kind = TraceEventKind::allocate;
  event.id = id;
  event.size = size;
  event.alignment = alignment;
  return event;
}

TraceEvent free_of(std::uint64_t id) {
  TraceEvent event;
  event.kind = TraceEventKind::free;
  event.id = id;
  return event;
}

TraceError error_of(const TraceStatus& status) {
  return status ? TraceError::none : status.error();
}

TraceRecorder make_recorder(const TraceRecorderDesc& desc) {
  auto recorder = TraceRecorder::create(desc);
  EXPECT_TRUE(recorder.has_value());
  return std::move(*recorder);
}

TraceEvent random_allocation(Random& random, std::uint64_t id) {
  TraceEvent event = allocation(id, random.any_magnitude(48), std::uint64_t{1} << random.below(24));
  if (random.one_in(3)) event.size = random.any_magnitude(24) * event.alignment;
  if (random.one_in(2))
    event.memory_type_bits = static_cast<std::uint32_t>(random.any_magnitude(32));
  event.resource = static_cast<ResourceKind>(random.below(3));
  event.intent = static_cast<MemoryIntent>(random.below(6));
  event.lifetime = static_cast<Lifetime>(random.below(3));
  event.dedicated = static_cast<Dedicated>(random.below(3));
  event.tag = {static_cast<std::uint32_t>(random.below(4))};
  return event;
}

void expect_same(const TraceEvent& read, const TraceEvent& written) {
  ASSERT_EQ(read.kind, written.kind);
  EXPECT_EQ(read.size, written.size);
  EXPECT_EQ(read.alignment, written.alignment);
  EXPECT_EQ(read.memory_type_bits, written.memory_type_bits);
  EXPECT_EQ(read.resource, written.resource);
  EXPECT_EQ(read.intent, written.intent);
  EXPECT_EQ(read.lifetime, written.lifetime);
  EXPECT_EQ(read.dedicated, written.dedicated);
  EXPECT_EQ(read.tag, written.tag);
  EXPECT_EQ(read.microseconds, written.microseconds);
  EXPECT_EQ(read.name, written.name);
}

TEST(Trace, AnyEventsComeBackAsTheyWereWritten) {
  for (const std::uint64_t seed : seeds(20)) {
    Random random(seed);
    ByteSink sink;
    std::vector<TraceEvent> written;
    {
      TraceRecorder recorder = make_recorder(sink.desc());
      std::vector<std::uint64_t> live;
      std::uint64_t time = 0;
      for (int i = 0; i < 2000; ++i) {
        TraceEvent event;
        const std::uint64_t what = random.below(10);
        if (what < 5 || live.empty()) {
          // Ids as an allocator makes them: a number in use and the times it was used.
          event = random_allocation(random, (std::uint64_t(i) << 28) | random.below(1 << 28));
          live.push_back(event.id);
        } else if (what < 8) {
          std::uint64_t& freed = live[random.index(live.size())];
          event = free_of(freed);
          freed = live.back();
          live.pop_back();
        } else if (what < 9) {
          event.microseconds = time += random.any_magnitude(20);
        } else {
          event.kind = TraceEventKind::tag;
          event.tag = {static_cast<std::uint32_t>(random.below(1000))};
          event.name = std::string_view("a name of a tag").substr(random.index(15));
        }
        ASSERT_EQ(error_of(recorder.record(event)), TraceError::none);
        written.push_back(event);
      }
    }
    const ReadTrace read = read_trace(sink.bytes);
    ASSERT_EQ(read.error, TraceError::none);
    ASSERT_EQ(read.events.size(), written.size());
    std::unordered_map<std::uint64_t, std::uint64_t> ids;  // read, written
    for (std::size_t i = 0; i < written.size(); ++i) {
      expect_same(read.events[i], written[i]);
      if (written[i].kind == TraceEventKind::allocate) {
        EXPECT_FALSE(ids.contains(read.events[i].id)) << "two live ones with the same id";
        ids[read.events[i].id] = written[i].id;
      } else if (written[i].kind == TraceEventKind::free) {
        EXPECT_EQ(ids[read.events[i].id], written[i].id);
        ids.erase(read.events[i].id);
      }
    }
  }
}

TEST(Trace, APairOfAUsualBufferTakesFewBytes) {
  ByteSink sink;
  {
    TraceRecorder recorder = make_recorder(sink.desc());
    for (std::uint64_t i = 0; i < 1000; ++i) {
      ASSERT_TRUE(recorder.record(allocation(i << 28, 4096)));
      ASSERT_TRUE(recorder.record(free_of(i << 28)));
    }
  }
  EXPECT_LE(sink.bytes.size(), 1000 * 5 + 32u);
}

TEST(Trace, RecorderTakesWhatTheAllocatorWasAsked) {
  ByteSink sink;
  {
    TraceRecorder recorder = make_recorder(sink.desc());
    const AllocationDesc desc{.intent = MemoryIntent::upload,
                              .lifetime = Lifetime::short_lived,
                              .memory_type_bits = 0x6,
                              .minimum_alignment = 512,
                              .tag = {3}};
    ASSERT_TRUE(recorder.name_tag({3}, "staging"));
    ASSERT_TRUE(recorder.allocated({77}, {1000, 256, 0xC}, ResourceKind::linear, desc));
    ASSERT_TRUE(recorder.frame(20));
    ASSERT_TRUE(recorder.freed({77}));
  }
  const ReadTrace read = read_trace(sink.bytes);
  ASSERT_EQ(read.error, TraceError::none);
  ASSERT_EQ(read.events.size(), 4u);
  EXPECT_EQ(read.events[0].name, "staging");
  const TraceEvent& event = read.events[1];
  EXPECT_EQ(event.size, 1000u);
  EXPECT_EQ(event.alignment, 512u);
  EXPECT_EQ(event.memory_type_bits, 0x4u);
  EXPECT_EQ(event.intent, MemoryIntent::upload);
  EXPECT_EQ(event.lifetime, Lifetime::short_lived);
  EXPECT_EQ(event.tag, Tag{3});
  EXPECT_EQ(read.events[2].microseconds, 20u);
  EXPECT_EQ(read.events[3].id, event.id);
}

TEST(Trace, RecorderLeavesOutWhatIsWrong) {
  ByteSink sink;
  TraceRecorder recorder = make_recorder(sink.desc());
  ASSERT_TRUE(recorder.record(allocation(1, 16)));
  EXPECT_EQ(error_of(recorder.record(allocation(1, 16))), TraceError::id_in_use);
  EXPECT_EQ(error_of(recorder.record(allocation(2, 0))), TraceError::bad_argument);
  EXPECT_EQ(error_of(recorder.record(allocation(2, 16, 48))), TraceError::bad_argument);
  EXPECT_EQ(error_of(recorder.record(free_of(2))), TraceError::unknown_id);
  TraceEvent strange = allocation(2, 16);
  strange.intent = static_cast<MemoryIntent>(7);
  EXPECT_EQ(error_of(recorder.record(strange)), TraceError::bad_argument);
  EXPECT_EQ(error_of(recorder.name_tag({1}, std::string(65'536, 'x'))), TraceError::bad_argument);
  ASSERT_TRUE(recorder.frame(5));
  EXPECT_EQ(error_of(recorder.frame(4)), TraceError::bad_argument);
  ASSERT_TRUE(recorder.flush());
  const ReadTrace read = read_trace(sink.bytes);
  EXPECT_EQ(read.error, TraceError::none);
  EXPECT_EQ(read.events.size(), 2u);
}

TEST(Trace, RecorderStopsWhenTheSinkDoes) {
  EXPECT_EQ(TraceRecorder::create({}).error(), TraceError::bad_argument);
  ByteSink sink;
  TraceRecorder recorder = make_recorder(sink.desc());
  ASSERT_TRUE(recorder.record(allocation(1, 16)));
  sink.refuses = true;
  EXPECT_EQ(error_of(recorder.flush()), TraceError::sink_failed);
  sink.refuses = false;
  EXPECT_EQ(error_of(recorder.record(allocation(2, 16))), TraceError::sink_failed);
  EXPECT_TRUE(sink.bytes.empty());
}

TEST(Trace, EveryShorteningIsFoundOrEndsBetweenRecords) {
  ByteSink sink;
  {
    TraceRecorder recorder = make_recorder(sink.desc());
    ASSERT_TRUE(recorder.name_tag({1}, "name"));
    ASSERT_TRUE(recorder.record(allocation(1, 123'456'789)));
    ASSERT_TRUE(recorder.frame(1'000'000));
    ASSERT_TRUE(recorder.record(free_of(1)));
  }
  std::size_t whole = 0;
  for (std::size_t length = 0; length < sink.bytes.size(); ++length) {
    const ReadTrace read = read_trace(std::span(sink.bytes).first(length));
    if (read.error == TraceError::none) {
      EXPECT_EQ(read.offset, length);
      ++whole;
    } else {
      EXPECT_EQ(read.error, TraceError::truncated) << length;
    }
  }
  EXPECT_EQ(whole, 4u) << "after the heading and after each record but the last";
}

TEST(Trace, ReaderNamesWhatIsWrong) {
  const auto error = [](const std::vector<int>& values) {
    return read_trace(to_bytes(values)).error;
  };
  EXPECT_EQ(error({}), TraceError::none);
  EXPECT_EQ(error({0x01, 0x00}), TraceError::unknown_id);
  EXPECT_EQ(error({0x00, 0x10, 0x01, 0x00, 0x01, 0x00}), TraceError::unknown_id);
  EXPECT_EQ(error({0x00, 0x00}), TraceError::bad_record) << "size 0";
  EXPECT_EQ(error({0x80, 0x10}), TraceError::bad_record) << "a flag without meaning";
  EXPECT_EQ(error({0x05, 0x00}), TraceError::bad_record) << "a free with flags";
  EXPECT_EQ(error({0x04, 64, 0x10}), TraceError::bad_record) << "alignment 2^64";
  EXPECT_EQ(error({0x44, 63, 0x02}), TraceError::bad_record) << "size 2^64";
  EXPECT_EQ(error({0x10, 0x03, 0x10}), TraceError::bad_record) << "resource kind 3";
  EXPECT_EQ(error({0x02, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2}), TraceError::bad_record)
      << "a number above 64 bits";
  EXPECT_EQ(error({0x03, 0x01, 0x05, 'a'}), TraceError::truncated);
  EXPECT_EQ(read_trace(to_bytes({0x00, 0x10, 0x01, 0x05})).offset, 11u)
      << "where the record begins";

  std::vector<std::byte> bytes = to_bytes({});
  bytes[8] = std::byte{2};
  EXPECT_EQ(read_trace(bytes).error, TraceError::unknown_version);
  bytes[0] = std::byte{'q'};
  EXPECT_EQ(read_trace(bytes).error, TraceError::not_a_trace);
}

TEST(Trace, ReaderSurvivesAnyBytes) {
  for (const std::uint64_t seed : seeds(200)) {
    Random random(seed);
    std::vector<std::byte> bytes = to_bytes({});
    for (int i = 0; i < 400; ++i) {
      // Half of them small, so that flags and numbers often make sense.
      const std::uint64_t value = random.one_in(2) ? random.below(8) : random.below(256);
      bytes.push_back(static_cast<std::byte>(value));
    }
    std::uint64_t live = 0;
    for (const TraceEvent& event : read_trace(bytes).events) {
      if (event.kind == TraceEventKind::allocate) {
        EXPECT_GT(event.size, 0u);
        EXPECT_EQ(event.alignment & (event.alignment - 1), 0u);
        ++live;
      }
      if (event.kind == TraceEventKind::free) {
        ASSERT_GT(live, 0u);
        --live;
      }
    }
  }
}

TEST(Trace, DamagedTracesAreReadToTheEndOrRefused) {
  ByteSink sink;
  Random source(1);
  {
    TraceRecorder recorder = make_recorder(sink.desc());
    for (std::uint64_t i = 0; i < 300; ++i) {
      ASSERT_TRUE(recorder.record(random_allocation(source, i)));
      if (i % 3 == 2) {
        ASSERT_TRUE(recorder.record(free_of(i - 1)));
      }
    }
  }
  for (const std::uint64_t seed : seeds(200)) {
    Random random(seed);
    std::vector<std::byte> bytes = sink.bytes;
    for (int i = 0; i < 3; ++i)
      bytes[random.index(bytes.size())] = static_cast<std::byte>(random.below(256));
    const ReadTrace read = read_trace(bytes);
    EXPECT_LE(read.offset, bytes.size());
    EXPECT_LE(read.events.size(), bytes.size());
    if (read.error == TraceError::none) {
      EXPECT_EQ(read.offset, bytes.size());
    }
  }
}

TEST(Trace, ErrorsHaveTexts) {
  for (int i = 0; i <= static_cast<int>(TraceError::out_of_host_memory); ++i)
    EXPECT_STRNE(to_string(static_cast<TraceError>(i)), "unknown");
}

}  // namespace
}  // namespace quarry::test
