// SPDX-License-Identifier: MIT
// The public face: each member hands over to the file that does it. What looks at the heap as a
// whole stands in observe.
#include <utility>

#include <quarry/allocator.hpp>

#include "device/error.hpp"
#include "heap/core.hpp"
#include "heap/explanation.hpp"
#include "heap/hot_path.hpp"
#include "heap/lookup.hpp"
#include "heap/mapping.hpp"
#include "heap/pins.hpp"
#include "heap/pools.hpp"
#include "heap/quotas.hpp"
#include "heap/resources.hpp"
#include "heap/upkeep.hpp"

namespace quarry {

Result<Allocator> Allocator::create(const AllocatorDesc& desc) {
  const auto core = heap::Core::make(desc);
  if (!core) return Unexpected(core.error());
  return Allocator(*core);
}

Allocator::Allocator(Allocator&& other) noexcept : core_(std::exchange(other.core_, nullptr)) {}

Allocator& Allocator::operator=(Allocator&& other) noexcept {
  if (this != &other) {
    const Allocator old(std::move(*this));
    core_ = std::exchange(other.core_, nullptr);
  }
  return *this;
}

const DeviceFacts& Allocator::facts() const {
  return core_->device.facts();
}

Result<Buffer> Allocator::create_buffer(const VkBufferCreateInfo& info,
                                        const AllocationDesc& desc) {
  return heap::create_buffer(*core_, info, desc);
}

Result<Image> Allocator::create_image(const VkImageCreateInfo& info, const AllocationDesc& desc) {
  return heap::create_image(*core_, info, desc);
}

Status Allocator::destroy(Buffer buffer) {
  return heap::destroy(*core_, buffer);
}

Status Allocator::destroy(Image image) {
  return heap::destroy(*core_, image);
}

Result<VkBuffer> Allocator::create_aliasing_buffer(Allocation allocation, VkDeviceSize offset,
                                                   const VkBufferCreateInfo& info) {
  return heap::create_aliasing_buffer(*core_, allocation, offset, info);
}

Result<VkImage> Allocator::create_aliasing_image(Allocation allocation, VkDeviceSize offset,
                                                 const VkImageCreateInfo& info) {
  return heap::create_aliasing_image(*core_, allocation, offset, info);
}

Status Allocator::pin(Allocation allocation) {
  return heap::pin(*core_, allocation);
}

Status Allocator::unpin(Allocation allocation) {
  return heap::unpin(*core_, allocation);
}

std::uint64_t Allocator::allocate_at_once(const VkMemoryRequirements& requirements,
                                          ResourceKind kind, const AllocationDesc& desc) noexcept {
  return heap::allocate_hot(*core_, requirements, kind, desc);
}

Result<Allocation> Allocator::allocate_anyhow(const VkMemoryRequirements& requirements,
                                              ResourceKind kind, const AllocationDesc& desc) {
  return heap::allocate(*core_, requirements, kind, desc);
}

Result<Allocation> Allocator::allocate_for_buffer(VkBuffer buffer, const AllocationDesc& desc) {
  return heap::allocate_for_buffer(*core_, buffer, desc);
}

Result<Allocation> Allocator::allocate_for_image(VkImage image, VkImageTiling tiling,
                                                 const AllocationDesc& desc) {
  return heap::allocate_for_image(*core_, image, tiling, desc);
}

Status Allocator::bind_buffer(Allocation allocation, VkBuffer buffer, VkDeviceSize offset,
                              const void* next) {
  return heap::bind_buffer(*core_, allocation, buffer, offset, next);
}

Status Allocator::bind_image(Allocation allocation, VkImage image, VkDeviceSize offset,
                             const void* next) {
  return heap::bind_image(*core_, allocation, image, offset, next);
}

bool Allocator::free_at_once(Allocation allocation) noexcept {
  return heap::free_hot(*core_, allocation);
}

Status Allocator::free_anyhow(Allocation allocation) {
  return heap::free(*core_, allocation);
}

Status Allocator::free_after(Allocation allocation, const GpuPoint& point) {
  return core_->ordered_frees.defer(std::span<const Allocation>(&allocation, 1), point);
}

Status Allocator::free_after(std::span<const Allocation> allocations, const GpuPoint& point) {
  return core_->ordered_frees.defer(allocations, point);
}

Status Allocator::destroy_after(const Buffer& buffer, const GpuPoint& point) {
  return core_->ordered_frees.defer(std::span<const Buffer>(&buffer, 1), point);
}

Status Allocator::destroy_after(const Image& image, const GpuPoint& point) {
  return core_->ordered_frees.defer(std::span<const Image>(&image, 1), point);
}

Status Allocator::destroy_after(std::span<const Buffer> buffers, const GpuPoint& point) {
  return core_->ordered_frees.defer(buffers, point);
}

Status Allocator::destroy_after(std::span<const Image> images, const GpuPoint& point) {
  return core_->ordered_frees.defer(images, point);
}

Result<VkDeviceSize> Allocator::collect() {
  return core_->ordered_frees.collect();
}

PendingFrees Allocator::pending_frees() const {
  return core_->ordered_frees.figures();
}

Result<OrderedAllocation> Allocator::allocate_ordered(const VkMemoryRequirements& requirements,
                                                      ResourceKind kind, const AllocationDesc& desc,
                                                      const GpuUse& use) {
  OrderedAllocation made;
  const auto allocation = heap::allocate(*core_, requirements, kind, desc, {&use, &made.order});
  if (!allocation) return Unexpected(allocation.error());
  made.allocation = *allocation;
  return made;
}

Result<OrderedBuffer> Allocator::create_buffer_ordered(const VkBufferCreateInfo& info,
                                                       const AllocationDesc& desc,
                                                       const GpuUse& use) {
  OrderedBuffer made;
  const auto buffer = heap::create_buffer(*core_, info, desc, {&use, &made.order});
  if (!buffer) return Unexpected(buffer.error());
  made.buffer = *buffer;
  return made;
}

Result<OrderedImage> Allocator::create_image_ordered(const VkImageCreateInfo& info,
                                                     const AllocationDesc& desc,
                                                     const GpuUse& use) {
  OrderedImage made;
  const auto image = heap::create_image(*core_, info, desc, {&use, &made.order});
  if (!image) return Unexpected(image.error());
  made.image = *image;
  return made;
}

Result<std::uint32_t> Allocator::select_memory_type(std::uint32_t memory_type_bits,
                                                    const AllocationDesc& desc) const {
  return heap::select_memory_type(*core_, memory_type_bits, desc);
}

Result<Explanation> Allocator::explain(const VkBufferCreateInfo& info, const AllocationDesc& desc) {
  return heap::explain(*core_, info, desc);
}

Result<Explanation> Allocator::explain(const VkImageCreateInfo& info, const AllocationDesc& desc) {
  return heap::explain(*core_, info, desc);
}

Result<Explanation> Allocator::explain(const VkMemoryRequirements& requirements, ResourceKind kind,
                                       const AllocationDesc& desc) {
  return heap::explain(*core_, requirements, kind, desc);
}

Result<Explanation> Allocator::explain(Allocation allocation) const {
  return heap::explain(*core_, allocation);
}

Result<AllocationInfo> Allocator::info(Allocation allocation) const {
  const auto found = heap::find_anywhere(*core_, allocation);
  if (!found) return Unexpected(found.error());
  const heap::Record& record = found->record;
  const memory::DeviceMemory& memory = found->memory();
  AllocationInfo info;
  info.resident = !record.demoted();
  if (info.resident) {
    info.memory = memory.handle();
    info.offset = found->where.offset;
  }
  info.size = found->where.size;
  info.memory_type = memory.memory_type();
  info.property_flags = memory.property_flags();
  if (record.mapped_for_life() || record.map_count() != 0)
    info.mapped = memory.mapped() + found->where.offset;
  info.dedicated = found->where.block->dedicated();
  info.movable = heap::origin_of(*core_, allocation, record).movable == MovableVerdict::movable;
  if (const heap::PoolState* pool = found->pool()) info.pool = pool->handle;
  info.tag = record.tag();
  info.user_data = record.user_data.load(std::memory_order_relaxed);
  core_->extras.look(allocation.value, record,
                     [&](const heap::Extras& extras) { info.name = extras.name; });
  return info;
}

Status Allocator::set_name(Allocation allocation, const char* name) {
  const auto found = heap::find_anywhere(*core_, allocation);
  if (!found) return Unexpected(found.error());
  if (!core_->extras.rename(allocation.value, found->record, name))
    return device::refuse(Reason::out_of_host_memory);
  return {};
}

Status Allocator::set_user_data(Allocation allocation, void* user_data) {
  const auto found = heap::find_anywhere(*core_, allocation);
  if (!found) return Unexpected(found.error());
  found->record.user_data.store(user_data, std::memory_order_relaxed);
  return {};
}

Result<void*> Allocator::map(Allocation allocation) {
  return heap::map(*core_, allocation);
}

Status Allocator::unmap(Allocation allocation) {
  return heap::unmap(*core_, allocation);
}

Status Allocator::flush(Allocation allocation, VkDeviceSize offset, VkDeviceSize size) {
  const AllocationRange range{allocation, offset, size};
  return heap::make_visible(*core_, {&range, 1}, heap::Visibility::to_device);
}

Status Allocator::invalidate(Allocation allocation, VkDeviceSize offset, VkDeviceSize size) {
  const AllocationRange range{allocation, offset, size};
  return heap::make_visible(*core_, {&range, 1}, heap::Visibility::to_host);
}

Status Allocator::flush(std::span<const AllocationRange> ranges) {
  return heap::make_visible(*core_, ranges, heap::Visibility::to_device);
}

Status Allocator::invalidate(std::span<const AllocationRange> ranges) {
  return heap::make_visible(*core_, ranges, heap::Visibility::to_host);
}

Status Allocator::copy_to(Allocation allocation, VkDeviceSize offset,
                          std::span<const std::byte> bytes) {
  return heap::copy_to(*core_, allocation, offset, bytes);
}

Status Allocator::copy_from(Allocation allocation, VkDeviceSize offset,
                            std::span<std::byte> bytes) {
  return heap::copy_from(*core_, allocation, offset, bytes);
}

Result<Pool> Allocator::create_pool(const PoolDesc& desc) {
  return heap::create_pool(*core_, desc);
}

Status Allocator::destroy_pool(Pool pool) {
  return heap::destroy_pool(*core_, pool);
}

Result<Tag> Allocator::register_tag(std::string_view name) {
  return core_->tags.add(name);
}

Tag Allocator::tag_parent(Tag tag) const {
  return core_->tags.parent(tag);
}

Status Allocator::set_quota(Tag tag, const TagQuota& quota) {
  return heap::set_quota(*core_, tag, quota);
}

TagQuota Allocator::quota(Tag tag) const {
  return core_->tags.quota(tag);
}

const char* Allocator::tag_name(Tag tag) const {
  return core_->tags.name(tag);
}

std::uint32_t Allocator::tag_count() const {
  return core_->tags.count();
}

Result<VkDeviceSize> Allocator::prefetch(VkDeviceSize bytes, ResourceKind kind,
                                         const AllocationDesc& desc) {
  return heap::prefetch(*core_, bytes, kind, desc);
}

void Allocator::work() {
  core_->background.work();
}

void Allocator::refresh_budget() {
  core_->refresh_budget();
}

void Allocator::tick() {
  heap::tick(*core_);
}

std::uint32_t Allocator::budgets(std::span<HeapBudget> heaps) const {
  return heap::budgets(*core_, heaps);
}

Status Allocator::set_heap_limit(std::uint32_t heap, VkDeviceSize bytes) {
  return heap::set_heap_limit(*core_, heap, bytes);
}

VkDeviceSize Allocator::trim() {
  return heap::trim(*core_);
}

Totals Allocator::totals() const {
  return core_->total();
}

Totals Allocator::heap_totals(std::uint32_t heap) const {
  return core_->total_of_heap(heap);
}

Totals Allocator::memory_type_totals(std::uint32_t type) const {
  return core_->total_of_type(type);
}

Result<Totals> Allocator::pool_totals(Pool pool) const {
  return heap::pool_totals(*core_, pool);
}

Totals Allocator::tag_totals(Tag tag) const {
  return core_->total_of_tag(tag);
}

Totals Allocator::tag_totals_alone(Tag tag) const {
  return core_->total_of_tag_alone(tag);
}

void Allocator::reset_peaks() {
  core_->reset_peaks();
}

Counters Allocator::counters() const {
  return heap::counters(*core_);
}

}  // namespace quarry
