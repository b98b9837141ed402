// SPDX-License-Identifier: MIT
// What the allocator says at its end: one message a surviving allocation, with what is known of it.
#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include <quarry/allocator.hpp>

#include "heap/core.hpp"
#include "heap/lookup.hpp"

namespace quarry {

namespace {

void report(heap::Core& core, std::uint64_t handle, heap::Record& record) {
  char text[512];
  const char* name = nullptr;
  core.extras.look(handle, record, [&](const heap::Extras& extras) { name = extras.name; });
  if (name == nullptr) name = "(no name)";
  const Tag label = record.tag();
  const char* tag = label.index == 0 ? "(untagged)" : core.tags.name(label);
  const heap::Live live = heap::locate(core, Allocation{handle}, record);
  (void)std::snprintf(text, sizeof text,
                      "leaked allocation %016" PRIx64 " \"%.200s\": %" PRIu64
                      " bytes, memory type %u, offset %" PRIu64 ", %s, tag %.200s",
                      handle, name, live.where.size, live.memory().memory_type(), live.where.offset,
                      live.where.block->dedicated() ? "dedicated" : "suballocated", tag);
  core.say(Severity::error, text);
}

void report_leaks(heap::Core& core) {
  const std::uint64_t count = core.total().allocation_count;
  if (count == 0) return;
  core.records.for_each(
      [&](std::uint64_t handle, heap::Record& record) { report(core, handle, record); });
  char text[128];
  (void)std::snprintf(text, sizeof text, "%" PRIu64 " allocations leaked, %" PRIu64 " bytes", count,
                      core.total().allocation_bytes);
  core.say(Severity::error, text);
}

}  // namespace

Allocator::~Allocator() {
  if (core_ == nullptr) return;
  core_->ordered_frees.release_all();
  report_leaks(*core_);
  heap::Core::destroy(core_);
}

}  // namespace quarry
