// SPDX-License-Identifier: MIT
#include "memory/type_selection.hpp"

#include <algorithm>

namespace quarry::memory {

namespace {

constexpr std::uint32_t kFlagCount = 9;  // DEVICE_LOCAL, bit 0, to RDMA_CAPABLE, bit 8
constexpr VkMemoryPropertyFlags kDeviceCoherent =
    VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;

using FlagCosts = std::array<std::uint16_t, kFlagCount>;

/// What an intent implies. Costs add up, the cheapest type is tried first, the lower index at a
/// tie. They are apart by factors that no sum of lesser ones reaches, so that the order of the
/// flags' importance is what decides.
struct IntentRule {
  VkMemoryPropertyFlags required;
  FlagCosts missing;  ///< cost of a flag that the type lacks
  FlagCosts present;  ///< cost of a flag that the type has and nobody asked for
};

// Columns: DL, HV, HC, CA, LZ, PROTECTED, AMD coherent, AMD uncached, RDMA.
constexpr std::array kRules = {
    // device: host-visible device memory is often a small window, so other memory comes first.
    IntentRule{0, {4096, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 64, 1, 8, 0, 0, 512, 512, 2}},
    // upload: write-combined host memory; cached costs little, incoherent more, device-local most.
    IntentRule{VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
               {0, 0, 64, 0, 0, 0, 0, 0, 0},
               {4096, 0, 0, 8, 0, 0, 512, 512, 2}},
    // readback: uncached reads are slower than any flush, and slowest across the bus.
    IntentRule{VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
               {0, 0, 16, 4096, 0, 0, 0, 0, 0},
               {64, 0, 0, 0, 0, 0, 512, 512, 2}},
    // device_upload: device-local decides, then host-visible, then coherent.
    IntentRule{0, {4096, 128, 16, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 8, 0, 0, 512, 512, 2}},
    // transient_attachment: as device, behind lazily allocated memory.
    IntentRule{0, {4096, 0, 0, 0, 8192, 0, 0, 0, 0}, {0, 64, 1, 8, 0, 0, 512, 512, 2}},
    // flags: only the number of flags nobody asked for.
    IntentRule{0, {}, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
};

static_assert(kRules.size() == static_cast<std::size_t>(MemoryIntent::flags) + 1);

std::size_t index_of(MemoryIntent intent) {
  return std::min(static_cast<std::size_t>(intent), kRules.size() - 1);
}

VkMemoryPropertyFlags required_flags(const TypeRequest& request) {
  VkMemoryPropertyFlags required = request.required | kRules[index_of(request.intent)].required;
  if (request.wants_protected) required |= VK_MEMORY_PROPERTY_PROTECTED_BIT;
  return required;
}

bool may_be_lazy(const TypeRequest& request, VkMemoryPropertyFlags asked) {
  const bool wanted = request.intent == MemoryIntent::transient_attachment ||
                      (asked & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT) != 0;
  return wanted && request.transient_image;
}

TypeVerdict judge(const DeviceFacts& facts, const TypeRequest& request, std::uint32_t type) {
  const VkMemoryType& memory_type = facts.memory.memoryTypes[type];
  const VkMemoryPropertyFlags flags = memory_type.propertyFlags;
  const VkMemoryPropertyFlags required = required_flags(request);
  const VkMemoryPropertyFlags asked = required | request.preferred;

  if ((request.type_bits >> type & 1u) == 0) return TypeVerdict::not_in_type_bits;
  if ((flags & required) != required) return TypeVerdict::lacks_required;
  if ((flags & request.forbidden) != 0) return TypeVerdict::has_forbidden;
  if ((flags & VK_MEMORY_PROPERTY_PROTECTED_BIT) != 0 &&
      ((required & VK_MEMORY_PROPERTY_PROTECTED_BIT) == 0 || !facts.features.protected_memory)) {
    return TypeVerdict::protected_memory;
  }
  if ((flags & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT) != 0 && !may_be_lazy(request, asked)) {
    return TypeVerdict::lazily_allocated;
  }
  if ((flags & kDeviceCoherent) != 0 &&
      ((asked & kDeviceCoherent) == 0 || !facts.features.device_coherent_memory)) {
    return TypeVerdict::device_coherent;
  }
  if (request.size > facts.memory.memoryHeaps[memory_type.heapIndex].size) {
    return TypeVerdict::exceeds_heap;
  }
  if (request.size > facts.maximum_allocation_size) return TypeVerdict::exceeds_driver_size;
  return TypeVerdict::candidate;
}

/// Each preferred flag that is missing outweighs all that the intent implies.
std::uint32_t cost_of(const TypeRequest& request, VkMemoryPropertyFlags flags) {
  constexpr std::uint32_t kMissingPreferred = 1u << 16;
  const IntentRule& rule = kRules[index_of(request.intent)];
  const VkMemoryPropertyFlags asked = required_flags(request) | request.preferred;
  std::uint32_t cost =
      kMissingPreferred * static_cast<std::uint32_t>(std::popcount(request.preferred & ~flags));
  for (std::uint32_t bit = 0; bit < kFlagCount; ++bit) {
    if ((flags >> bit & 1u) == 0) {
      cost += rule.missing[bit];
    } else if ((asked >> bit & 1u) == 0) {
      cost += rule.present[bit];
    }
  }
  return cost;
}

}  // namespace

TypeOrder order_types(const DeviceFacts& facts, const TypeRequest& request) {
  TypeOrder result;
  std::array<std::uint32_t, VK_MAX_MEMORY_TYPES> costs{};
  for (std::uint32_t type = 0; type < facts.memory.memoryTypeCount; ++type) {
    result.verdicts[type] = judge(facts, request, type);
    if (result.verdicts[type] != TypeVerdict::candidate) continue;
    const std::uint32_t cost = cost_of(request, facts.memory.memoryTypes[type].propertyFlags);
    // Insertion keeps the lower index first among equals.
    std::uint32_t at = result.count++;
    for (; at > 0 && costs[at - 1] > cost; --at) {
      costs[at] = costs[at - 1];
      result.order[at] = result.order[at - 1];
    }
    costs[at] = cost;
    result.order[at] = static_cast<std::uint8_t>(type);
  }
  if (result.count > 0) result.verdicts[result.order[0]] = TypeVerdict::chosen;
  return result;
}

TypeTable::TypeTable(const DeviceFacts& facts)
    : facts_(&facts),
      nibble_count_((facts.memory.memoryTypeCount + 3) / 4),
      fits_everywhere_(facts.maximum_allocation_size) {
  for (std::uint32_t heap = 0; heap < facts.memory.memoryHeapCount; ++heap) {
    fits_everywhere_ = std::min(fits_everywhere_, facts.memory.memoryHeaps[heap].size);
  }
  for (std::size_t intent = 0; intent < kIntents; ++intent) {
    for (const bool transient : {false, true}) {
      make_base(bases_[intent][transient ? 1 : 0],
                {.intent = static_cast<MemoryIntent>(intent), .transient_image = transient});
    }
  }
}

void TypeTable::make_base(Base& base, const TypeRequest& request) {
  const TypeOrder order = order_types(*facts_, request);
  base.order = order.order;
  for (std::uint32_t rank = 0; rank < order.count; ++rank) {
    const std::uint32_t type = order.order[rank];
    auto& ranks = base.ranks[type / 4];
    for (std::uint32_t bits = 0; bits < ranks.size(); ++bits) {
      if ((bits >> (type % 4) & 1u) != 0) ranks[bits] |= 1u << rank;
    }
  }
}

TypeCandidates TypeTable::candidates(const TypeRequest& request) const {
  TypeCandidates result;
  const bool plain = (request.required | request.preferred | request.forbidden) == 0 &&
                     !request.wants_protected && request.size <= fits_everywhere_;
  if (!plain) {
    const TypeOrder order = order_types(*facts_, request);
    result.order_ = order.order;
    result.ranks_ = static_cast<std::uint32_t>((std::uint64_t{1} << order.count) - 1);
    return result;
  }
  const Base& base = bases_[index_of(request.intent)][request.transient_image ? 1 : 0];
  result.order_ = base.order;
  for (std::uint32_t nibble = 0; nibble < nibble_count_; ++nibble) {
    result.ranks_ |= base.ranks[nibble][request.type_bits >> (nibble * 4) & 15u];
  }
  return result;
}

Reason TypeTable::reason_of_none(const TypeRequest& request) const {
  const TypeOrder order = order_types(*facts_, request);
  const auto last = order.verdicts.begin() + facts_->memory.memoryTypeCount;
  const bool too_large = std::any_of(order.verdicts.begin(), last, [](TypeVerdict verdict) {
    return verdict == TypeVerdict::exceeds_heap || verdict == TypeVerdict::exceeds_driver_size;
  });
  return too_large ? Reason::larger_than_heap : Reason::no_memory_type;
}

}  // namespace quarry::memory
