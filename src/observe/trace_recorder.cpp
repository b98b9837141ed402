// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <quarry/trace.hpp>

#include "base/bits.hpp"
#include "base/host_object.hpp"
#include "base/mutex.hpp"
#include "observe/live_ids.hpp"
#include "observe/trace_format.hpp"

namespace quarry {

class TraceRecorder::State {
 public:
  explicit State(const TraceRecorderDesc& desc) noexcept
      : host(desc.host), write_(desc.write), user_(desc.user), live_(desc.host) {}

  const HostMemory host;
  /// Held over the sink, which must not call back; nothing else is called under it.
  base::Mutex mutex;

  void begin() QUARRY_REQUIRES(mutex) {
    for (const std::uint8_t byte : observe::kTraceMagic)
      put_byte(byte);
    put(observe::kTraceVersion);
  }

  TraceStatus record(const TraceEvent& event) QUARRY_REQUIRES(mutex) {
    const TraceError error = write_event(event);
    if (error != TraceError::none) return Unexpected(error);
    if (failed_) return Unexpected(TraceError::sink_failed);
    return {};
  }

  TraceStatus flush() QUARRY_REQUIRES(mutex) {
    if (used_ != 0 && !failed_)
      failed_ = !write_(user_, std::span<const std::byte>(buffer_).first(used_));
    used_ = 0;
    if (failed_) return Unexpected(TraceError::sink_failed);
    return {};
  }

 private:
  TraceError write_event(const TraceEvent& event) QUARRY_REQUIRES(mutex) {
    if (failed_) return TraceError::sink_failed;
    switch (event.kind) {
      case TraceEventKind::allocate:
        return write_allocate(event);
      case TraceEventKind::free:
        return write_free(event.id);
      case TraceEventKind::frame:
        return write_frame(event.microseconds);
      case TraceEventKind::tag:
        return write_tag(event);
    }
    return TraceError::bad_argument;
  }

  TraceError write_allocate(const TraceEvent& event) QUARRY_REQUIRES(mutex) {
    const bool possible = event.size != 0 && base::is_power_of_two(event.alignment) &&
                          observe::traits_are_known(event);
    if (!possible) return TraceError::bad_argument;
    if (live_.contains(event.id)) return TraceError::id_in_use;
    if (!live_.add(event.id)) return TraceError::out_of_host_memory;
    const bool in_alignments = base::is_aligned(event.size, event.alignment);
    const std::uint64_t traits = observe::pack_traits(event);
    const auto flag = [](bool set, std::uint8_t bit) { return set ? bit : std::uint8_t{0}; };
    put_byte(static_cast<std::uint8_t>(
        static_cast<std::uint8_t>(TraceEventKind::allocate) |
        flag(event.alignment != last_.alignment, observe::kAlignmentFollows) |
        flag(event.memory_type_bits != last_.memory_type_bits, observe::kTypeBitsFollow) |
        flag(traits != observe::pack_traits(last_), observe::kTraitsFollow) |
        flag(event.tag != last_.tag, observe::kTagFollows) |
        flag(in_alignments, observe::kSizeInAlignments)));
    const std::uint32_t shift = base::floor_log2(event.alignment);
    if (event.alignment != last_.alignment) put(shift);
    if (event.memory_type_bits != last_.memory_type_bits) put(event.memory_type_bits);
    if (traits != observe::pack_traits(last_)) put(traits);
    if (event.tag != last_.tag) put(event.tag.index);
    put(in_alignments ? event.size >> shift : event.size);
    last_ = event;
    return TraceError::none;
  }

  TraceError write_free(std::uint64_t id) QUARRY_REQUIRES(mutex) {
    if (!live_.contains(id)) return TraceError::unknown_id;
    put_byte(static_cast<std::uint8_t>(TraceEventKind::free));
    put(live_.remove(id));
    return TraceError::none;
  }

  TraceError write_frame(std::uint64_t microseconds) QUARRY_REQUIRES(mutex) {
    if (microseconds < last_microseconds_) return TraceError::bad_argument;
    put_byte(static_cast<std::uint8_t>(TraceEventKind::frame));
    put(microseconds - last_microseconds_);
    last_microseconds_ = microseconds;
    return TraceError::none;
  }

