// SPDX-License-Identifier: MIT
#include "bench/trace_file.hpp"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <utility>

namespace quarry::bench {

namespace {

Unexpected<std::string> complaint(const std::string& path, const std::string& what) {
  return Unexpected(path + ": " + what);
}

bool write_to_stream(void* user, std::span<const std::byte> bytes) {
  auto& file = *static_cast<std::ofstream*>(user);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.good();
}

}  // namespace

Expected<Trace, std::string> read_trace_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return complaint(path, "cannot be opened");
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return complaint(path, "cannot be read");
  Trace trace;
  trace.name = path;
  const auto* bytes = reinterpret_cast<const std::byte*>(content.data());
  trace.bytes.assign(bytes, bytes + content.size());
  auto reader = TraceReader::create(trace.bytes);
  if (!reader) return complaint(path, to_string(reader.error()));
  for (TraceEvent event;;) {
    const auto more = reader->next(event);
    if (!more)
      return complaint(path, std::string(to_string(more.error())) + ", at byte " +
                                 std::to_string(reader->offset()));
    if (!*more) return trace;
    trace.events.push_back(event);
  }
}

Expected<void, std::string> write_trace_file(const std::string& path, const Trace& trace) {
  std::ofstream file(path, std::ios::binary);
  if (!file) return complaint(path, "cannot be opened for writing");
  auto recorder = TraceRecorder::create({.write = write_to_stream, .user = &file});
  if (!recorder) return complaint(path, to_string(recorder.error()));
  for (const TraceEvent& event : trace.events) {
    const TraceStatus status = recorder->record(event);
    if (!status) return complaint(path, to_string(status.error()));
  }
  const TraceStatus status = recorder->flush();
  if (!status) return complaint(path, to_string(status.error()));
  file.close();
  if (!file) return complaint(path, "cannot be written");
  return {};
}

}  // namespace quarry::bench
