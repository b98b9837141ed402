// SPDX-License-Identifier: MIT
// Residency: under pressure, movable resources leave the device's memory for host memory and come
// back by use and priority. The library chooses, makes and destroys resources and fills the owner's
// command buffer; it never submits. An Allocation stays the same; what is evicted has no VkBuffer
// or VkImage, and whatever is asked of it answers Reason::not_resident until it is back.
#pragma once

#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include <quarry/allocator.hpp>
#include <quarry/defragmentation.hpp>

namespace quarry {

struct ResidencyDesc {
  /// Device-local; ~0: the largest such heap. Host memory is what is neither there nor
  /// device-local.
  std::uint32_t heap = ~0u;
  /// Above this share of the heap's budget resources leave that were not used for the time of
  /// grace, which falls from the longest, there, to the shortest, at the whole budget.
  double relaxed_share = 0.7;
  /// Of the budget, that is left free by what comes back of its own accord.
  double margin_share = 0.05;
  std::uint32_t longest_grace_milliseconds = 60'000;
  std::uint32_t shortest_grace_milliseconds = 1'000;
  /// What has left or come back stays so at least as long, but for its owner's wish and the
  /// strongest pressure.
  std::uint32_t hold_milliseconds = 10'000;
};

/// As for defragmentation. All steps of one Residency are for one queue family. `state` is asked
/// for both ways: how a resource is used that is to leave, and how one will be used that comes
/// back, with null handles and the layout that it left in; false: not now. Without it images stay.
using ResidencyStep = DefragmentationStep;

/// Left the device. Commands recorded from now on must not use the handle; the library destroys it.
struct DemotedResource {
  Allocation allocation{};
  VkBuffer old_buffer = VK_NULL_HANDLE;
  VkImage old_image = VK_NULL_HANDLE;
  void* user_data = nullptr;
  bool discarded = false;  ///< without a copy
};

/// Came back, with a new handle, which commands recorded after this step's may use.
struct PromotedResource {
  Allocation allocation{};
  VkBuffer new_buffer = VK_NULL_HANDLE;
  VkImage new_image = VK_NULL_HANDLE;
  void* user_data = nullptr;
  /// Its contents are undefined, and an image's layout UNDEFINED: the owner makes them again.
  bool rebuild = false;
};

struct ResidencyChanges {
  std::span<const DemotedResource> demoted{};
  std::span<const PromotedResource> promoted{};
};

struct ResidencyFigures {
  std::uint64_t demotions = 0;  ///< discards included
  std::uint64_t promotions = 0;
  std::uint64_t discards = 0;
  VkDeviceSize bytes_out = 0;  ///< copied to host memory
  VkDeviceSize bytes_in = 0;   ///< copied back
  std::uint64_t refused = 0;   ///< by the owner, or of a kind that cannot be copied in that step
  std::uint64_t no_host_room = 0;
  std::uint64_t no_device_room = 0;
  std::uint64_t given_up = 0;  ///< freed, mapped, pinned or moved meanwhile
  std::uint64_t failed = 0;    ///< other driver calls, host memory
};

struct ResidencyTotals {
  std::uint64_t resident = 0;  ///< resources that could leave
  VkDeviceSize resident_bytes = 0;
  std::uint64_t demoted = 0;
  VkDeviceSize demoted_bytes = 0;  ///< that they would take on the device
};

/// At most one lives for an allocator, which must outlive it. Its functions come from one thread at
/// a time, touch() and set_priority() from any. Other threads may meanwhile do what they like with
/// resources: what is freed, mapped or pinned before record() has switched it over stays; what is
/// freed after goes with complete(), whichever handle it has then.
///
/// It is about what was created with AllocationDesc::movable, outside of custom pools. Multisampled
/// and multi-planar images leave only where they are discardable; depth and stencil need a queue
/// with graphics.
class Residency {
 public:
  /// unsupported: there is no host memory beside the heap, or nothing may be moved;
  /// function_missing: no copy commands; still_in_use: there is one.
  static Result<Residency> create(Allocator& allocator, const ResidencyDesc& desc = {});

  Residency() = default;
  Residency(Residency&& other) noexcept;
  Residency& operator=(Residency&& other) noexcept;
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;
  /// The GPU must be done with what was recorded. What is evicted stays so.
  ~Residency();
  explicit operator bool() const { return state_ != nullptr; }

  /// It is used now: the time of the last tick(). Takes no lock. Of what is evicted it is a wish
  /// that it comes back.
  Status touch(Allocation allocation) const;
  /// 0 to 1; at first AllocationDesc::priority.
  Status set_priority(Allocation allocation, float priority) const;
  /// The next steps bring these back before all else, and have others leave for them.
  Status make_resident(std::span<const Allocation> allocations);
  /// The next steps have these leave, whatever their last use.
  Status evict(std::span<const Allocation> allocations);
  /// No more bytes of resources on the heap than that; VK_WHOLE_SIZE: as the budget says.
  void set_target(VkDeviceSize bytes);
  /// Everything of a tag leaves in the next steps and stays away until it is woken; wake() is
  /// make_resident() for it. bad_argument: no such tag.
  Status sleep(Tag tag);
  Status wake(Tag tag);
  /// Makes host blocks for `bytes` of copies ahead: see Allocator::prefetch.
  Result<VkDeviceSize> prefetch(VkDeviceSize bytes);

  /// Plans and records the next changes. Valid until the next call.
  Result<ResidencyChanges> record(const ResidencyStep& step);
  /// Steps of this value and below are done: what left is destroyed and its memory free.
  void complete(std::uint64_t value);

  ResidencyFigures figures() const;
  ResidencyTotals totals() const;  ///< looks at every resource

 private:
  class State;
  explicit Residency(State* state) : state_(state) {}
  State* state_ = nullptr;
};

}  // namespace quarry
