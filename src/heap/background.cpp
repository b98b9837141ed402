// SPDX-License-Identifier: MIT
#include "heap/background.hpp"

#include <algorithm>

#include "device/error.hpp"
#include "heap/block_source.hpp"
#include "heap/core.hpp"

namespace quarry::heap {

bool Background::is_valid(const AllocatorDesc& desc) {
  const BackgroundPolicy& policy = desc.background;
  if (policy.work > BackgroundWork::by_owner) return false;
  if (policy.interval_milliseconds == 0 || policy.lead_milliseconds == 0) return false;
  return policy.work != BackgroundWork::own_thread || !desc.hot_path.deterministic;
}

Status Background::start() {
  if (policy_.work != BackgroundWork::own_thread) return {};
  const auto work = [](void* self) { static_cast<Background*>(self)->work(); };
  if (!thread_.start(work, this, policy_.interval_milliseconds))
    return device::refuse(Reason::out_of_host_memory);
  return {};
}

void Background::work() {
  core_.refresh_budget();  // tells the owner of pressure, so without the lock
  if (!working_.try_lock()) return;
  const std::uint64_t now = core_.coarse_now();
  core_.drain_idle_caches();
  BlockSource(core_).enforce_retention(now);
  core_.arenas.for_each([&](Arena& arena) { grow_ahead(arena, now); });
  working_.unlock();
}

void Background::grow_ahead(Arena& arena, std::uint64_t now) {
  const VkDeviceSize empty = arena.releasable_bytes(0);
  const VkDeviceSize all = arena.block_bytes();
  const VkDeviceSize wanted = std::min(
      arena.growth_ahead.observe(all - std::min(all, empty), now, policy_.lead_milliseconds),
      core_.policy.retained_bytes);
  BlockSource blocks(core_);
  while (arena.releasable_bytes(0) < wanted) {
    // Without room in the budget whoever needs a block climbs the ladder for it.
    if (!blocks.add_block(arena, 1)) return;
  }
}

}  // namespace quarry::heap
