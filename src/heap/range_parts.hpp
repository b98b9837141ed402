// SPDX-License-Identifier: MIT
// A range of a block as its owner sees it: an allocation, free bytes, or a slab's slots one by one,
// where neighbouring free slots are one part. For whoever walks a block with its arena's lock held.
#pragma once

#include <quarry/offset.hpp>

#include "heap/record_table.hpp"

namespace quarry::heap {

struct RangePart {
  VkDeviceSize offset = 0;
  VkDeviceSize size = 0;
  std::uint64_t handle = 0;        ///< of a live allocation; 0: free
  const Record* record = nullptr;  ///< the same; null also while it comes or goes
};

/// Calls visitor(part) for each part, in order.
template <class Visitor>
void for_each_part(RecordTable& records, const OffsetRange& range, Visitor&& visitor) {
  const Slab* slab = range.handle.value == 0 ? nullptr : records.slab_of_range(range.user);
  if (slab == nullptr) {
    const bool used = range.handle.value != 0;
    visitor(RangePart{range.offset, range.size, used ? range.user : 0,
                      used ? records.lookup(range.user).record : nullptr});
    return;
  }
  const VkDeviceSize slot_bytes = slab->slot_bytes();
  RangePart free{range.offset, 0, 0, nullptr};
  for (std::uint32_t i = 0; i < slab->slots; ++i) {
    const Record& record = slab->records()[i];
    const std::uint64_t handle = records.live_handle(*slab, i);
    if (handle == 0) {
      free.size += slot_bytes;
      continue;
    }
    if (free.size != 0) visitor(free);
    visitor(RangePart{range.offset + i * slot_bytes, slot_bytes, handle, &record});
    free = {range.offset + (i + 1) * slot_bytes, 0, 0, nullptr};
  }
  if (free.size != 0) visitor(free);
}

}  // namespace quarry::heap
