// SPDX-License-Identifier: MIT
// What a request for device memory says, and the handles that name what came of it.
#pragma once

#include <array>
#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace quarry {

/// Names one allocation: index (28 bits), generation (28), allocator (8). Zero is "none". A handle
/// that was freed, or that belongs to another allocator, is answered with an error by every
/// function, in every build.
struct Allocation {
  std::uint64_t value = 0;
  explicit operator bool() const { return value != 0; }
  friend bool operator==(const Allocation&, const Allocation&) = default;
};

/// Names a custom pool, or with zero the default pools. Same layout and promises as Allocation.
struct Pool {
  std::uint64_t value = 0;
  explicit operator bool() const { return value != 0; }
  friend bool operator==(const Pool&, const Pool&) = default;
};

/// A label under which bytes are counted, made by Allocator::register_tag. Zero is "untagged".
struct Tag {
  std::uint32_t index = 0;
  friend bool operator==(const Tag&, const Tag&) = default;
};

/// A buffer and its memory. Plain values: copies name the same buffer; Allocator::destroy ends it
/// once.
struct Buffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  Allocation allocation{};
};

/// An image and its memory. A disjoint image has one allocation a plane, in plane order; any other
/// only the first.
struct Image {
  VkImage image = VK_NULL_HANDLE;
  std::array<Allocation, 4> allocations{};
};

/// What the memory is for. Decides required, preferred and avoided property flags;
/// docs/memory_types.md has the table.
enum class MemoryIntent : std::uint8_t {
  device,    ///< the GPU reads and writes it, the CPU does not
  upload,    ///< the CPU writes it sequentially, the GPU reads it; host memory unless there is no
             ///< other
  readback,  ///< the GPU writes it, the CPU reads it; cached if that can be had
  device_upload,  ///< device-local and writable by the CPU if that can be had; else device memory
                  ///< that is not mappable (AllocationInfo::property_flags tells), so a transfer is
                  ///< needed
  transient_attachment,  ///< lazily allocated if that can be had; images with TRANSIENT_ATTACHMENT
                         ///< usage only
  flags,  ///< nothing implied: required_flags, preferred_flags and forbidden_flags alone decide
};

/// How long an allocation is expected to live. Blocks are not shared between classes, so that one
/// long-lived allocation does not keep a block of short-lived ones from being given back.
enum class Lifetime : std::uint8_t { unspecified, short_lived, long_lived };

enum class Dedicated : std::uint8_t {
  automatic,  ///< where the driver requires or prefers it, or the size makes a block of its own
              ///< sensible
  always,     ///< its own VkDeviceMemory
  never,      ///< suballocated, unless the driver requires otherwise; an error if it fits no block
};

/// Everything a request may say beyond size, alignment and type bits. An aggregate for designated
/// initialisers.
struct AllocationDesc {
  MemoryIntent intent = MemoryIntent::device;
  Lifetime lifetime = Lifetime::unspecified;
  Dedicated dedicated = Dedicated::automatic;
  bool mapped = false;  ///< keep it mapped for its whole life where the type is HOST_VISIBLE
  /// Fail with Reason::over_budget rather than exceed the heap's budget.
  bool within_budget = false;
  /// Other resources, buffers and images alike, may be bound to it: carries no dedicated
  /// information.
  bool can_alias = false;
  bool movable = false;  ///< adds transfer usages and keeps the create-info, so that it may be
                         ///< moved or evicted
  bool upper_address = false;  ///< from the upper end of a linear pool (double stack)
  /// Movable although its buffer has SHADER_DEVICE_ADDRESS usage: whoever holds the address asks
  /// for the new buffer's when it was moved (MovedResource).
  bool refetches_address = false;
  /// Movable, and the owner can make its contents again: evicted without a copy (residency.hpp).
  bool discardable = false;
  VkMemoryPropertyFlags required_flags = 0;   ///< types without all of these are not used
  VkMemoryPropertyFlags preferred_flags = 0;  ///< types with more of these come first
  VkMemoryPropertyFlags forbidden_flags = 0;  ///< types with any of these are not used
  std::uint32_t memory_type_bits = ~0u;  ///< further restricts the requirements' memoryTypeBits
  /// Bytes, a power of two; the larger of this and the requirement holds.
  VkDeviceSize minimum_alignment = 1;
  float priority = 0.5f;  ///< 0 to 1, for VK_EXT_memory_priority; kept in 8 classes
  Tag tag{};
  /// A custom pool; zero for the default pools. A pool settles the memory type: flags that are
  /// required or forbidden and the type bits must agree with it, intent and preferences do not
  /// count.
  Pool pool{};
  const char* name = nullptr;  ///< copied; null for none
  void* user_data = nullptr;
  /// Appended to VkMemoryAllocateInfo::pNext (import, export); forces an own VkDeviceMemory. Only
  /// read during the call.
  const void* memory_next = nullptr;
};

/// Whether a raw request is for a buffer or linear image, an optimal image, or could be either.
/// Where bufferImageGranularity is above 1, memory that is not dedicated takes only resources of
/// its kind.
enum class ResourceKind : std::uint8_t { unknown, linear, optimal };

/// What is known of a live allocation.
struct AllocationInfo {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;  ///< bytes into `memory`
  VkDeviceSize size = 0;    ///< bytes reserved for it, at least what the driver required
  std::uint32_t memory_type = 0;
  VkMemoryPropertyFlags property_flags = 0;  ///< of that type: whether it is coherent stands here
  void* mapped = nullptr;                    ///< first byte, while mapped; else null
  bool dedicated = false;
  bool movable = false;
  /// False: evicted (residency.hpp); memory is null then, size and memory_type are those of the
  /// copy in host memory.
  bool resident = true;
  Pool pool{};
  Tag tag{};
  const char* name = nullptr;  ///< valid until the name is changed or the allocation freed
  void* user_data = nullptr;
};

}  // namespace quarry
