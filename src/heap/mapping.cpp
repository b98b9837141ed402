// SPDX-License-Identifier: MIT
#include "heap/mapping.hpp"

#include <cstring>

#include "base/host_array.hpp"
#include "device/error.hpp"
#include "heap/lookup.hpp"
#include "memory/mapped_range.hpp"

namespace quarry::heap {

namespace {

/// Address space is not short, so a mapping can be left in place.
bool may_stay_mapped(const Core& core) {
  return core.budget.mapped_cap() == VK_WHOLE_SIZE;
}

bool inside(const Location& where, VkDeviceSize offset, VkDeviceSize size) {
  return offset <= where.size && size <= where.size - offset;
}

Result<AllocationRange> checked_copy(const Location& where, Allocation allocation,
                                     VkDeviceSize offset, std::size_t size) {
  if (!inside(where, offset, size)) return device::refuse(Reason::out_of_range);
  return AllocationRange{allocation, offset, size};
}

/// Adds a mapping to a record's count, as far as it goes.
bool count_mapping(Record& record) {
  std::uint32_t marks = record.load_marks();
  do {
    if ((marks & Record::kMostMappings) == Record::kMostMappings) return false;
  } while (!record.marks.compare_exchange_weak(marks, marks + 1));
  return true;
}

bool uncount_mapping(Record& record) {
  std::uint32_t marks = record.load_marks();
  do {
    if ((marks & Record::kMostMappings) == 0) return false;
  } while (!record.marks.compare_exchange_weak(marks, marks - 1, std::memory_order_acq_rel));
  return true;
}

}  // namespace

Result<std::byte*> map_block(Core& core, Block& block) {
  auto mapped = block.memory.map();
  if (!mapped) return mapped;
  if (may_stay_mapped(core) && !block.stays_mapped.exchange(true, std::memory_order_relaxed)) {
    // Joins the mapping that was just made, so it cannot fail; freed with the memory.
    (void)block.memory.map();
  }
  return mapped;
}

Result<void*> map(Core& core, Allocation allocation) {
  for (;;) {
    const auto found = core.records.lookup(allocation.value);
    if (!found) return bad_handle(found.status);
    Record& record = *found.record;
    if (record.owes()) {
      if (const Status settled = core.ordered_frees.settle(allocation); !settled)
        return Unexpected(settled.error());
    }
    if (!count_mapping(record)) return device::refuse(Reason::over_limit);
    // Counted first: either the mover sees the mapping and leaves the allocation where it is, or
    // the move is seen here.
    if (!record.is_moving(allocation.value)) {
      if (record.demoted()) {
        (void)uncount_mapping(record);
        return device::refuse(Reason::not_resident);
      }
      const Location where = core.records.location(allocation.value, record);
      const auto address = map_block(core, *where.block);
      if (address) return static_cast<void*>(*address + where.offset);
      (void)uncount_mapping(record);
      return Unexpected(address.error());
    }
    (void)uncount_mapping(record);
    if (!core.moves.make_way(allocation))
      return device::refuse(record.demoted() ? Reason::not_resident : Reason::being_moved);
  }
}

Status unmap(Core& core, Allocation allocation) {
  const auto found = find(core, allocation);
  if (!found) return Unexpected(found.error());
  if (!uncount_mapping(found->record)) return device::refuse(Reason::not_mapped);
  return found->memory().unmap();
}

Status make_visible(Core& core, std::span<const AllocationRange> ranges, Visibility visibility) {
  constexpr std::size_t kOnStack = 8;
  VkMappedMemoryRange few[kOnStack];
  base::HostArray<VkMappedMemoryRange> many(core.host);
  VkMappedMemoryRange* list = few;
  if (ranges.size() > kOnStack) {
    if (!many.resize(ranges.size())) return device::refuse(Reason::out_of_host_memory);
    list = many.data();
  }
  std::uint32_t count = 0;
  const VkDeviceSize atom = core.device.facts().properties.limits.nonCoherentAtomSize;
  for (const AllocationRange& range : ranges) {
    const auto found = find(core, range.allocation);
    if (!found) return Unexpected(found.error());
    const memory::DeviceMemory& memory = found->memory();
    if (!memory.host_visible()) return device::refuse(Reason::not_host_visible);
    const auto rounded = memory::atom_range(
        atom,
        {.memory_size = memory.size(), .offset = found->where.offset, .size = found->where.size},
        range.offset, range.size);
    if (!rounded) return device::refuse(rounded.error());
    if (!memory.needs_flush() || rounded->size == 0) continue;
    if (!memory.is_mapped()) return device::refuse(Reason::not_mapped);
    list[count++] = {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
                     .pNext = nullptr,
                     .memory = memory.handle(),
                     .offset = rounded->offset,
                     .size = rounded->size};
  }
  if (count == 0) return {};
  const VulkanFunctions& fn = core.device.fn();
  const auto call = visibility == Visibility::to_device ? fn.vkFlushMappedMemoryRanges
                                                        : fn.vkInvalidateMappedMemoryRanges;
  const VkResult result = call(core.device.handle(), count, list);
  if (result != VK_SUCCESS) return device::driver_failed(result);
  return {};
}

Status copy_to(Core& core, Allocation allocation, VkDeviceSize offset,
               std::span<const std::byte> bytes) {
  const auto found = find(core, allocation);
  if (!found) return Unexpected(found.error());
  const auto range = checked_copy(found->where, allocation, offset, bytes.size());
  if (!range) return Unexpected(range.error());
  if (bytes.empty()) return {};
  const auto address = map(core, allocation);
  if (!address) return Unexpected(address.error());
  std::memcpy(static_cast<std::byte*>(*address) + offset, bytes.data(), bytes.size());
  const Status visible = make_visible(core, {&*range, 1}, Visibility::to_device);
  const Status unmapped = unmap(core, allocation);
  return visible ? unmapped : visible;
}

Status copy_from(Core& core, Allocation allocation, VkDeviceSize offset,
                 std::span<std::byte> bytes) {
  const auto found = find(core, allocation);
  if (!found) return Unexpected(found.error());
  const auto range = checked_copy(found->where, allocation, offset, bytes.size());
  if (!range) return Unexpected(range.error());
  if (bytes.empty()) return {};
  const auto address = map(core, allocation);
  if (!address) return Unexpected(address.error());
  const Status visible = make_visible(core, {&*range, 1}, Visibility::to_host);
  if (visible)
    std::memcpy(bytes.data(), static_cast<const std::byte*>(*address) + offset, bytes.size());
  const Status unmapped = unmap(core, allocation);
  return visible ? unmapped : visible;
}

}  // namespace quarry::heap
