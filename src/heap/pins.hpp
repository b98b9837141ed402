// SPDX-License-Identifier: MIT
// Pins: what keeps a movable allocation where it lies.
#pragma once

#include <quarry/allocator.hpp>

#include "heap/core.hpp"

namespace quarry::heap {

Status pin(Core& core, Allocation allocation);
Status unpin(Core& core, Allocation allocation);

}  // namespace quarry::heap
