// SPDX-License-Identifier: MIT
// The allocator: chooses memory types, suballocates, binds, maps, accounts. Start reading the
// library here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>
#include <quarry/budget.hpp>
#include <quarry/explain.hpp>
#include <quarry/ordered_free.hpp>
#include <quarry/pool.hpp>
#include <quarry/quota.hpp>
#include <quarry/result.hpp>
#include <quarry/snapshot.hpp>
#include <quarry/statistics.hpp>
#include <quarry/vulkan_functions.hpp>

namespace quarry {

namespace heap {
class Core;
}

/// Device features that the owner enabled at vkCreateDevice and that change what the library may
/// do.
struct EnabledFeatures {
  bool buffer_device_address = false;   ///< Vulkan 1.2 or VK_KHR_buffer_device_address
  bool memory_priority = false;         ///< VK_EXT_memory_priority
  bool device_coherent_memory = false;  ///< VK_AMD_device_coherent_memory
  bool maintenance4 = false;            ///< Vulkan 1.3 or VK_KHR_maintenance4
  bool maintenance5 = false;            ///< Vulkan 1.4 or VK_KHR_maintenance5
  bool protected_memory = false;        ///< Vulkan 1.1
  bool timeline_semaphore = false;      ///< Vulkan 1.2 or VK_KHR_timeline_semaphore
};

/// How large blocks are and how long empty ones are kept. Sizes in bytes.
struct BlockPolicy {
  VkDeviceSize first_block = VkDeviceSize{4} << 20;  ///< of each class; later ones double
  /// Cap; also an eighth of the heap where that is less.
  VkDeviceSize largest_block = VkDeviceSize{256} << 20;
  /// Cap in HOST_VISIBLE types that are not device-local.
  VkDeviceSize largest_mapped_block = VkDeviceSize{64} << 20;
  /// Requests from this size up have blocks of their own, so that no small long-lived allocation
  /// keeps a block from them. VK_WHOLE_SIZE: all share blocks. Not in custom pools.
  VkDeviceSize large_request = VkDeviceSize{1} << 20;
  /// Empty blocks kept in each heap at most.
  VkDeviceSize retained_bytes = VkDeviceSize{256} << 20;
  /// tick() releases blocks that were empty for longer.
  std::uint32_t retained_milliseconds = 20'000;
  /// Cap on bytes mapped at once; 0: none on 64 bits, 256 MiB on 32 bits.
  VkDeviceSize mapped_address_space = 0;
};

/// How small and concurrent requests are served in the default pools. Custom pools place every
/// request exactly and alone.
struct HotPathPolicy {
  /// Requests up to this many bytes, 65,536 at most, take slots of slabs: ranges cut into pieces of
  /// one size, which waste an eighth at most but for the smallest. 0: no slabs.
  VkDeviceSize largest_slot = VkDeviceSize{64} << 10;
  /// Bytes of free slots that each thread may keep for itself, so that it takes no lock. They are
  /// given back by trim(), after a second without work at tick(), at the thread's end and before a
  /// shortage is reported. 0: no caches.
  VkDeviceSize thread_cache_bytes = VkDeviceSize{32} << 20;
  /// Parts of an arena (one kind of memory) that threads may work in at once; 0: as many as the
  /// host has processors, 16 at most. A part is taken into use when another is busy.
  std::uint32_t shards = 0;
  /// The same calls from one thread give the same placement: no caches, one shard.
  bool deterministic = false;
};

/// Who makes blocks before they are needed, and releases what is kept too long.
enum class BackgroundWork : std::uint8_t {
  none,        ///< nobody makes any ahead; whoever frees, or calls tick(), releases
  own_thread,  ///< a thread of the library's, from create() on
  by_owner,    ///< whichever thread calls Allocator::work()
};

/// What other threads then have no driver call for: no free and no tick() releases device memory,
/// and steady growth of the default pools finds its blocks ready.
struct BackgroundPolicy {
  BackgroundWork work = BackgroundWork::none;
  /// Of the library's thread, from one look to the next.
  std::uint32_t interval_milliseconds = 50;
  /// Growth is prepared for as long: empty blocks are kept ready for the bytes of blocks that were
  /// taken into use in such a time lately, BlockPolicy::retained_bytes at most, within the budget.
  std::uint32_t lead_milliseconds = 500;
};

/// Drivers of one vendor, as VkPhysicalDeviceProperties tells.
struct DriverRange {
  std::uint32_t vendor_id = 0;
  std::uint32_t device_id = 0;  ///< 0: any
  std::uint32_t first_version = 0;
  std::uint32_t last_version = ~0u;
};

enum class Severity : std::uint8_t { information, warning, error };

struct AllocatorDesc {
  /// The lower of the versions that instance and device were created for, as VK_MAKE_API_VERSION; 0
  /// means 1.0.
  std::uint32_t api_version = VK_API_VERSION_1_0;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  /// One of the two: the library fetches its functions, or the owner gives them (copied).
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  const VulkanFunctions* functions = nullptr;
  std::span<const char* const> instance_extensions{};  ///< as enabled; only read during creation
  std::span<const char* const> device_extensions{};    ///< as enabled; only read during creation
  EnabledFeatures features{};
  /// Copied; for metadata and for every Vulkan object made.
  const VkAllocationCallbacks* host_callbacks = nullptr;
  BlockPolicy blocks{};
  HotPathPolicy hot_path{};
  /// Nothing is ever moved: Defragmentation::begin answers unsupported.
  bool never_move = false;
  /// The same on these drivers; only read during creation.
  std::span<const DriverRange> never_move_on{};
  /// create() fails with bad_argument for times of 0, and for a thread of the library's beside
  /// HotPathPolicy::deterministic.
  BackgroundPolicy background{};
  BudgetPolicy budget{};
  OrderedFreePolicy ordered_frees{};
  QuotaPolicy quotas{};
  /// Limit in bytes for each heap, on what this allocator holds; missing or VK_WHOLE_SIZE: none.
  std::span<const VkDeviceSize> heap_limits{};
  /// LadderRung bits: which rungs a request in a shortage may climb. create() fails with
  /// bad_argument for other bits.
  std::uint32_t ladder = kEveryRung;
  /// Share of a heap's size that counts as its budget where the driver does not tell.
  double assumed_budget_share = 0.8;
  /// Milliseconds that only grow, for retention; null: a steady clock.
  std::uint64_t (*clock)(void* user) = nullptr;
  void* clock_user = nullptr;
  /// Leaks at destruction, and what deserves a developer's eye. Called from any thread, with no
  /// lock held.
  void (*on_message)(void* user, Severity severity, const char* text) = nullptr;
  void* message_user = nullptr;
  /// Runs on a shortage, with no lock held; may free, and even allocate (such a request asks nobody
  /// again). Returns true if a retry makes sense.
  bool (*on_shortage)(void* user, std::uint32_t heap, VkDeviceSize bytes) = nullptr;
  void* shortage_user = nullptr;
};

/// What the library found out about the device; constant over the allocator's life.
struct DeviceFacts {
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceMemoryProperties memory{};
  /// maxMemoryAllocationSize, or the largest heap below Vulkan 1.1.
  VkDeviceSize maximum_allocation_size = 0;
  /// In use: the lowest of what was declared and what the device offers.
  std::uint32_t api_version = 0;
  bool uses_requirements2 = false;
  bool uses_dedicated_allocation = false;
  bool uses_bind2 = false;
  bool uses_memory_budget = false;
  bool uses_maintenance4 = false;
  EnabledFeatures features{};
};

/// A range of an allocation for flush, invalidate: bytes; size may be VK_WHOLE_SIZE.
struct AllocationRange {
  Allocation allocation{};
  VkDeviceSize offset = 0;
  VkDeviceSize size = VK_WHOLE_SIZE;
};

/// Allocates device memory. Every member function may be called from any thread at any time, except
/// where it says otherwise; destruction and moving must not run beside other calls. No function
/// submits work to a queue. A default-constructed or moved-from allocator may only be tested,
/// assigned to and destroyed.
class Allocator {
 public:
  /// Fails with Reason::function_missing, bad_argument or out_of_host_memory. Instance and device
  /// stay the owner's and must outlive the allocator.
  static Result<Allocator> create(const AllocatorDesc& desc);

