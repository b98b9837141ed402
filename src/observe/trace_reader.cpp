// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include <quarry/trace.hpp>

#include "base/bits.hpp"
#include "base/host_object.hpp"
#include "observe/live_ids.hpp"
#include "observe/trace_format.hpp"

namespace quarry {

const char* to_string(TraceError error) {
  switch (error) {
    case TraceError::none:
      return "none";
    case TraceError::not_a_trace:
      return "the bytes do not begin as a trace does";
    case TraceError::unknown_version:
      return "a version of the format that is not known here";
    case TraceError::truncated:
      return "the trace ends within a record or its heading";
    case TraceError::bad_record:
      return "a record has an impossible value";
    case TraceError::unknown_id:
      return "a free of what is not live";
    case TraceError::id_in_use:
      return "an allocation of what is live";
    case TraceError::bad_argument:
      return "a value that the format cannot hold";
    case TraceError::sink_failed:
      return "the sink refused bytes";
    case TraceError::out_of_host_memory:
      return "out of host memory";
  }
  return "unknown";
}

class TraceReader::State {
 public:
  State(std::span<const std::byte> bytes, const HostMemory& memory) noexcept
      : host(memory), bytes_(bytes), numbers_(memory) {}

  const HostMemory host;

  TraceError begin() {
    const std::size_t present = std::min(bytes_.size(), observe::kTraceMagic.size());
    for (; at_ < present; ++at_) {
      if (bytes_[at_] != std::byte{observe::kTraceMagic[at_]}) return TraceError::not_a_trace;
    }
    std::uint64_t version = 0;
    if (present < observe::kTraceMagic.size()) return TraceError::truncated;
    read(version);
    if (error_ == TraceError::none && version != observe::kTraceVersion)
      return TraceError::unknown_version;
    record_ = at_;
    return error_;
  }

  TraceResult<bool> next(TraceEvent& event) {
    if (error_ == TraceError::none) {
      record_ = at_;
      if (at_ == bytes_.size()) return false;
      event = TraceEvent{};
      read_event(event);
    }
    if (error_ != TraceError::none) return Unexpected(error_);
    return true;
  }

  std::size_t offset() const { return error_ == TraceError::none ? at_ : record_; }

 private:
  void refuse(TraceError error) {
    if (error_ == TraceError::none) error_ = error;
  }

  std::uint8_t byte() {
    if (at_ == bytes_.size()) {
      refuse(TraceError::truncated);
      return 0;
    }
    return std::to_integer<std::uint8_t>(bytes_[at_++]);
  }

  void read(std::uint64_t& number) {
    number = 0;
    for (std::size_t i = 0; i < observe::kLongestNumber; ++i) {
      const std::uint64_t part = byte();
      const std::uint64_t digits = part & 0x7F;
      if (i + 1 == observe::kLongestNumber && digits > 1) break;
      number |= digits << (7 * i);
      if ((part & 0x80) == 0) return;
    }
    refuse(TraceError::bad_record);
  }

  void read32(std::uint32_t& number) {
    std::uint64_t wide = 0;
    read(wide);
    if (wide > 0xFFFF'FFFFu) refuse(TraceError::bad_record);
    number = static_cast<std::uint32_t>(wide);
  }

  void read_event(TraceEvent& event) {
    const std::uint8_t first = byte();
    const auto flags = static_cast<std::uint8_t>(first & ~observe::kKindMask);
    event.kind = static_cast<TraceEventKind>(first & observe::kKindMask);
    if (event.kind == TraceEventKind::allocate) {
      read_allocate(flags, event);
      return;
    }
    if (flags != 0) refuse(TraceError::bad_record);
    switch (event.kind) {
      case TraceEventKind::allocate:
        break;
      case TraceEventKind::free:
        read_free(event);
        break;
      case TraceEventKind::frame:
        read_frame(event);
        break;
      case TraceEventKind::tag:
        read_tag(event);
        break;
    }
  }

  void read_allocate(std::uint8_t flags, TraceEvent& event) {
    if ((flags & observe::kUnusedFlag) != 0) refuse(TraceError::bad_record);
    event = last_;
    std::uint64_t number = 0;
    if ((flags & observe::kAlignmentFollows) != 0) {
      read(number);
      if (number > 63) refuse(TraceError::bad_record);
      event.alignment = VkDeviceSize{1} << (number & 63);
    }
    if ((flags & observe::kTypeBitsFollow) != 0) read32(event.memory_type_bits);
    if ((flags & observe::kTraitsFollow) != 0) {
      read(number);
      if (!observe::unpack_traits(number, event)) refuse(TraceError::bad_record);
    }
    if ((flags & observe::kTagFollows) != 0) read32(event.tag.index);
    read(event.size);
    if ((flags & observe::kSizeInAlignments) != 0) {
      const std::uint32_t shift = base::floor_log2(event.alignment);
      if (event.size > (~VkDeviceSize{0} >> shift)) refuse(TraceError::bad_record);
      event.size <<= shift;
    }
    if (event.size == 0) refuse(TraceError::bad_record);
    if (error_ != TraceError::none) return;
    std::uint32_t slot = 0;
    if (!numbers_.take(slot)) refuse(TraceError::out_of_host_memory);
    event.id = slot;
    last_ = event;
  }

  void read_free(TraceEvent& event) {
    read(event.id);
    if (error_ == TraceError::none && !numbers_.give_back(event.id)) refuse(TraceError::unknown_id);
  }

  void read_frame(TraceEvent& event) {
    std::uint64_t passed = 0;
    read(passed);
    if (!base::checked_add(microseconds_, passed, microseconds_)) refuse(TraceError::bad_record);
    event.microseconds = microseconds_;
  }

  void read_tag(TraceEvent& event) {
    read32(event.tag.index);
    std::uint64_t length = 0;
    read(length);
    if (length > observe::kLongestTagName) refuse(TraceError::bad_record);
    if (length > bytes_.size() - at_) refuse(TraceError::truncated);
    if (error_ != TraceError::none) return;
    const auto size = static_cast<std::size_t>(length);
    event.name = {reinterpret_cast<const char*>(bytes_.data() + at_), size};
    at_ += size;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::size_t record_ = 0;
  TraceError error_ = TraceError::none;
  TraceEvent last_ = first_allocation();
  std::uint64_t microseconds_ = 0;
  observe::SlotNumbers numbers_;

  static TraceEvent first_allocation() {
    TraceEvent event;
    event.kind = TraceEventKind::allocate;
    return event;
  }
};

TraceResult<TraceReader> TraceReader::create(std::span<const std::byte> bytes,
                                             const HostMemory& host) {
  TraceReader reader(base::create_object<State>(host, bytes, host));
  if (reader.state_ == nullptr) return Unexpected(TraceError::out_of_host_memory);
  const TraceError error = reader.state_->begin();
  if (error != TraceError::none) return Unexpected(error);
  return reader;
}

TraceReader::TraceReader(TraceReader&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)) {}

TraceReader& TraceReader::operator=(TraceReader&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

TraceReader::~TraceReader() {
  if (state_ != nullptr) base::destroy_object(state_->host, state_);
}

TraceResult<bool> TraceReader::next(TraceEvent& event) {
  if (state_ == nullptr) return false;
  return state_->next(event);
}

std::size_t TraceReader::offset() const {
  return state_ == nullptr ? 0 : state_->offset();
}

}  // namespace quarry
