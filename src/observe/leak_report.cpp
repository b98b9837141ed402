// SPDX-License-Identifier: MIT
// What the allocator says at its end: one message a surviving allocation, with what is known of it.
#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include <quarry/allocator.hpp>

#include "heap/core.hpp"

namespace quarry {

namespace {

void report(const heap::Core& core, std::uint64_t handle, const heap::Record& record) {
  char text[512];
  const heap::Extras* extras = record.extras.load(std::memory_order_relaxed);
  const char* name = extras != nullptr && extras->name != nullptr ? extras->name : "(no name)";
  const char* tag = record.tag.index == 0 ? "(untagged)" : core.tags.name(record.tag);
  (void)std::snprintf(text, sizeof text,
                      "leaked allocation %016" PRIx64 " \"%.200s\": %" PRIu64
                      " bytes, memory type %u, offset %" PRIu64 ", %s, tag %.200s",
                      handle, name, record.size, unsigned{record.memory_type}, record.offset,
                      record.block->dedicated() ? "dedicated" : "suballocated", tag);
  core.say(Severity::error, text);
}

void report_leaks(heap::Core& core) {
  const std::uint64_t count = core.totals.read().allocation_count;
  if (count == 0) return;
  core.records.for_each(
      [&](std::uint64_t handle, const heap::Record& record) { report(core, handle, record); });
  char text[128];
  (void)std::snprintf(text, sizeof text, "%" PRIu64 " allocations leaked, %" PRIu64 " bytes", count,
                      core.totals.read().allocation_bytes);
  core.say(Severity::error, text);
}

}  // namespace

Allocator::~Allocator() {
  if (core_ == nullptr) return;
  report_leaks(*core_);
  heap::Core::destroy(core_);
}

}  // namespace quarry
