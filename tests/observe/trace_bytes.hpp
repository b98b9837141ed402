// SPDX-License-Identifier: MIT
// A sink that keeps the bytes, and everything that a reader makes of bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <quarry/trace.hpp>

namespace quarry::test {

struct ByteSink {
  std::vector<std::byte> bytes;
  bool refuses = false;

  static bool write(void* user, std::span<const std::byte> bytes) {
    auto& sink = *static_cast<ByteSink*>(user);
    if (sink.refuses) return false;
    sink.bytes.insert(sink.bytes.end(), bytes.begin(), bytes.end());
    return true;
  }
  TraceRecorderDesc desc() { return {.write = &ByteSink::write, .user = this}; }
};

struct ReadTrace {
  std::vector<TraceEvent> events;
  TraceError error = TraceError::none;
  std::size_t offset = 0;  ///< where reading ended
};

inline ReadTrace read_trace(std::span<const std::byte> bytes) {
  ReadTrace result;
  auto reader = TraceReader::create(bytes);
  if (!reader) {
    result.error = reader.error();
    return result;
  }
  for (TraceEvent event;;) {
    const auto more = reader->next(event);
    result.offset = reader->offset();
    if (!more) result.error = more.error();
    if (!more || !*more) return result;
    result.events.push_back(event);
  }
}

inline std::vector<std::byte> to_bytes(const std::vector<int>& values) {
  std::vector<std::byte> bytes;
  for (const char letter : std::string("QRYTRACE"))
    bytes.push_back(static_cast<std::byte>(letter));
  bytes.push_back(std::byte{1});
  for (const int value : values)
    bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

}  // namespace quarry::test
