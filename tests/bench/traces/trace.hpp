// SPDX-License-Identifier: MIT
// A trace in memory, and the builder that generators write it with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <quarry/trace.hpp>

namespace quarry::bench {

struct Trace {
  Trace() = default;
  Trace(Trace&&) = default;
  Trace& operator=(Trace&&) = default;

  std::string name;
  std::vector<TraceEvent> events;    ///< names of tags point to literals, or into `bytes`
  std::uint64_t warm_up_frames = 0;  ///< not counted in means
  std::vector<std::byte> bytes;      ///< of the file it was read from
};

/// What a generator asks for.
struct Wanted {
  VkDeviceSize size = 0;
  VkDeviceSize alignment = 256;
  ResourceKind resource = ResourceKind::linear;
  MemoryIntent intent = MemoryIntent::device;
  Lifetime lifetime = Lifetime::unspecified;
  Tag tag{};
};

class TraceBuilder {
 public:
  /// Frames are as long as told, for what depends on time.
  TraceBuilder(std::string name, std::uint64_t microseconds_per_frame)
      : frame_length_(microseconds_per_frame) {
    trace_.name = std::move(name);
  }

  Tag tag(std::string_view name) {
    TraceEvent event;
    event.kind = TraceEventKind::tag;
    event.tag = {++tags_};
    event.name = name;
    trace_.events.push_back(event);
    return event.tag;
  }

  /// The id.
  std::uint64_t allocate(const Wanted& wanted) {
    TraceEvent event;
    event.kind = TraceEventKind::allocate;
    event.id = ++ids_;
    event.size = wanted.size;
    event.alignment = wanted.alignment;
    event.resource = wanted.resource;
    event.intent = wanted.intent;
    event.lifetime = wanted.lifetime;
    event.tag = wanted.tag;
    trace_.events.push_back(event);
    return event.id;
  }

  void free(std::uint64_t id) {
    TraceEvent event;
    event.kind = TraceEventKind::free;
    event.id = id;
    trace_.events.push_back(event);
  }
  void free_all(std::vector<std::uint64_t>& ids) {
    for (const std::uint64_t id : ids)
      free(id);
    ids.clear();
  }

  void frame() {
    TraceEvent event;
    event.kind = TraceEventKind::frame;
    event.microseconds = time_ += frame_length_;
    trace_.events.push_back(event);
  }

  Trace take(std::uint64_t warm_up_frames) {
    trace_.warm_up_frames = warm_up_frames;
    return std::move(trace_);
  }

 private:
  Trace trace_;
  std::uint64_t frame_length_;
  std::uint64_t time_ = 0;
  std::uint64_t ids_ = 0;
  std::uint32_t tags_ = 0;
};

}  // namespace quarry::bench
