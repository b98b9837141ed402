// SPDX-License-Identifier: MIT
// Defragmentation: moves what lies in sparsely used blocks into the gaps of others, so that whole
// blocks can be given back. The library plans and fills the owner's command buffer; it never
// submits. An Allocation stays the same when what it names is moved; its VkBuffer or VkImage does
// not: record() tells which is which, for descriptors and views.
#pragma once

#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include <quarry/allocator.hpp>

namespace quarry {

struct DefragmentationDesc {
  enum class Goal : std::uint8_t {
    free_blocks,  ///< as many whole blocks as can be emptied
    budget,       ///< no more of them than it takes to come down to `bytes` in blocks
    /// Room for one movable request of `bytes`, `alignment`, `kind` and `lifetime` in a block that
    /// is there. It is not kept for anyone.
    make_room,
    /// Everything movable of `memory_types` goes to `into_type`, where blocks are made for it
    /// within the budget. What the driver does not allow there stays. Not for pools, not with
    /// by_owner.
    empty_type,
  };
  /// How bytes of buffers go; images always go by copy command.
  enum class Copies : std::uint8_t {
    automatic,  ///< by compute, on a CPU device by command
    compute,    ///< where the queue of a step can; else by command
    commands,   ///< no compute among the owner's commands
  };
  Goal goal = Goal::free_blocks;
  ResourceKind kind = ResourceKind::linear;   ///< of make_room
  Lifetime lifetime = Lifetime::unspecified;  ///< of make_room
  VkDeviceSize bytes = 0;
  VkDeviceSize alignment = 1;        ///< a power of two; of make_room
  std::uint32_t into_type = 0;       ///< of empty_type: not one of memory_types
  std::uint32_t memory_types = ~0u;  ///< bit i: blocks of type i
  /// Blocks of this custom pool (of PoolAlgorithm::tlsf); zero: those of the default pools.
  Pool pool{};
  /// Blocks in HOST_VISIBLE memory, too. Whoever writes to what lies there maps it, so that it is
  /// not moved meanwhile, and flushes, or says HOST_WRITE in its ResourceState. The library puts
  /// barriers to the HOST stage around the copies, and invalidates what they wrote in complete().
  bool host_visible = false;
  /// For propose() and commit() instead of record(): about what was allocated with
  /// AllocationDesc::movable without the library having made its resource.
  bool by_owner = false;
  Copies copies = Copies::automatic;       ///< by record()
  VkDeviceSize max_bytes = VK_WHOLE_SIZE;  ///< to copy in all
  /// Blocks in use by more than this many percent are not worth a copy.
  std::uint32_t most_live_percent = 95;
};

/// How the GPU uses a resource when the command buffer of a step begins, and again after it.
struct ResourceState {
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;  ///< of all subresources; images only
  VkPipelineStageFlags stages = 0;                   ///< that used it last or will; 0: unknown, all
  /// The same. With HOST_WRITE the CPU wrote last, without a flush: where memory is not coherent
  /// the library flushes it. Not to be said of what the GPU wrote since.
  VkAccessFlags access = 0;
  /// That owns it; VK_QUEUE_FAMILY_IGNORED: that of the step, or shared.
  std::uint32_t queue_family = VK_QUEUE_FAMILY_IGNORED;
};

/// Something that would be moved.
struct MovableResource {
  Allocation allocation{};
  VkBuffer buffer = VK_NULL_HANDLE;
  VkImage image = VK_NULL_HANDLE;
  VkDeviceSize size = 0;  ///< bytes in memory
  void* user_data = nullptr;
};

/// Something that was: commands recorded from now on use the new handle. The old one is the
/// library's, which destroys it; views and descriptors of it are the owner's to replace.
struct MovedResource {
  Allocation allocation{};
  VkBuffer old_buffer = VK_NULL_HANDLE;
  VkBuffer new_buffer = VK_NULL_HANDLE;
  VkImage old_image = VK_NULL_HANDLE;
  VkImage new_image = VK_NULL_HANDLE;
};

struct DefragmentationStep {
  VkCommandBuffer commands = VK_NULL_HANDLE;             ///< recording, outside of a render pass
  std::uint32_t queue_family = VK_QUEUE_FAMILY_IGNORED;  ///< that it is for
  /// What that family can do, as in VkQueueFamilyProperties. Without compute everything goes by
  /// copy command; without graphics depth, stencil and multisampled images stay.
  VkQueueFlags queue = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  /// Where the resources belong to another family: command buffers of that family, which hand them
  /// over to the one that copies, and take them back. Release is submitted before `commands`,
  /// acquire after it, with a semaphore between each that is waited for at ALL_COMMANDS. Both or
  /// none.
  VkCommandBuffer release = VK_NULL_HANDLE;
  VkCommandBuffer acquire = VK_NULL_HANDLE;
  std::uint32_t owner_family = VK_QUEUE_FAMILY_IGNORED;
  /// A number of the owner's that does not fall from step to step: complete() with it says that the
  /// commands ran and that no command uses the old handles any more.
  std::uint64_t value = 0;
  /// Says how a resource is used now; false: leave it where it is. Called without any lock, may
  /// call the allocator. Null: nothing is known, so images stay, and buffers wait for everything.
  bool (*state)(void* user, const MovableResource& resource, ResourceState& state) = nullptr;
  void* user = nullptr;
  VkDeviceSize max_bytes = VkDeviceSize{16} << 20;  ///< but for one resource that is larger
  std::uint32_t max_moves = 128;
};

/// A move that the owner carries out. `destination` is an allocation as any other: bind a resource
/// of the same requirements to it, copy, then commit(), or free it to refuse. After commit() it is
/// the destination that names the old place: free it when the GPU is done with that.
struct ProposedMove {
  Allocation allocation{};
  Allocation destination{};
  VkDeviceSize size = 0;  ///< bytes of either
};

struct DefragmentationFigures {
  std::uint64_t moves = 0;  ///< recorded
  VkDeviceSize bytes_moved = 0;
  VkDeviceSize bytes_by_compute = 0;  ///< of them; sizes are rounded up inside their slots
  std::uint64_t refused = 0;          ///< by the owner, or of a kind that cannot be copied
  std::uint64_t given_up = 0;         ///< freed, mapped or pinned meanwhile, or the place was taken
  std::uint64_t failed = 0;           ///< driver calls: the resource could not be made again
  VkDeviceSize bytes_freed = 0;       ///< given back to the driver
};

/// One pass over the heap, in steps. At most one at a time lives for an allocator, which must
/// outlive it. Its functions come from one thread at a time; other threads may allocate, free, map,
/// query and pin meanwhile, also what is just being moved:
///  - before record() has switched it over, a free, map or pin makes its move not happen;
///  - afterwards map() answers Reason::being_moved until complete(), and what is freed, old or new
///    handle, goes with complete(): the GPU may still be copying it.
/// Moved is what was created movable (AllocationDesc::movable) and is neither mapped nor pinned;
/// Allocator::explain tells why something is not. Alone in its VkDeviceMemory it stays.
class Defragmentation {
 public:
  /// Plans. function_missing without copy commands, still_in_use beside another one.
  static Result<Defragmentation> begin(Allocator& allocator, const DefragmentationDesc& desc = {});

