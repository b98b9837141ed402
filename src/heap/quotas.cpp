// SPDX-License-Identifier: MIT
#include "heap/quotas.hpp"

#include "device/error.hpp"
#include "heap/core.hpp"

namespace quarry::heap {

bool is_valid(const QuotaPolicy& policy) {
  return policy.hysteresis >= 0.0 && policy.hysteresis < 1.0;
}

Status set_quota(Core& core, Tag tag, const TagQuota& quota) {
  if (tag.index == 0 || !core.tags.known(tag)) return device::refuse(Reason::bad_argument);
  if (!core.tags.set_quota(tag, quota)) return device::refuse(Reason::out_of_host_memory);
  // What threads have not told is told now; under a hard quota they tell ahead from here on.
  core.caches.fold_all();
  return {};
}

Unexpected<Error> over_quota(Core& core, const Request& request, std::uint32_t tag) {
  core.failed_allocations.fetch_add(1, std::memory_order_relaxed);
  Error error = device::refuse(Reason::over_quota, request.size).error();
  error.tag = tag;
  return Unexpected(error);
}

Status admit(Core& core, const Request& request) {
  const Tag tag = request.desc->tag;
  if (!core.tags.limited(tag)) return {};
  if (core.tags.without_room(tag, request.size) == 0) return {};
  (void)core.ordered_frees.collect_quietly();
  core.caches.fold_all();  // what threads told ahead
  const std::uint32_t refusing = core.tags.without_room(tag, request.size);
  if (refusing == 0) return {};
  return over_quota(core, request, refusing);
}

void look_at_quotas(Core& core, const QuotaPolicy& policy) {
  if (policy.on_soft_quota == nullptr) return;
  QuotaCrossing crossing;
  for (std::size_t i = 0; core.tags.soft_tag(i, crossing.tag); ++i) {
    const VkDeviceSize bytes = core.total_of_tag(crossing.tag).allocation_bytes;
    if (core.tags.crossed(i, bytes, policy.hysteresis, crossing))
      policy.on_soft_quota(policy.user, crossing);
  }
}

}  // namespace quarry::heap
