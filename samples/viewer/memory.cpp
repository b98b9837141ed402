// SPDX-License-Identifier: MIT
// Makes the allocator, finds the heap that textures go to and sets the limits.
#include "viewer/memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <span>

#include <quarry/volk.hpp>

#include "viewer/texture_image.hpp"

namespace quarry::viewer {

namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
/// What may be held besides what has to go, where a budget fell: images are replaced by smaller
/// ones, which where there is less find their places in gaps.
std::uint64_t room_to_shrink(std::uint64_t budget) {
  return std::clamp(budget / 64, 2 * kMebibyte, 128 * kMebibyte);
}

void on_message(void*, Severity severity, const char* text) {
  if (severity == Severity::information) return;
  (void)std::fprintf(stderr, "quarry-viewer: allocator: %s\n", text);
}

/// Blocks are small against the budget: what a block holds unused is lost to textures. Textures
/// above half a block get memory of their own.
BlockPolicy block_policy(std::uint64_t budget) {
  BlockPolicy policy;
  policy.largest_block = std::bit_floor(std::clamp(budget / 32, 4 * kMebibyte, 64 * kMebibyte));
  policy.first_block = std::min(policy.first_block, policy.largest_block);
  policy.largest_mapped_block = std::min(policy.largest_block, 16 * kMebibyte);
  policy.retained_bytes = budget / 16;
  return policy;
}

/// Before there is an allocator to ask: the largest device-local heap.
std::uint64_t likely_budget(VkPhysicalDevice device, std::optional<std::uint64_t> budget_mib) {
  if (budget_mib) return *budget_mib * kMebibyte;
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  std::uint64_t largest = 0;
  for (const VkMemoryHeap& heap : std::span(memory.memoryHeaps, memory.memoryHeapCount)) {
    if ((heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) largest = std::max(largest, heap.size);
  }
  return largest / 2;
}

}  // namespace

std::string describe(const Error& error) {
  return std::string(quarry::to_string(error.reason)) + " (" + to_string(error.code) + ")";
}

bool is_shortage(const Error& error) {
  return error.reason == Reason::over_limit || error.reason == Reason::over_budget ||
         error.reason == Reason::out_of_device_memory ||
         error.reason == Reason::too_many_allocations;
}

Outcome<std::unique_ptr<Memory>> Memory::create(Instance& instance, Gpu& gpu,
                                                std::optional<std::uint64_t> budget_mib,
                                                bool movable) {
  auto memory = std::make_unique<Memory>();
  memory->movable_ = movable;
  const VulkanFunctions functions = functions_from_volk();
  std::vector<const char*> instance_extensions;
  for (const std::string& name : instance.extensions())
    instance_extensions.push_back(name.c_str());
  AllocatorDesc desc;
  desc.api_version = VK_API_VERSION_1_3;
  desc.instance = instance.handle();
  desc.physical_device = gpu.facts().handle;
  desc.device = gpu.device();
  desc.functions = &functions;
  desc.instance_extensions = instance_extensions;
  desc.device_extensions = gpu.extensions();
  desc.features.memory_priority = gpu.facts().memory_priority;
  desc.features.maintenance4 = true;
  desc.features.timeline_semaphore = true;
  desc.blocks = block_policy(likely_budget(gpu.facts().handle, budget_mib));
  memory->largest_block_ = desc.blocks.largest_block;
  desc.on_message = on_message;
  auto allocator = Allocator::create(desc);
  if (!allocator) return failure("the allocator cannot be made: " + describe(allocator.error()));
  memory->allocator_ = std::move(*allocator);
  memory->allocator_.tick();
  const auto tag = [&](const char* name) {
    auto made = memory->allocator_.register_tag(name);
    return made ? *made : Tag{};
  };
  memory->texture_tag_ = tag("textures");
  memory->frame_tag_ = tag("frame");
  memory->staging_tag_ = tag("staging");
  if (auto found = memory->find_texture_heap(gpu.facts().block_compression); !found) {
    return failure(found.error());
  }
  if (auto chosen = memory->choose_budget(budget_mib); !chosen) return failure(chosen.error());
  return memory;
}

Outcome<void> Memory::start_trace(const std::filesystem::path& path, VkDevice device) {
  auto trace = MemoryTrace::create(path, device);
  if (!trace) return failure(trace.error());
  trace_ = std::move(*trace);
  for (const Tag tag : {texture_tag_, frame_tag_, staging_tag_})
    trace_->name_tag(tag, allocator_.tag_name(tag));
  return {};
}

Result<Image> Memory::create_image(const VkImageCreateInfo& info, const AllocationDesc& desc) {
  auto image = allocator_.create_image(info, desc);
  if (image && trace_ != nullptr) trace_->made(*image, desc);
  return image;
}

Result<Buffer> Memory::create_buffer(const VkBufferCreateInfo& info, const AllocationDesc& desc) {
  auto buffer = allocator_.create_buffer(info, desc);
  if (buffer && trace_ != nullptr) trace_->made(*buffer, desc);
  return buffer;
}

void Memory::leaving(Allocation allocation) {
  if (allocation && trace_ != nullptr) trace_->leaves(allocation);
}

void Memory::destroy(const Image& image) {
  leaving(image.allocations[0]);
  (void)allocator_.destroy(image);
}

Outcome<void> Memory::find_texture_heap(bool block_compression) {
  const VkFormat format =
      block_compression ? VK_FORMAT_BC1_RGB_SRGB_BLOCK : VK_FORMAT_R8G8B8A8_SRGB;
  const auto explained = allocator_.explain(texture_image_info(format, 4096, 4096, 13));
  if (!explained) {
    return failure("no memory type takes textures: " + describe(explained.error()));
  }
  texture_heap_ = explained->heap;
  const VkPhysicalDeviceMemoryProperties& memory = allocator_.facts().memory;
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    if (memory.memoryTypes[type].heapIndex == texture_heap_) texture_type_bits_ |= 1u << type;
  }
  return {};
}

