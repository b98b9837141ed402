// SPDX-License-Identifier: MIT
// Quotas of tags: what they refuse, and whom they tell.
#pragma once

#include <quarry/quota.hpp>
#include <quarry/result.hpp>

#include "heap/request.hpp"

namespace quarry::heap {

class Core;

bool is_valid(const QuotaPolicy& policy);
Status set_quota(Core& core, Tag tag, const TagQuota& quota);
/// Refuses what cannot stay within the hard quotas, before anything is placed for it.
Status admit(Core& core, const Request& request);
/// The refusal by the quota of a tag.
Unexpected<Error> over_quota(Core& core, const Request& request, std::uint32_t tag);
/// Tells the owner which soft quotas were crossed. With no lock held.
void look_at_quotas(Core& core, const QuotaPolicy& policy);

}  // namespace quarry::heap