  Allocator() = default;
  Allocator(Allocator&& other) noexcept;
  Allocator& operator=(Allocator&& other) noexcept;
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  /// The GPU must be done with what free_after() and destroy_after() keep: it is released, and the
  /// semaphores may be gone. Reports each surviving allocation through on_message, then frees all
  /// VkDeviceMemory. Buffers and images that the owner did not destroy are not destroyed.
  ~Allocator();
  explicit operator bool() const { return core_ != nullptr; }

  const DeviceFacts& facts() const;

  // ---- Resources in one call: create, choose, allocate, bind, name
  // -------------------------------------------------------
  /// Vulkan specification, "Resource Creation" and "Resource Memory Association". On an error
  /// nothing is left behind.
  Result<Buffer> create_buffer(const VkBufferCreateInfo& info, const AllocationDesc& desc = {});
  /// Disjoint images get one allocation a plane.
  Result<Image> create_image(const VkImageCreateInfo& info, const AllocationDesc& desc = {});
  /// Destroys the resource and frees its memory. The GPU must be done with it. Null handles are
  /// allowed and do nothing.
  Status destroy(Buffer buffer);
  Status destroy(Image image);
  /// Makes a further resource in the memory of a live allocation, `offset` bytes into it. The
  /// caller destroys it with vkDestroyBuffer / vkDestroyImage. Specification: "Memory Aliasing".
  Result<VkBuffer> create_aliasing_buffer(Allocation allocation, VkDeviceSize offset,
                                          const VkBufferCreateInfo& info);
  Result<VkImage> create_aliasing_image(Allocation allocation, VkDeviceSize offset,
                                        const VkImageCreateInfo& info);