Outcome<void> Memory::choose_budget(std::optional<std::uint64_t> budget_mib) {
  budget_ = VK_WHOLE_SIZE;
  const std::uint64_t room = texture_heap_room();
  budget_ = budget_mib ? *budget_mib * kMebibyte : room / 4 * 3;
  if (budget_ > room) {
    (void)std::fprintf(
        stderr,
        "quarry-viewer: --budget-mib: this device has %llu MiB to give, that is the budget\n",
        static_cast<unsigned long long>(room / kMebibyte));
    budget_ = room;
  }
  if (auto limited = allocator_.set_heap_limit(texture_heap_, budget_); !limited) {
    return failure("the budget cannot be set: " + describe(limited.error()));
  }
  return {};
}

Outcome<void> Memory::seal() {
  std::array<HeapBudget, VK_MAX_MEMORY_HEAPS> heaps;
  const std::uint32_t count = allocator_.budgets(heaps);
  elsewhere_ = 0;
  for (std::uint32_t heap = 0; heap < count; ++heap) {
    if (heap == texture_heap_) continue;
    elsewhere_ += heaps[heap].own_bytes;
    // A limit of 0 bytes is meant as such: what has nothing by now gets nothing.
    if (!allocator_.set_heap_limit(heap, heaps[heap].own_bytes))
      return failure("a heap takes no limit");
  }
  needed_ = elsewhere_ + heaps[texture_heap_].own_bytes;
  if (needed_ > budget_) {
    return failure("the budget of " + std::to_string(budget_ / kMebibyte) +
                   " MiB does not even hold what the picture itself needs (" +
                   std::to_string(needed_ / kMebibyte + 1) +
                   " MiB): raise --budget-mib or make the picture smaller with --window-size");
  }
  return limit_textures(budget_ - elsewhere_);
}

Outcome<void> Memory::limit_textures(std::uint64_t bytes) {
  if (!allocator_.set_heap_limit(texture_heap_, bytes)) {
    return failure("the texture heap takes no limit");
  }
  limit_ = bytes;
  return {};
}

void Memory::follow_budget() {
  const std::uint64_t wanted = budget_ - elsewhere_;
  const std::uint64_t held = allocator_.heap_totals(texture_heap_).block_bytes;
  const std::uint64_t room = room_to_shrink(budget_);
  const std::uint64_t growth = texture_heap_free_bytes() < room ? room : 0;
  // Never up, but for a budget that rose.
  const std::uint64_t limit =
      held <= wanted ? wanted : std::max(wanted, std::min(limit_, held + growth));
  if (limit != limit_) (void)limit_textures(limit);
}

std::uint64_t Memory::texture_heap_growth() const {
  const std::uint64_t held = allocator_.heap_totals(texture_heap_).block_bytes;
  return limit_ - std::min(limit_, held);
}

Outcome<void> Memory::change_budget(std::uint64_t bytes) {
  if (bytes < needed_) {
    return failure("a budget of " + std::to_string(bytes / kMebibyte) +
                   " MiB does not even hold what the picture itself needs (" +
                   std::to_string(needed_ / kMebibyte + 1) + " MiB)");
  }
  budget_ = bytes;
  follow_budget();
  return {};
}

std::uint64_t Memory::texture_heap_excess() const {
  const std::uint64_t held = allocator_.heap_totals(texture_heap_).block_bytes;
  return held - std::min(held, texture_heap_room());
}

std::uint64_t Memory::texture_heap_room() const {
  std::array<HeapBudget, VK_MAX_MEMORY_HEAPS> heaps;
  allocator_.budgets(heaps);
  const HeapBudget& heap = heaps[texture_heap_];
  const std::uint64_t of_others = heap.usage - std::min(heap.usage, heap.own_bytes);
  return std::min(budget_ - elsewhere_, heap.budget - std::min(heap.budget, of_others));
}

std::uint64_t Memory::texture_heap_live_bytes() const {
  return allocator_.heap_totals(texture_heap_).allocation_bytes;
}

std::uint64_t Memory::texture_heap_free_bytes() const {
  const Totals totals = allocator_.heap_totals(texture_heap_);
  return totals.block_bytes - std::min(totals.block_bytes, totals.allocation_bytes);
}

AllocationDesc Memory::texture_desc() const {
  return {.within_budget = true,
          .movable = movable_,
          .memory_type_bits = texture_type_bits_,
          .tag = texture_tag_};
}

std::uint64_t Memory::reserved_bytes() const {
  return allocator_.totals().block_bytes;
}

}  // namespace quarry::viewer
