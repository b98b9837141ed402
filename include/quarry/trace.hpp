// SPDX-License-Identifier: MIT
// Traces: what a program asked of the allocator and when it gave it back, in a compact file that
// can be replayed. The program tells the recorder beside its own calls; the allocator knows nothing
// of it. docs/traces.md has the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>
#include <quarry/expected.hpp>
#include <quarry/host_memory.hpp>

namespace quarry {

enum class TraceError : std::uint8_t {
  none,
  not_a_trace,         ///< the bytes do not begin as a trace does
  unknown_version,     ///< written by a later version of the format
  truncated,           ///< the bytes end within a record or the heading
  bad_record,          ///< a record has an impossible value
  unknown_id,          ///< free of what is not live
  id_in_use,           ///< allocation of what is live (recorder)
  bad_argument,        ///< a value the format cannot hold (recorder)
  sink_failed,         ///< the sink refused bytes; everything after is refused too (recorder)
  out_of_host_memory,  ///< bookkeeping could not be allocated
};

const char* to_string(TraceError error);

template <class T>
using TraceResult = Expected<T, TraceError>;
using TraceStatus = Expected<void, TraceError>;

enum class TraceEventKind : std::uint8_t {
  allocate,
  free,
  frame,  ///< a frame of the program, or a step of whatever it does, is done
  tag,    ///< tells the name of a tag
};

/// One event. Members that its kind does not name keep their defaults.
struct TraceEvent {
  TraceEventKind kind = TraceEventKind::frame;

  // allocate
  ResourceKind resource = ResourceKind::unknown;
  MemoryIntent intent = MemoryIntent::device;
  Lifetime lifetime = Lifetime::unspecified;
  Dedicated dedicated = Dedicated::automatic;
  std::uint32_t memory_type_bits = ~0u;
  VkDeviceSize size = 0;       ///< bytes, > 0
  VkDeviceSize alignment = 1;  ///< bytes, a power of two
  // allocate and free
  std::uint64_t id = 0;  ///< names a live allocation; may be used again after its free
  // allocate and tag
  Tag tag{};
  // frame
  std::uint64_t microseconds = 0;  ///< since recording began; never decreases
  // tag
  std::string_view name{};  ///< at most 65,535 bytes; from a reader, points into its bytes
};

struct TraceRecorderDesc {
  /// Takes the next bytes of the trace, some thousand at a time; false when it cannot. Called with
  /// the recorder's lock held: it must not call the recorder.
  bool (*write)(void* user, std::span<const std::byte> bytes) = nullptr;
  void* user = nullptr;
  HostMemory host = HostMemory::standard();  ///< 40 to 70 bytes for each live allocation
};

/// Writes a trace. Every member function may be called from any thread; events stand in the order
/// in which the recorder saw them, so a program that frees on another thread must tell of the
/// allocation before it hands it over. An event that is refused is left out; the trace stays whole.
class TraceRecorder {
 public:
  /// bad_argument without a sink.
  static TraceResult<TraceRecorder> create(const TraceRecorderDesc& desc);

  TraceRecorder() = default;
  TraceRecorder(TraceRecorder&& other) noexcept;
  TraceRecorder& operator=(TraceRecorder&& other) noexcept;
  TraceRecorder(const TraceRecorder&) = delete;
  TraceRecorder& operator=(const TraceRecorder&) = delete;
  ~TraceRecorder();  ///< flushes; must not run beside other calls
  explicit operator bool() const { return state_ != nullptr; }

  /// Any event; ids are the caller's own.
  TraceStatus record(const TraceEvent& event);
  /// After Allocator::allocate or create_buffer, create_image, with what was asked.
  TraceStatus allocated(Allocation allocation, const VkMemoryRequirements& requirements,
                        ResourceKind kind, const AllocationDesc& desc = {});
  /// Before Allocator::free or destroy.
  TraceStatus freed(Allocation allocation);
  TraceStatus frame(std::uint64_t microseconds);
  TraceStatus name_tag(Tag tag, std::string_view name);
  /// Hands everything to the sink.
  TraceStatus flush();

 private:
  class State;
  explicit TraceRecorder(State* state) : state_(state) {}
  State* state_ = nullptr;
};

/// Reads a trace from memory, whatever the bytes are: what it returns is well-formed (sizes above
/// 0, alignments powers of two, frees of what is live). Not thread-safe.
class TraceReader {
 public:
  /// not_a_trace, unknown_version, truncated. `bytes` must outlive the reader.
  static TraceResult<TraceReader> create(std::span<const std::byte> bytes,
                                         const HostMemory& host = HostMemory::standard());

  TraceReader() = default;
  TraceReader(TraceReader&& other) noexcept;
  TraceReader& operator=(TraceReader&& other) noexcept;
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;
  ~TraceReader();

  /// The next event; false at the end of the trace. Ids are numbered from 0 and stay below the
  /// highest number of allocations that were live at once. After an error the same error again.
  TraceResult<bool> next(TraceEvent& event);
  /// Bytes read: after an error, where the record at fault begins.
  std::size_t offset() const;

 private:
  class State;
  explicit TraceReader(State* state) : state_(state) {}
  State* state_ = nullptr;
};

}  // namespace quarry