  // ---- Memory alone
  // -------------------------------------------------------------------------------------------------------
  /// `requirements` as Vulkan returned them. Unknown kinds are placed so that either kind of
  /// resource may be bound.
  Result<Allocation> allocate(const VkMemoryRequirements& requirements, ResourceKind kind,
                              const AllocationDesc& desc = {}) {
    if (const std::uint64_t handle = allocate_at_once(requirements, kind, desc))
      return Allocation{handle};
    return allocate_anyhow(requirements, kind, desc);
  }
  /// Asks the driver for the requirements, allocates, does not bind.
  Result<Allocation> allocate_for_buffer(VkBuffer buffer, const AllocationDesc& desc = {});
  Result<Allocation> allocate_for_image(VkImage image, VkImageTiling tiling,
                                        const AllocationDesc& desc = {});
  /// `offset` is in bytes from the start of the allocation; `next` goes to VkBind*MemoryInfo::pNext
  /// (needs bind_memory2).
  Status bind_buffer(Allocation allocation, VkBuffer buffer, VkDeviceSize offset = 0,
                     const void* next = nullptr);
  Status bind_image(Allocation allocation, VkImage image, VkDeviceSize offset = 0,
                    const void* next = nullptr);
  Status free(Allocation allocation) {
    if (free_at_once(allocation)) return {};
    return free_anyhow(allocation);
  }

