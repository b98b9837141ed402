// SPDX-License-Identifier: MIT
#include "bench/reference_allocator.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include <malloc.h>

namespace quarry::bench {

namespace {

constexpr VkDeviceSize align_up(VkDeviceSize value, VkDeviceSize alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

HostMemory counted_memory(std::size_t& bytes) {
  HostMemory host;
  host.user = &bytes;
  host.allocate = [](void* user, std::size_t size, std::size_t alignment) noexcept -> void* {
    alignment = std::max(alignment, sizeof(void*));
    void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory != nullptr) *static_cast<std::size_t*>(user) += malloc_usable_size(memory);
    return memory;
  };
  host.release = [](void* user, void* memory) noexcept {
    *static_cast<std::size_t*>(user) -= malloc_usable_size(memory);
    std::free(memory);
  };
  return host;
}

struct WantedFlags {
  VkMemoryPropertyFlags required = 0;
  VkMemoryPropertyFlags unwanted = 0;
};

WantedFlags wanted_flags(MemoryIntent intent) {
  constexpr VkMemoryPropertyFlags kMapped =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  switch (intent) {
    case MemoryIntent::upload:
      return {kMapped, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
    case MemoryIntent::readback:
      return {kMapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 0};
    case MemoryIntent::device_upload:
      return {kMapped | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
    default:
      return {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT};
  }
}

}  // namespace

ReferenceAllocator::ReferenceAllocator(const ReferenceDesc& desc)
    : desc_(desc),
      range_memory_(counted_memory(range_bytes_)),
      types_(desc.memory.memoryTypeCount) {
  for (TypeBlocks& type : types_)
    type.next_size = desc_.first_block;
}

ReferenceAllocator::~ReferenceAllocator() {
  for (Record& record : records_) {
    if (record.block != nullptr && !record.block->space) {
      drop_memory(*record.block);
      delete record.block;
    }
  }
  for (TypeBlocks& type : types_) {
    for (const std::unique_ptr<Block>& block : type.blocks)
      drop_memory(*block);
  }
}

std::uint32_t ReferenceAllocator::choose_type(std::uint32_t type_bits, MemoryIntent intent) const {
  const WantedFlags wanted = wanted_flags(intent);
  const std::uint32_t count = desc_.memory.memoryTypeCount;
  std::uint32_t fallback = count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkMemoryPropertyFlags flags = desc_.memory.memoryTypes[i].propertyFlags;
    if (((type_bits >> i) & 1u) == 0) continue;
    if ((flags & wanted.required) != wanted.required) continue;
    if ((flags & wanted.unwanted) == 0) return i;
    if (fallback == count) fallback = i;
  }
  return fallback;
}

std::unique_ptr<ReferenceAllocator::Block> ReferenceAllocator::make_block(std::uint32_t type,
                                                                          VkDeviceSize size) {
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = size;
  info.memoryTypeIndex = type;
  auto block = std::make_unique<Block>();
  const VkResult result =
      desc_.functions.vkAllocateMemory(desc_.device, &info, nullptr, &block->memory);
  if (result != VK_SUCCESS) return nullptr;
  block->size = size;
  block->type = type;
  totals_.reserved_bytes += size;
  totals_.peak_reserved_bytes = std::max(totals_.peak_reserved_bytes, totals_.reserved_bytes);
  ++totals_.memory_count;
  ++totals_.driver_allocations;
  return block;
}

bool ReferenceAllocator::cut(TypeBlocks& type, Block& block, const OffsetRequest& request,
                             Record& record) {
  const bool was_empty = block.space->empty();
  const auto range = block.space->allocate(request);
  if (!range) return false;
  if (was_empty) --type.empty_count;
  record.block = &block;
  record.range = range->handle;
  return true;
}

bool ReferenceAllocator::place_in_new_block(std::uint32_t type, const OffsetRequest& request,
                                            Record& record) {
  TypeBlocks& blocks = types_[type];
  const VkDeviceSize needed = align_up(request.size, VkDeviceSize{64} << 10);
  VkDeviceSize size = std::max(blocks.next_size, std::bit_ceil(needed));
  std::unique_ptr<Block> block = make_block(type, size);
  while (block == nullptr && size / 2 >= needed) {
    size /= 2;
    block = make_block(type, size);
  }
  if (block == nullptr) return false;
  block->space.emplace(TlsfDesc{.size = size, .max_allocations = 0, .host = range_memory_});
  blocks.next_size = std::min(std::max(size, blocks.next_size) * 2, desc_.largest_block);
  blocks.blocks.push_back(std::move(block));
  ++blocks.empty_count;
  return cut(blocks, *blocks.blocks.back(), request, record);
}

bool ReferenceAllocator::place(std::uint32_t type, const OffsetRequest& request, Record& record) {
  TypeBlocks& blocks = types_[type];
  const std::uint32_t size_class = Tlsf::class_of(request.size);
  for (const std::unique_ptr<Block>& block : blocks.blocks) {
    if (block->space->largest_free_class() < size_class) continue;
    if (cut(blocks, *block, request, record)) return true;
  }
  return place_in_new_block(type, request, record);
}

bool ReferenceAllocator::place_dedicated(std::uint32_t type, VkDeviceSize size, Record& record) {
  record.block = make_block(type, size).release();
  return record.block != nullptr;
}

std::uint64_t ReferenceAllocator::keep(const Record& record) {
  if (first_free_ == 0) {
    records_.emplace_back();
    first_free_ = static_cast<std::uint32_t>(records_.size());
  }
  const std::uint32_t index = first_free_ - 1;
  Record& kept = records_[index];
  first_free_ = kept.next_free;
  kept.block = record.block;
  kept.range = record.range;
  kept.size = record.size;
  return (std::uint64_t{kept.generation} << 32) | index;
}

std::uint64_t ReferenceAllocator::allocate(const VkMemoryRequirements& requirements,
                                           ResourceKind kind, MemoryIntent intent) {
  OffsetRequest request;
  request.size = requirements.size;
  request.alignment = requirements.alignment;
  if (kind != ResourceKind::linear && desc_.granularity > 1) {
    request.alignment = std::max(request.alignment, desc_.granularity);
    request.size = align_up(request.size, desc_.granularity);
  }
  const std::lock_guard lock(mutex_);
  const std::uint32_t type = choose_type(requirements.memoryTypeBits, intent);
  if (type == desc_.memory.memoryTypeCount) return 0;
  Record record;
  record.size = requirements.size;
  const bool placed = request.size > desc_.largest_block / 2
                          ? place_dedicated(type, request.size, record)
                          : place(type, request, record);
  if (!placed) return 0;
  totals_.live_bytes += record.size;
  ++totals_.live_count;
  return keep(record);
}

void ReferenceAllocator::drop_memory(Block& block) {
  desc_.functions.vkFreeMemory(desc_.device, block.memory, nullptr);
  totals_.reserved_bytes -= block.size;
  --totals_.memory_count;
  ++totals_.driver_frees;
}

void ReferenceAllocator::drop_if_surplus(Block& block) {
  TypeBlocks& type = types_[block.type];
  if (++type.empty_count <= 1) return;
  --type.empty_count;
  drop_memory(block);
  std::erase_if(type.blocks, [&](const auto& each) { return each.get() == &block; });
}

bool ReferenceAllocator::free(std::uint64_t handle) {
  const auto index = static_cast<std::uint32_t>(handle);
  const auto generation = static_cast<std::uint32_t>(handle >> 32);
  const std::lock_guard lock(mutex_);
  if (index >= records_.size()) return false;
  Record& record = records_[index];
  if (record.block == nullptr || record.generation != generation) return false;
  Block* block = std::exchange(record.block, nullptr);
  totals_.live_bytes -= record.size;
  --totals_.live_count;
  ++record.generation;
  record.next_free = std::exchange(first_free_, index + 1);
  if (!block->space) {
    drop_memory(*block);
    delete block;
    return true;
  }
  (void)block->space->free(record.range);
  if (block->space->empty()) drop_if_surplus(*block);
  return true;
}

ReferenceTotals ReferenceAllocator::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

double ReferenceAllocator::fragmentation() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t free_bytes = 0;
  std::uint64_t largest = 0;
  for (const TypeBlocks& type : types_) {
    for (const std::unique_ptr<Block>& block : type.blocks) {
      const OffsetStatistics statistics = block->space->statistics();
      free_bytes += statistics.free_bytes;
      largest = std::max(largest, statistics.largest_free);
    }
  }
  if (free_bytes == 0) return 0.0;
  return 1.0 - static_cast<double>(largest) / static_cast<double>(free_bytes);
}

std::size_t ReferenceAllocator::host_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = range_bytes_ + records_.capacity() * sizeof(Record);
  for (const TypeBlocks& type : types_)
    bytes += type.blocks.size() * (sizeof(Block) + sizeof(std::unique_ptr<Block>));
  return bytes;
}

}  // namespace quarry::bench
