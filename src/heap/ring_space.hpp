// SPDX-License-Identifier: MIT
// The arithmetic of the upload ring: positions in a circular buffer, and the batches in flight in
// it. Pure, not thread-safe.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <quarry/host_memory.hpp>

#include "base/host_array.hpp"

namespace quarry::heap {

class RingSpace {
 public:
  /// What a batch waits for: a timeline value, or a fence.
  struct Batch {
    std::uint64_t end = 0;  ///< position up to which its space reaches
    VkSemaphore semaphore = VK_NULL_HANDLE;
    std::uint64_t value = 0;
    VkFence fence = VK_NULL_HANDLE;
  };

  /// Bytes into the ring.
  struct Part {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  RingSpace(std::uint64_t capacity, const HostMemory& host) : capacity_(capacity), batches_(host) {}

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t used() const { return head_ - tail_; }
  bool open_batch_empty() const { return head_ == batch_start_; }

  /// False when there is no room. Preconditions: 0 < size <= capacity, alignment a power of two.
  bool allocate(std::uint64_t size, std::uint64_t alignment, std::uint64_t& offset);
  /// The parts of the ring that were handed out since set_flushed(): two where it wraps.
  std::uint32_t unflushed(Part (&parts)[2]) const;
  void set_flushed() { flushed_ = head_; }
  /// Puts the open batch in flight. False without host memory.
  bool close(const Batch& condition);

  const Batch* oldest() const { return first_ < batches_.size() ? &batches_[first_] : nullptr; }
  /// The oldest batch is done. Returns the bytes taken back.
  std::uint64_t retire_oldest();

 private:
  std::uint64_t capacity_;
  std::uint64_t head_ = 0;  ///< positions only grow; modulo the capacity they are offsets
  std::uint64_t tail_ = 0;
  std::uint64_t batch_start_ = 0;
  std::uint64_t flushed_ = 0;
  base::HostArray<Batch> batches_;
  std::size_t first_ = 0;  ///< of batches_ that is still in flight
};

}  // namespace quarry::heap
