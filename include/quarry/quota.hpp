// SPDX-License-Identifier: MIT
// How much may be allocated under a tag and the tags below it. docs/tags.md tells the rules.
#pragma once

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>

namespace quarry {

/// Bytes of live allocations of a tag and of the tags below it. VK_WHOLE_SIZE: none.
struct TagQuota {
  VkDeviceSize soft = VK_WHOLE_SIZE;  ///< reaching it is told
  VkDeviceSize hard = VK_WHOLE_SIZE;  ///< what would exceed it is refused
};

/// A tag's bytes reached its soft quota, or fell below it by the hysteresis.
struct QuotaCrossing {
  Tag tag{};
  bool reached = false;
  VkDeviceSize bytes = 0;
  TagQuota quota{};
};

struct QuotaPolicy {
  /// Share of the soft quota by which the bytes must fall below it before it can be reached again.
  /// At least 0, below 1.
  double hysteresis = 0.05;
  /// Called by tick(), work() and refresh_budget(), once for each crossing that they find, with no
  /// lock held. May use the allocator.
  void (*on_soft_quota)(void* user, const QuotaCrossing& crossing) = nullptr;
  void* user = nullptr;
};

}  // namespace quarry