  Defragmentation() = default;
  Defragmentation(Defragmentation&& other) noexcept;
  Defragmentation& operator=(Defragmentation&& other) noexcept;
  Defragmentation(const Defragmentation&) = delete;
  Defragmentation& operator=(const Defragmentation&) = delete;
  /// The GPU must be done with what was recorded.
  ~Defragmentation();
  explicit operator bool() const { return state_ != nullptr; }

  /// Records the next moves; what they are. Valid until the next call. Empty: nothing to do, or
  /// not before what was recorded is complete.
  Result<std::span<const MovedResource>> record(const DefragmentationStep& step);
  /// The next moves, for the owner to carry out; instead of record(). Valid until the next call.
  /// Moves that need the place of earlier ones come when those are settled: committed and their old
  /// places freed, or refused. Empty, with done() false: not before that.
  Result<std::span<const ProposedMove>> propose(VkDeviceSize max_bytes, std::uint32_t max_moves);
  /// The two allocations change places. stale_handle: one was freed; still_in_use: it is
  /// mapped or pinned; bad_argument: the two are no proposal.
  Status commit(const ProposedMove& move);
  /// Steps of this value and below are done: their old resources are destroyed, blocks that became
  /// empty given back.
  void complete(std::uint64_t value);
  /// Nothing is left to record, and everything recorded is complete.
  bool done() const;

  VkDeviceSize planned_bytes() const;        ///< to be copied in all
  VkDeviceSize planned_bytes_freed() const;  ///< in whole blocks
  /// Whether the goal is reached if every move happens: a block freed, the budget kept, room for
  /// the request, or nothing left of the types.
  bool reaches_goal() const;
  DefragmentationFigures figures() const;

 private:
  class State;
  explicit Defragmentation(State* state) : state_(state) {}
  State* state_ = nullptr;
};

}  // namespace quarry
