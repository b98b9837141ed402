// SPDX-License-Identifier: MIT
// SlotMap: values behind handles that are found out when stale, doubly freed or foreign. All
// operations O(1), and lock-free but for the growth of the map. A slot whose generation would wrap
// is retired, so a handle never comes back to life. The vacant slots form a stack whose head
// carries a change count (Treiber, "Systems Programming: Coping with Parallelism", 1986); slots are
// never given back while the map lives, so reading the link of a slot just taken by another is
// harmless.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "base/assert.hpp"
#include "base/chunked_array.hpp"
#include "base/handle.hpp"
#include "base/mutex.hpp"

namespace quarry::base {

enum class HandleStatus : std::uint8_t { live, stale, foreign };

enum class InsertError : std::uint8_t { none, out_of_host_memory, full };

/// Any thread may call any member beside any other, with one duty for the callers: a value found by
/// lookup() must not be touched while another thread erases that same slot. claim() is how to make
/// sure of being the only one who frees.
template <class T>
class SlotMap {
  static_assert(std::is_nothrow_destructible_v<T>);

 public:
  struct Lookup {
    T* value = nullptr;  ///< null unless live
    HandleStatus status = HandleStatus::stale;
    explicit operator bool() const { return value != nullptr; }
  };
  struct Inserted {
    std::uint64_t handle = 0;  ///< zero on an error
    T* value = nullptr;
    InsertError error = InsertError::none;
    explicit operator bool() const { return value != nullptr; }
  };

  /// At most `max_slots` values live at once (fewer by as many as were retired). `last_generation`
  /// is lowered by tests only.
  SlotMap(const HostMemory& host, std::uint8_t owner, std::uint32_t max_slots = kHandleMaxIndex + 1,
          std::uint32_t last_generation = kHandleMaxGeneration)
      : slots_(host), max_slots_(max_slots), last_generation_(last_generation), owner_(owner) {}
  SlotMap(const SlotMap&) = delete;
  SlotMap& operator=(const SlotMap&) = delete;
  /// Destroys the values that are still live.
  ~SlotMap() {
    for_each([](std::uint64_t, T& value) { value.~T(); });
  }

  std::uint8_t owner() const { return owner_; }

  /// Constructs a value; other threads find it only from here on.
  template <class... Arguments>
  [[nodiscard]] Inserted insert(Arguments&&... arguments) {
    static_assert(std::is_nothrow_constructible_v<T, Arguments...>);
    std::uint32_t index = pop_vacant();
    if (index == kNone) {
      const InsertError error = grow(index);
      if (error != InsertError::none) return {0, nullptr, error};
    }
    Slot& slot = slots_[index];
    const std::uint32_t generation = slot.state.load(std::memory_order_relaxed) >> kPhaseBits;
    T* value = ::new (static_cast<void*>(slot.storage)) T(std::forward<Arguments>(arguments)...);
    slot.state.store(state_of(generation, Phase::live), std::memory_order_release);
    return {encode_handle({index, generation, owner_}), value, InsertError::none};
  }

  Lookup lookup(std::uint64_t handle) {
    const HandleParts parts = decode_handle(handle);
    const HandleStatus status = check(handle, parts);
    return status == HandleStatus::live ? Lookup{slots_[parts.index].value(), status}
                                        : Lookup{nullptr, status};
  }

  HandleStatus status(std::uint64_t handle) const { return check(handle, decode_handle(handle)); }

  /// Ends the handle's validity and gives the caller alone the value, which stays constructed until
  /// release(). Of several concurrent claims of one handle exactly one gets the value, the others
  /// `stale`.
  [[nodiscard]] Lookup claim(std::uint64_t handle) {
    const HandleParts parts = decode_handle(handle);
    const HandleStatus status = check(handle, parts);
    if (status != HandleStatus::live) return {nullptr, status};
    Slot& slot = slots_[parts.index];
    std::uint32_t expected = state_of(parts.generation, Phase::live);
    if (!slot.state.compare_exchange_strong(expected, state_of(parts.generation, Phase::claimed),
                                            std::memory_order_acq_rel, std::memory_order_relaxed)) {
      return {nullptr, HandleStatus::stale};
    }
    return {slot.value(), HandleStatus::live};
  }

  /// Undoes a claim: the handle is valid again.
  void unclaim(std::uint64_t handle) {
    const HandleParts parts = decode_handle(handle);
    Slot& slot = slots_[parts.index];
    QUARRY_ASSERT(slot.state.load(std::memory_order_relaxed) ==
                  state_of(parts.generation, Phase::claimed));
    slot.state.store(state_of(parts.generation, Phase::live), std::memory_order_release);
  }

