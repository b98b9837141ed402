// SPDX-License-Identifier: MIT
// Fuzzes the trace reader: whatever it accepts must be well-formed, and must come back the same
// when it is recorded again. With QUARRY_LIBFUZZER it is a libFuzzer target; otherwise a program of
// its own that damages a trace by a seed, the same way for the same seed: fuzz_trace [--runs N]
// [--seed S]
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/seed.hpp"
#include "observe/trace_bytes.hpp"

namespace quarry::test {
namespace {

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_trace: %s\n", promise);
  std::abort();
}

bool same(const TraceEvent& a, const TraceEvent& b) {
  return a.kind == b.kind && a.resource == b.resource && a.intent == b.intent &&
         a.lifetime == b.lifetime && a.dedicated == b.dedicated &&
         a.memory_type_bits == b.memory_type_bits && a.size == b.size &&
         a.alignment == b.alignment && a.id == b.id && a.tag == b.tag &&
         a.microseconds == b.microseconds && a.name == b.name;
}

void run(std::span<const std::byte> bytes) {
  const ReadTrace read = read_trace(bytes);
  require(read.offset <= bytes.size(), "reading stays within the bytes");
  ByteSink sink;
  {
    auto recorder = TraceRecorder::create(sink.desc());
    require(recorder.has_value(), "a recorder can be made");
    for (const TraceEvent& event : read.events)
      require(recorder->record(event).has_value(), "what was read can be recorded");
  }
  const ReadTrace again = read_trace(sink.bytes);
  require(again.error == TraceError::none, "what was recorded can be read");
  require(again.events.size() == read.events.size(), "no event is lost");
  for (std::size_t i = 0; i < read.events.size(); ++i)
    require(same(again.events[i], read.events[i]), "every event comes back");
}

[[maybe_unused]] std::vector<std::byte> random_bytes(Random& random) {
  std::vector<std::byte> bytes = to_bytes({});
  const std::uint64_t length = random.below(200);
  for (std::uint64_t i = 0; i < length; ++i) {
    const std::uint64_t value = random.one_in(3) ? random.below(256) : random.below(20);
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

[[maybe_unused]] std::vector<std::byte> random_trace(Random& random) {
  ByteSink sink;
  auto recorder = TraceRecorder::create(sink.desc());
  const std::uint64_t length = random.below(200);
  for (std::uint64_t i = 0; i < length; ++i) {
    TraceEvent event;
    event.kind = static_cast<TraceEventKind>(random.below(4));
    event.id = random.below(16);
    event.size = random.any_magnitude(64);
    event.alignment = std::uint64_t{1} << random.below(20);
    event.intent = static_cast<MemoryIntent>(random.below(6));
    event.tag = {static_cast<std::uint32_t>(random.below(3))};
    event.microseconds = i * random.below(1000);
    (void)recorder->record(event);  // many are refused: an id in use, time that runs backward
  }
  (void)recorder->flush();
  return std::move(sink.bytes);
}

[[maybe_unused]] std::vector<std::byte> make_bytes(std::uint64_t seed) {
  Random random(seed);
  std::vector<std::byte> bytes = random.one_in(2) ? random_bytes(random) : random_trace(random);
  for (std::uint64_t i = random.below(4); i > 0; --i)
    bytes[random.index(bytes.size())] = static_cast<std::byte>(random.below(256));
  return bytes;
}

}  // namespace
}  // namespace quarry::test

#ifdef QUARRY_LIBFUZZER
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quarry::test::run({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
#else
int main(int argc, char** argv) {
  std::uint64_t runs = 1000;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--runs") == 0) runs = std::strtoull(argv[i + 1], nullptr, 0);
    if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoull(argv[i + 1], nullptr, 0);
  }
  for (std::uint64_t i = 0; i < runs; ++i)
    quarry::test::run(quarry::test::make_bytes(seed + i));
  std::printf("fuzz_trace: %llu runs from seed %llu\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(seed));
  return 0;
}
#endif
