// SPDX-License-Identifier: MIT
// The router's way to memory in which earlier uses may still run: the record of the allocation that
// waits to be freed gets its next handle where it is.
#include "base/bits.hpp"
#include "heap/router.hpp"

namespace quarry::heap {

bool Router::take_over(const Request& request, const TypePlan& plan, bool may_wait, Spot& spot) {
  const Arena* arena = find_arena(plan);
  if (arena == nullptr) return false;
  OrderedFrees::Wanted wanted{
      .where = {OrderedFrees::place_of(*arena), plan.place.size, plan.place.alignment},
      .use = *request.following.use};
  wanted.use.wait = may_wait;
  const auto taken = core_.ordered_frees.take_over(wanted, *request.following.order);
  if (taken.record == nullptr) return false;
  const Live live = locate(core_, Allocation{taken.handle}, *taken.record);
  strip(live);
  // The earlier owner's use of the pool: the new one brought its own.
  if (live.pool() != nullptr) live.pool()->leave();
  spot.slot = {taken.record, RecordTable::successor(taken.handle)};
  spot.where = live.where;
  spot.placement = Placement::existing_block;
  spot.alignment_log2 = static_cast<std::uint8_t>(base::floor_log2(plan.place.alignment));
  spot.owes = taken.owes;
  if (!RecordTable::is_slot(taken.handle)) {
    const auto& record = static_cast<const LargeRecord&>(*taken.record);
    live.where.block->arena->set_user(*live.where.block, record.range, spot.slot.handle);
  }
  return true;
}

}  // namespace quarry::heap