  // ---- Frees that take effect when the GPU is done, and requests that follow them early. Need
  // EnabledFeatures::timeline_semaphore, else Reason::feature_not_enabled. docs/ordered_free.md.
  // -------------------------------
  /// The handle is stale at once, for every function; the memory is free when the point is reached.
  /// Errors leave it the caller's: those of free(), over_limit (OrderedFreePolicy),
  /// out_of_host_memory, being_moved while a move of it is under way.
  Status free_after(Allocation allocation, const GpuPoint& point);
  /// All of them or, on an error, none.
  Status free_after(std::span<const Allocation> allocations, const GpuPoint& point);
  Status destroy_after(const Buffer& buffer, const GpuPoint& point);
  Status destroy_after(const Image& image, const GpuPoint& point);
  Status destroy_after(std::span<const Buffer> buffers, const GpuPoint& point);
  Status destroy_after(std::span<const Image> images, const GpuPoint& point);
  /// Asks each semaphore that something waits for once, destroys and frees what is reached, and
  /// never waits for the GPU. The bytes freed. tick() does it, too. An error is the driver's:
  /// nothing was freed.
  Result<VkDeviceSize> collect();
  PendingFrees pending_frees() const;
  /// As allocate(), create_buffer() and create_image(), for work that may follow earlier uses of
  /// its memory: see GpuUse, and in ReuseOrder what must be done before the first use. Host access
  /// never follows early: requests for it wait as others do, and map() answers
  /// Reason::still_in_use, with what to wait for, until the earlier uses are over.
  Result<OrderedAllocation> allocate_ordered(const VkMemoryRequirements& requirements,
                                             ResourceKind kind, const AllocationDesc& desc,
                                             const GpuUse& use);
  Result<OrderedBuffer> create_buffer_ordered(const VkBufferCreateInfo& info,
                                              const AllocationDesc& desc, const GpuUse& use);
  Result<OrderedImage> create_image_ordered(const VkImageCreateInfo& info,
                                            const AllocationDesc& desc, const GpuUse& use);

  // ---- Choice
  // -------------------------------------------------------------------------------------------------------------
  /// The memory type that an allocation with these properties would try first.
  Result<std::uint32_t> select_memory_type(std::uint32_t memory_type_bits,
                                           const AllocationDesc& desc) const;
  /// Dry runs: nothing is allocated; the driver is asked for requirements (through maintenance4, or
  /// a resource that is made and destroyed again).
  Result<Explanation> explain(const VkBufferCreateInfo& info, const AllocationDesc& desc = {});
  Result<Explanation> explain(const VkImageCreateInfo& info, const AllocationDesc& desc = {});
  Result<Explanation> explain(const VkMemoryRequirements& requirements, ResourceKind kind,
                              const AllocationDesc& desc = {});
  /// Afterwards: how it came about.
  Result<Explanation> explain(Allocation allocation) const;

  // ---- Live allocations
  // -----------------------------------------------------------------------------------------------------
  Result<AllocationInfo> info(Allocation allocation) const;
  Status set_name(Allocation allocation, const char* name);  ///< copied; null removes it
  Status set_user_data(Allocation allocation, void* user_data);
  /// Counted: as long as it is pinned, a movable allocation stays where it lies. Others stay
  /// anyway; pins of those are not counted. unpin without pin: bad_argument.
  Status pin(Allocation allocation);
  Status unpin(Allocation allocation);

  // ---- Mapping. Reference-counted for each allocation; the VkDeviceMemory is mapped once
  // ------------------------------------
  Result<void*> map(Allocation allocation);
  Status unmap(Allocation allocation);
  /// Makes CPU writes visible to the device / device writes visible to the CPU, where the memory is
  /// not coherent; else does nothing. Offsets are bytes into the allocation; ranges are widened to
  /// nonCoherentAtomSize without leaving its memory.
  Status flush(Allocation allocation, VkDeviceSize offset = 0, VkDeviceSize size = VK_WHOLE_SIZE);
  Status invalidate(Allocation allocation, VkDeviceSize offset = 0,
                    VkDeviceSize size = VK_WHOLE_SIZE);
  Status flush(std::span<const AllocationRange> ranges);       ///< one driver call
  Status invalidate(std::span<const AllocationRange> ranges);  ///< one driver call
  /// Map, memcpy, flush, unmap; and map, invalidate, memcpy, unmap.
  Status copy_to(Allocation allocation, VkDeviceSize offset, std::span<const std::byte> bytes);
  Status copy_from(Allocation allocation, VkDeviceSize offset, std::span<std::byte> bytes);

