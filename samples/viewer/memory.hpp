// SPDX-License-Identifier: MIT
// The allocator, and the budget that everything the viewer makes on the device has to live in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <quarry/allocator.hpp>

#include "viewer/gpu.hpp"
#include "viewer/memory_trace.hpp"
#include "viewer/outcome.hpp"

namespace quarry::viewer {

/// "over_limit (VK_ERROR_OUT_OF_DEVICE_MEMORY)".
std::string describe(const Error& error);

/// True for errors that go away when memory is given back.
bool is_shortage(const Error& error);

class Memory {
 public:
  /// `budget_mib`: empty for three quarters of what is free on the heap that textures go to.
  /// `movable`: textures may be moved by defragmentation.
  static Outcome<std::unique_ptr<Memory>> create(Instance& instance, Gpu& gpu,
                                                 std::optional<std::uint64_t> budget_mib,
                                                 bool movable);

  Allocator& allocator() { return allocator_; }
  /// From now on what is made and destroyed through these functions, and what leaving() is told of,
  /// is recorded into the file.
  Outcome<void> start_trace(const std::filesystem::path& path, VkDevice device);
  /// Null when nothing is recorded.
  MemoryTrace* trace() { return trace_.get(); }
  Result<Image> create_image(const VkImageCreateInfo& info, const AllocationDesc& desc);
  Result<Buffer> create_buffer(const VkBufferCreateInfo& info, const AllocationDesc& desc);
  void destroy(const Image& image);
  /// Its owner destroys it soon.
  void leaving(Allocation allocation);
  /// From now on; after seal(). What is held beyond it has to go, which is its owners' business:
  /// until then follow_budget() keeps some room for the smaller images that they are replaced by.
  /// Fails when other programs' share or what the picture itself needs leaves less.
  Outcome<void> change_budget(std::uint64_t bytes);
  /// Once a frame.
  void follow_budget();
  /// Bytes of VkDeviceMemory that may be held in all, on all heaps together.
  std::uint64_t budget() const { return budget_; }
  /// What is asked for a texture, but for its name.
  AllocationDesc texture_desc() const;
  /// The memory types of the heap that textures are kept in: no texture goes elsewhere.
  std::uint32_t texture_type_bits() const { return texture_type_bits_; }
  Tag texture_tag() const { return texture_tag_; }
  Tag frame_tag() const { return frame_tag_; }
  Tag staging_tag() const { return staging_tag_; }

  /// Call when all that lives as long as the program is made: heaps without textures may not grow
  /// any more, so that the limit of the texture heap keeps the whole within the budget. Fails when
  /// the budget is used up already.
  Outcome<void> seal();
  /// Bytes that may be held on the texture heap now: the limit, or less if other programs took
  /// memory. Changes with Allocator::tick.
  std::uint64_t texture_heap_room() const;
  /// Bytes of live allocations on the texture heap.
  std::uint64_t texture_heap_live_bytes() const;
  /// Bytes that may still be taken from the texture heap, also while it holds too much.
  std::uint64_t texture_heap_growth() const;
  /// Bytes of VkDeviceMemory held on the texture heap beyond that.
  std::uint64_t texture_heap_excess() const;
  /// Bytes of blocks on the texture heap in which nothing lies.
  std::uint64_t texture_heap_free_bytes() const;
  /// Bytes of a block at most (BlockPolicy::largest_block).
  std::uint64_t largest_block() const { return largest_block_; }
  /// Bytes of VkDeviceMemory held on all heaps.
  std::uint64_t reserved_bytes() const;

 private:
  Outcome<void> find_texture_heap(bool block_compression);
  Outcome<void> limit_textures(std::uint64_t bytes);
  Outcome<void> choose_budget(std::optional<std::uint64_t> budget_mib);

  Allocator allocator_;
  std::unique_ptr<MemoryTrace> trace_;
  std::uint64_t budget_ = 0;
  std::uint64_t limit_ = 0;      ///< of the texture heap
  std::uint64_t needed_ = 0;     ///< bytes held by all but textures, when sealed
  std::uint64_t elsewhere_ = 0;  ///< bytes held on heaps without textures
  std::uint64_t largest_block_ = 0;
  bool movable_ = false;
  std::uint32_t texture_heap_ = 0;
  std::uint32_t texture_type_bits_ = 0;
  Tag texture_tag_;
  Tag frame_tag_;
  Tag staging_tag_;
};

}  // namespace quarry::viewer