  /// Destroys a claimed value and makes its slot vacant.
  void release(std::uint64_t handle) {
    const HandleParts parts = decode_handle(handle);
    Slot& slot = slots_[parts.index];
    QUARRY_ASSERT(slot.state.load(std::memory_order_relaxed) ==
                  state_of(parts.generation, Phase::claimed));
    slot.value()->~T();
    if (parts.generation == last_generation_) {
      slot.state.store(state_of(0, Phase::vacant), std::memory_order_release);
      return;
    }
    slot.state.store(state_of(parts.generation + 1, Phase::vacant), std::memory_order_release);
    push_vacant(parts.index);
  }

  /// claim() and release() in one.
  HandleStatus erase(std::uint64_t handle) {
    const Lookup claimed = claim(handle);
    if (claimed) release(handle);
    return claimed.status;
  }

  /// Calls visit(handle, value) for each live value, in index order. Callers see to it that nobody
  /// erases what they visit; values inserted meanwhile may or may not be seen.
  template <class Visit>
  void for_each(Visit&& visit) {
    const std::uint32_t count = slots_.size();
    for (std::uint32_t index = 0; index < count; ++index) {
      Slot& slot = slots_[index];
      const std::uint32_t state = slot.state.load(std::memory_order_acquire);
      if (!is_live(state)) continue;
      visit(encode_handle({index, state >> kPhaseBits, owner_}), *slot.value());
    }
  }

  /// Slots ever made, live or not: the bound on indices.
  std::uint32_t slot_count() const { return slots_.size(); }

 private:
  // A slot's state: its generation above, its phase in the two low bits.
  enum class Phase : std::uint8_t { vacant, live, claimed };
  static constexpr std::uint32_t kPhaseBits = 2;
  static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

  struct Slot {
    Slot() noexcept {}  // leaves the storage as it is

    alignas(T) unsigned char storage[sizeof(T)];
    std::atomic<std::uint32_t> state{state_of(1, Phase::vacant)};
    std::atomic<std::uint32_t> next_vacant{kNone};

    T* value() { return std::launder(reinterpret_cast<T*>(storage)); }
  };

  static constexpr std::uint32_t state_of(std::uint32_t generation, Phase phase) {
    return (generation << kPhaseBits) | static_cast<std::uint32_t>(phase);
  }
  static constexpr bool is_live(std::uint32_t state) {
    return (state & ((1u << kPhaseBits) - 1)) == static_cast<std::uint32_t>(Phase::live);
  }

  HandleStatus check(std::uint64_t handle, const HandleParts& parts) const {
    if (handle == 0) return HandleStatus::stale;
    if (parts.owner != owner_) return HandleStatus::foreign;
    if (parts.index >= slots_.size()) return HandleStatus::stale;
    const std::uint32_t state = slots_[parts.index].state.load(std::memory_order_acquire);
    return state == state_of(parts.generation, Phase::live) ? HandleStatus::live
                                                            : HandleStatus::stale;
  }

  // The head of the vacant stack: slot index in the low half, change count in the high half.
  static constexpr std::uint64_t pack_head(std::uint32_t index, std::uint64_t previous) {
    return (((previous >> 32) + 1) << 32) | index;
  }

  std::uint32_t pop_vacant() {
    std::uint64_t head = vacant_.load(std::memory_order_acquire);
    for (;;) {
      const auto index = static_cast<std::uint32_t>(head);
      if (index == kNone) return kNone;
      const std::uint32_t next = slots_[index].next_vacant.load(std::memory_order_relaxed);
      if (vacant_.compare_exchange_weak(head, pack_head(next, head), std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
        return index;
      }
    }
  }

  void push_vacant(std::uint32_t index) {
    std::uint64_t head = vacant_.load(std::memory_order_relaxed);
    do {
      slots_[index].next_vacant.store(static_cast<std::uint32_t>(head), std::memory_order_relaxed);
    } while (!vacant_.compare_exchange_weak(head, pack_head(index, head), std::memory_order_release,
                                            std::memory_order_relaxed));
  }

  InsertError grow(std::uint32_t& index) QUARRY_EXCLUDES(grow_mutex_) {
    const MutexLock lock(grow_mutex_);
    index = pop_vacant();
    if (index != kNone) return InsertError::none;
    index = slots_.size();
    if (index >= max_slots_) return InsertError::full;
    return slots_.emplace_back() == nullptr ? InsertError::out_of_host_memory : InsertError::none;
  }

  // Serialises appends alone; nothing else is locked or called while it is held but the host memory
  // callback.
  Mutex grow_mutex_;
  ChunkedArray<Slot> slots_;
  std::atomic<std::uint64_t> vacant_{kNone};
  std::uint32_t max_slots_;
  std::uint32_t last_generation_;
  std::uint8_t owner_;
};

}  // namespace quarry::base
