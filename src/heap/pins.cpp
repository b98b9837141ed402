// SPDX-License-Identifier: MIT
#include "heap/pins.hpp"

#include "heap/lookup.hpp"

namespace quarry::heap {

Status pin(Core& core, Allocation allocation) {
  const auto found = core.records.lookup(allocation.value);
  if (!found) return bad_handle(found.status);
  core.extras.pin(allocation.value, *found.record);
  // Counted first: either the mover sees the pin, or it is told here. One that is on its way stays
  // where it arrives.
  if (found.record->is_moving(allocation.value)) (void)core.moves.make_way(allocation);
  if (!found.record->demoted()) return {};
  (void)core.extras.unpin(allocation.value, *found.record);
  return device::refuse(Reason::not_resident);
}

Status unpin(Core& core, Allocation allocation) {
  const auto found = core.records.lookup(allocation.value);
  if (!found) return bad_handle(found.status);
  if (!core.extras.unpin(allocation.value, *found.record))
    return device::refuse(Reason::bad_argument);
  return {};
}

}  // namespace quarry::heap
