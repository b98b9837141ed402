// SPDX-License-Identifier: MIT
// What the offset algorithms (tlsf.hpp, linear.hpp, buddy.hpp) share: integers in, offsets out, no
// Vulkan.
#pragma once

#include <cstdint>

#include <quarry/expected.hpp>
#include <quarry/host_memory.hpp>

namespace quarry {

/// Why an offset algorithm refused. Nothing changed when it did.
enum class OffsetError : std::uint8_t {
  none,
  invalid_argument,  ///< size 0, an alignment that is no power of two, or growing downwards
  out_of_space,      ///< no free range satisfies size and alignment (within the algorithm's search
                     ///< bound)
  too_many_allocations,  ///< the exact count limit is reached
  out_of_host_memory,    ///< metadata could not be allocated, or there are 2^31 ranges
  stale_handle,          ///< the handle was freed already, or names nothing that lives here
  unsupported,  ///< this algorithm cannot do that (for instance the upper end of a buddy allocator)
};

const char* to_string(OffsetError error);

/// Names one live range of one object. Never zero; carries the serial number of its allocation (32
/// bits), so that a stale one is found out until that object has made 2^32 more. Handles of
/// different objects are not told apart.
struct OffsetHandle {
  std::uint64_t value = 0;
  friend bool operator==(const OffsetHandle&, const OffsetHandle&) = default;
};

/// Where in the free space a request would like to go.
enum class OffsetStrategy : std::uint8_t {
  balanced,    ///< the algorithm's own compromise
  min_time,    ///< first range found
  min_memory,  ///< tightest range within the search bound
  min_offset,  ///< lowest address; time linear in the number of free ranges, for defragmentation
               ///< and tests
};

struct OffsetRequest {
  std::uint64_t size = 0;       ///< bytes, > 0
  std::uint64_t alignment = 1;  ///< bytes, a power of two
  std::uint64_t user = 0;       ///< returned by for_each_range and info
  OffsetStrategy strategy = OffsetStrategy::balanced;
  bool upper = false;  ///< from the upper end (double stack); others answer unsupported
};

struct OffsetAllocation {
  std::uint64_t offset = 0;
  OffsetHandle handle{};
};

/// One range of the managed space, free or used; ranges are reported in ascending offset and cover
/// it without gaps.
struct OffsetRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  OffsetHandle handle{};   ///< zero for a free range
  std::uint64_t user = 0;  ///< as given in the request
};

struct OffsetStatistics {
  std::uint64_t size = 0;  ///< bytes managed
  std::uint64_t free_bytes = 0;
  std::uint64_t largest_free = 0;  ///< bytes of the largest contiguous free range
  std::uint64_t allocation_count = 0;
  std::uint64_t free_range_count = 0;
};

/// Called once a range with the pointer given beside it. A plain function pointer keeps this header
/// light.
using OffsetRangeVisitor = void (*)(void* context, const OffsetRange& range);

template <class T>
using OffsetResult = Expected<T, OffsetError>;

/// What Tlsf, Linear and Buddy have in common: a space [0, size) out of which ranges are cut. State
/// is the bookkeeping of the algorithm, made in host memory by the first allocation.
///
/// Movable, not copyable, not thread-safe. The constructors allocate no host memory. An object
/// moved from manages 0 bytes.
template <class State>
class OffsetSpace {
 public:
  OffsetSpace(const OffsetSpace&) = delete;
  OffsetSpace& operator=(const OffsetSpace&) = delete;

  OffsetResult<OffsetAllocation> allocate(const OffsetRequest& request);
  /// stale_handle when nothing lives there.
  OffsetError free(OffsetHandle handle);
  /// The live range behind a handle, or stale_handle. O(1).
  OffsetResult<OffsetRange> info(OffsetHandle handle) const;
  OffsetError set_user(OffsetHandle handle, std::uint64_t user);
  /// Adds free space at the end. invalid_argument when new_size is below size().
  OffsetError grow(std::uint64_t new_size);
  /// Frees everything and gives the host memory back. Old handles stay stale.
  void clear();

  std::uint64_t size() const { return size_; }
  std::uint64_t free_bytes() const { return free_bytes_; }
  std::uint32_t allocation_count() const { return allocation_count_; }
  bool empty() const { return allocation_count_ == 0; }

  /// Linear in the number of free ranges, of a Linear in the number of live ones.
  OffsetStatistics statistics() const;
  /// Ascending, without gaps. Linear. The visitor must not change this object.
  void for_each_range(OffsetRangeVisitor visitor, void* context) const;
  /// Walks all of the bookkeeping and tells whether it is consistent. Linear; for tests.
  bool validate() const;

 protected:
  OffsetSpace(std::uint64_t size, std::uint32_t max_allocations, const HostMemory& host);
  OffsetSpace(OffsetSpace&& other) noexcept;
  OffsetSpace& operator=(OffsetSpace&& other) noexcept;
  ~OffsetSpace();

  const State* state() const { return state_; }  ///< null before the first allocation
  // allocate() and free(), for callers inside the library that have the definitions.
  [[gnu::always_inline]] inline OffsetResult<OffsetAllocation> place(const OffsetRequest& request);
  [[gnu::always_inline]] inline OffsetError remove(OffsetHandle handle);
  // allocate() at an exact offset, of a State that has find_at().
  template <class S = State>
  OffsetResult<OffsetAllocation> place_at(const OffsetRequest& request, std::uint64_t offset,
                                          OffsetHandle before);

 private:
  [[gnu::always_inline]] inline OffsetError admit(const OffsetRequest& request);
  [[gnu::noinline]] OffsetError admit_after_all(const OffsetRequest& request);
  template <class Place>
  [[gnu::always_inline]] inline OffsetResult<OffsetAllocation> take(const Place& place,
                                                                    const OffsetRequest& request);
  inline std::uint32_t find_live(OffsetHandle handle) const;
  bool make_state();

  State* state_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t free_bytes_ = 0;
  std::uint32_t allocation_count_ = 0;
  std::uint32_t max_allocations_ = 0;
  /// Of the last allocation; outlives clear(), so that old handles stay stale.
  std::uint32_t serial_ = 0;
  HostMemory host_;
};

}  // namespace quarry
