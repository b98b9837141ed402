// SPDX-License-Identifier: MIT
// What may still be taken of the device: bytes of each heap, VkDeviceMemory objects, address space
// for mapping. Taken before the driver is asked and exact at any moment; the driver's figures only
// add what others use. Lock-free but for refresh(), the only place that asks the driver.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include <quarry/budget.hpp>
#include <quarry/result.hpp>
#include <quarry/statistics.hpp>

#include "device/device.hpp"

namespace quarry::memory {

/// What the driver says of one heap.
struct DriverFigures {
  VkDeviceSize budget = 0;
  VkDeviceSize usage = 0;
};

/// The driver's figures made plausible. `foreign` is what the process uses beyond this allocator.
struct PlausibleFigures {
  VkDeviceSize budget = 0;
  VkDeviceSize foreign = 0;
};

/// A budget of 0 becomes `assumed_share` of the heap, one above the heap the heap. A usage below
/// the own bytes, or beyond twice the heap, becomes the own bytes.
PlausibleFigures make_plausible(const DriverFigures& driver, VkDeviceSize heap_size,
                                VkDeviceSize own_bytes, double assumed_share);

/// Bytes that requests within the budget leave free: a share of the heap, within bounds.
VkDeviceSize headroom(VkDeviceSize heap_size, const BudgetPolicy& policy = {});

/// 3/4 of maxMemoryAllocationCount: beyond it nothing gets its own memory for mere convenience.
std::uint64_t convenient_object_count(std::uint32_t maximum);

struct BudgetDesc {
  std::span<const VkDeviceSize> heap_limits{};  ///< missing or VK_WHOLE_SIZE: the heap's size
  double assumed_share = 0.8;                   ///< of a heap, where the driver does not tell
  VkDeviceSize mapped_address_space = 0;        ///< 0: none on 64 bits, 256 MiB on 32 bits
  BudgetPolicy policy{};
};

/// Any thread may call anything after open().
class Budget {
 public:
  Budget() = default;
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// `device` must outlive the budget. Asks the driver once.
  void open(const device::Device& device, const BudgetDesc& desc);

  /// Asks the driver for its figures where VK_EXT_memory_budget is in use; else does nothing.
  void refresh();
  /// Limits what the process holds of a heap; the lowest of several holds. Before any other call
  /// but open().
  void limit_process(const ProcessLimit& limit);

  /// Takes bytes of a heap and one VkDeviceMemory, before vkAllocateMemory. Reason::none when
  /// taken; else nothing was: over_limit (a limit was set), out_of_device_memory (the heap is
  /// full), over_budget, too_many_allocations.
  Reason try_reserve(std::uint32_t heap, VkDeviceSize bytes, bool within_budget);
  /// The driver gave the memory: the bytes count as held.
  void commit(std::uint32_t heap, VkDeviceSize bytes);
  /// The driver did not.
  void cancel(std::uint32_t heap, VkDeviceSize bytes);
  /// The driver had no room for so many bytes, which were cancelled.
  void note_refusal(std::uint32_t heap, VkDeviceSize bytes);
  /// Whether it is known to have none for these: it refused as many or fewer, and since then
  /// nothing of the heap was released and nobody called refresh().
  bool refused(std::uint32_t heap, VkDeviceSize bytes) const;
  /// Held memory was freed.
  void release(std::uint32_t heap, VkDeviceSize bytes);

  HeapBudget report(std::uint32_t heap) const;
  VkDeviceSize own_bytes(std::uint32_t heap) const;
  VkDeviceSize peak_own_bytes(std::uint32_t heap) const;
  void reset_peaks();
  /// Bytes that a request could still take: within the budget, and beyond it within the limit.
  VkDeviceSize left(std::uint32_t heap) const;
  VkDeviceSize left_to_limit(std::uint32_t heap) const;
  /// VK_WHOLE_SIZE: none. A limit below what is held takes nothing back, it only refuses more.
  void set_limit(std::uint32_t heap, VkDeviceSize bytes);

  std::uint64_t object_count() const { return objects_.load(std::memory_order_relaxed); }
  /// Fewer than convenient_object_count.
  bool objects_to_spare() const { return object_count() < convenient_objects_; }

  /// Address space for one mapping; false when the cap does not allow it.
  bool try_map(VkDeviceSize bytes);
  void release_map(VkDeviceSize bytes);
  VkDeviceSize mapped_cap() const { return mapped_cap_; }  ///< VK_WHOLE_SIZE: none
  VkDeviceSize mapped_bytes() const { return mapped_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Heap {
    VkDeviceSize size = 0;
    std::atomic<VkDeviceSize> claimed{0};  ///< held, and reserved for driver calls that run
    std::atomic<VkDeviceSize> held{0};
    std::atomic<VkDeviceSize> peak{0};
    std::atomic<VkDeviceSize> foreign{0};
    std::atomic<VkDeviceSize> budget{0};
    std::atomic<VkDeviceSize> limit{VK_WHOLE_SIZE};
    VkDeviceSize process_limit = VK_WHOLE_SIZE;
    VkDeviceSize headroom = 0;
    std::atomic<VkDeviceSize> least_refused{VK_WHOLE_SIZE};
  };

  VkDeviceSize limit_of(const Heap& heap) const;
  VkDeviceSize room_in_limits(const Heap& heap, VkDeviceSize claimed) const;
  VkDeviceSize room_in_budget(const Heap& heap, VkDeviceSize claimed) const;

  const device::Device* device_ = nullptr;
  std::uint32_t heap_count_ = 0;
  std::array<Heap, VK_MAX_MEMORY_HEAPS> heaps_;
  double assumed_share_ = 0.8;
  std::atomic<std::uint64_t> objects_{0};
  std::uint64_t maximum_objects_ = 0;
  std::uint64_t convenient_objects_ = 0;
  std::atomic<VkDeviceSize> mapped_bytes_{0};
  VkDeviceSize mapped_cap_ = VK_WHOLE_SIZE;
};

}  // namespace quarry::memory