  TraceError write_tag(const TraceEvent& event) QUARRY_REQUIRES(mutex) {
    if (event.name.size() > observe::kLongestTagName) return TraceError::bad_argument;
    put_byte(static_cast<std::uint8_t>(TraceEventKind::tag));
    put(event.tag.index);
    put(event.name.size());
    for (const char character : event.name)
      put_byte(static_cast<std::uint8_t>(character));
    return TraceError::none;
  }

  void put_byte(std::uint8_t byte) QUARRY_REQUIRES(mutex) {
    if (used_ == buffer_.size()) (void)flush();
    buffer_[used_++] = std::byte{byte};
  }

  void put(std::uint64_t number) QUARRY_REQUIRES(mutex) {
    for (; number >= 0x80; number >>= 7)
      put_byte(static_cast<std::uint8_t>(number | 0x80));
    put_byte(static_cast<std::uint8_t>(number));
  }

  bool (*const write_)(void* user, std::span<const std::byte> bytes);
  void* const user_;
  observe::LiveIds live_ QUARRY_GUARDED_BY(mutex);
  TraceEvent last_ QUARRY_GUARDED_BY(mutex);  ///< allocation
  std::uint64_t last_microseconds_ QUARRY_GUARDED_BY(mutex) = 0;
  bool failed_ QUARRY_GUARDED_BY(mutex) = false;
  std::size_t used_ QUARRY_GUARDED_BY(mutex) = 0;
  std::array<std::byte, 4096> buffer_ QUARRY_GUARDED_BY(mutex);
};

TraceResult<TraceRecorder> TraceRecorder::create(const TraceRecorderDesc& desc) {
  if (desc.write == nullptr) return Unexpected(TraceError::bad_argument);
  State* state = base::create_object<State>(desc.host, desc);
  if (state == nullptr) return Unexpected(TraceError::out_of_host_memory);
  const base::MutexLock lock(state->mutex);
  state->begin();
  return TraceRecorder(state);
}

TraceRecorder::TraceRecorder(TraceRecorder&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)) {}

TraceRecorder& TraceRecorder::operator=(TraceRecorder&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

TraceRecorder::~TraceRecorder() {
  if (state_ == nullptr) return;
  (void)flush();
  base::destroy_object(state_->host, state_);
}

TraceStatus TraceRecorder::record(const TraceEvent& event) {
  if (state_ == nullptr) return Unexpected(TraceError::bad_argument);
  const base::MutexLock lock(state_->mutex);
  return state_->record(event);
}

TraceStatus TraceRecorder::allocated(Allocation allocation,
                                     const VkMemoryRequirements& requirements, ResourceKind kind,
                                     const AllocationDesc& desc) {
  TraceEvent event;
  event.kind = TraceEventKind::allocate;
  event.resource = kind;
  event.intent = desc.intent;
  event.lifetime = desc.lifetime;
  event.dedicated = desc.dedicated;
  event.memory_type_bits = requirements.memoryTypeBits & desc.memory_type_bits;
  event.size = requirements.size;
  event.alignment = std::max(requirements.alignment, desc.minimum_alignment);
  event.id = allocation.value;
  event.tag = desc.tag;
  return record(event);
}

TraceStatus TraceRecorder::freed(Allocation allocation) {
  TraceEvent event;
  event.kind = TraceEventKind::free;
  event.id = allocation.value;
  return record(event);
}

TraceStatus TraceRecorder::frame(std::uint64_t microseconds) {
  TraceEvent event;
  event.kind = TraceEventKind::frame;
  event.microseconds = microseconds;
  return record(event);
}

TraceStatus TraceRecorder::name_tag(Tag tag, std::string_view name) {
  TraceEvent event;
  event.kind = TraceEventKind::tag;
  event.tag = tag;
  event.name = name;
  return record(event);
}

TraceStatus TraceRecorder::flush() {
  if (state_ == nullptr) return Unexpected(TraceError::bad_argument);
  const base::MutexLock lock(state_->mutex);
  return state_->flush();
}

}  // namespace quarry
