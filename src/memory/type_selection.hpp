// SPDX-License-Identifier: MIT
// Which memory types serve a request, and in which order they are tried. Pure: facts and a request
// in, an order out. Facts decide (flags, sizes of heaps, limits), never the kind of device.
// docs/memory_types.md has the rules in words. An order costs the number of types that serve; the
// orders of the intents are made once.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>
#include <quarry/allocator.hpp>
#include <quarry/explain.hpp>

namespace quarry::memory {

struct TypeRequest {
  std::uint32_t type_bits = ~0u;  ///< the requirements' and the request's, combined
  MemoryIntent intent = MemoryIntent::device;
  VkMemoryPropertyFlags required = 0;
  VkMemoryPropertyFlags preferred = 0;
  VkMemoryPropertyFlags forbidden = 0;
  VkDeviceSize size = 0;  ///< bytes of the resource; types that can never hold them are left out
  bool transient_image = false;  ///< an image whose only use is as a transient attachment
  bool wants_protected = false;  ///< a protected resource; so does PROTECTED in `required`
};

/// All that explain() tells of a choice.
struct TypeOrder {
  std::array<std::uint8_t, VK_MAX_MEMORY_TYPES> order{};  ///< the first `count` hold, best first
  std::uint32_t count = 0;
  std::array<TypeVerdict, VK_MAX_MEMORY_TYPES> verdicts{};  ///< of each type of the device
};

/// The rule itself, for one request. Every other way to an order gives the same.
TypeOrder order_types(const DeviceFacts& facts, const TypeRequest& request);

/// The types that serve a request, best first, as a small value to walk.
class TypeCandidates {
 public:
  bool empty() const { return ranks_ == 0; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(std::popcount(ranks_)); }
  /// Memory type index. Precondition: not empty.
  std::uint32_t first() const { return order_[static_cast<unsigned>(std::countr_zero(ranks_))]; }
  void drop_first() { ranks_ &= ranks_ - 1; }

 private:
  friend class TypeTable;
  std::uint32_t ranks_ = 0;  ///< bit r: order_[r] serves and was not dropped
  std::array<std::uint8_t, VK_MAX_MEMORY_TYPES> order_{};
};

/// The orders of all intents for one device, made once. Constant afterwards; any thread may ask.
class TypeTable {
 public:
  explicit TypeTable(const DeviceFacts& facts);

  TypeCandidates candidates(const TypeRequest& request) const;
  /// Whether requests of this size leave no type out.
  bool fits_everywhere(VkDeviceSize size) const { return size <= fits_everywhere_; }
  TypeOrder explain(const TypeRequest& request) const { return order_types(*facts_, request); }
  /// Why no type serves: larger_than_heap when only the size stood in the way, else
  /// no_memory_type.
  Reason reason_of_none(const TypeRequest& request) const;

 private:
  static constexpr auto kIntents = static_cast<std::size_t>(MemoryIntent::flags) + 1;
  static constexpr std::uint32_t kNibbles = VK_MAX_MEMORY_TYPES / 4;

  struct Base {
    std::array<std::uint8_t, VK_MAX_MEMORY_TYPES> order{};
    /// Turns a mask of types, four bits at a time, into a mask of their ranks in `order`.
    std::array<std::array<std::uint32_t, 16>, kNibbles> ranks{};
  };

  void make_base(Base& base, const TypeRequest& request);

  const DeviceFacts* facts_;
  std::uint32_t nibble_count_ = 0;
  VkDeviceSize fits_everywhere_ = 0;  ///< a size up to this leaves no type out
  /// [intent][an image that is a transient attachment]
  std::array<std::array<Base, 2>, kIntents> bases_;
};

}  // namespace quarry::memory