  // ---- Pools and tags
  // ---------------------------------------------------------------------------------------------------------
  Result<Pool> create_pool(const PoolDesc& desc);
  Status destroy_pool(Pool pool);  ///< Reason::still_in_use while it holds allocations
  Result<Tag> register_tag(std::string_view name);  ///< the same name gives the same tag; names
                                                    ///< live as long as the allocator
  /// The tag above "a/b" is "a", made together with it; untagged for those on top.
  Tag tag_parent(Tag tag) const;
  /// Bounds what lives under the tag and the tags below it, on every path; docs/tags.md. A hard
  /// quota below what lives takes nothing back, it refuses more; requests under way meanwhile may
  /// still pass. bad_argument for untagged and unknown tags.
  Status set_quota(Tag tag, const TagQuota& quota);
  TagQuota quota(Tag tag) const;
  const char* tag_name(Tag tag) const;  ///< "" for untagged or unknown
  std::uint32_t tag_count() const;      ///< tags are numbered 1 to tag_count()

  // ---- Budget, upkeep
  // -----------------------------------------------------------------------------------------------------------
  /// Makes empty blocks ahead, so that requests of this kind and description which need `bytes` in
  /// all, none larger than AllocatorDesc::blocks lets a block be, wait for no driver call. For a
  /// loading screen, or a thread of the owner's that stays ahead of the others. Stays within the
  /// budget; the blocks are kept as long as other empty ones are (BlockPolicy). Returns the bytes
  /// made. Errors as of allocate(); bad_argument with a pool.
  Result<VkDeviceSize> prefetch(VkDeviceSize bytes, ResourceKind kind,
                                const AllocationDesc& desc = {});
  /// Once a frame: refreshes the driver's budget figures; releases blocks that were empty too long,
  /// unless AllocatorDesc::background has somebody for that.
  void tick();
  /// What BackgroundPolicy is about, once: for a thread that may wait for the driver, some times
  /// within each lead. Only refreshes the budget figures while another thread is at it.
  void work();
  /// Asks the driver for its budget figures now, for a thread that may wait for it.
  void refresh_budget();
  /// Fills as many heaps as there is room for; returns how many the device has.
  std::uint32_t budgets(std::span<HeapBudget> heaps) const;
  Status set_heap_limit(std::uint32_t heap, VkDeviceSize bytes);  ///< VK_WHOLE_SIZE: none
  /// Releases every empty block (pools keep their minimum). Returns the bytes given back.
  VkDeviceSize trim();

  // ---- Figures
  // --------------------------------------------------------------------------------------------------------------------
  Totals totals() const;
  Totals heap_totals(std::uint32_t heap) const;         ///< zeros for a heap that does not exist
  Totals memory_type_totals(std::uint32_t type) const;  ///< likewise
  Result<Totals> pool_totals(Pool pool) const;
  Totals tag_totals(Tag tag) const;        ///< with the tags below it
  Totals tag_totals_alone(Tag tag) const;  ///< without them
  void reset_peaks();
  DetailedStatistics detailed_statistics() const;
  Result<DetailedStatistics> detailed_statistics(Pool pool) const;
  DetailedStatistics detailed_heap_statistics(std::uint32_t heap) const;
  Counters counters() const;
  Result<Snapshot> snapshot() const;

 private:
  friend class UploadRing;
  friend class Defragmentation;
  friend class Residency;
  /// The short ways, apart so that they are leaves: zero, or false, where it takes more.
  std::uint64_t allocate_at_once(const VkMemoryRequirements& requirements, ResourceKind kind,
                                 const AllocationDesc& desc) noexcept;
  bool free_at_once(Allocation allocation) noexcept;
  Result<Allocation> allocate_anyhow(const VkMemoryRequirements& requirements, ResourceKind kind,
                                     const AllocationDesc& desc);
  Status free_anyhow(Allocation allocation);
  explicit Allocator(heap::Core* core) : core_(core) {}
  heap::Core* core_ = nullptr;
};

}  // namespace quarry
