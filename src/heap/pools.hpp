// SPDX-License-Identifier: MIT
// Making and ending custom pools.
#pragma once

#include <quarry/allocator.hpp>

#include "heap/core.hpp"

namespace quarry::heap {

Result<Pool> create_pool(Core& core, const PoolDesc& desc);
Status destroy_pool(Core& core, Pool pool);
Result<Totals> pool_totals(Core& core, Pool pool);

}  // namespace quarry::heap
