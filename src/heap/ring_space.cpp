// SPDX-License-Identifier: MIT
#include "heap/ring_space.hpp"

#include <algorithm>

#include "base/bits.hpp"

namespace quarry::heap {

bool RingSpace::allocate(std::uint64_t size, std::uint64_t alignment, std::uint64_t& offset) {
  if (used() == 0) {
    // Nothing is in use: start over, so that the whole capacity is in one piece.
    head_ = tail_ = batch_start_ = flushed_ = base::ceil_div(head_, capacity_) * capacity_;
  }
  const std::uint64_t at = head_ % capacity_;
  std::uint64_t start = base::align_up(at, alignment);
  std::uint64_t skipped = start - at;
  if (start > capacity_ || size > capacity_ - start) {
    start = 0;
    skipped = capacity_ - at;
  }
  const std::uint64_t free = capacity_ - used();
  if (skipped > free || size > free - skipped) return false;
  head_ += skipped + size;
  offset = start;
  return true;
}

std::uint32_t RingSpace::unflushed(Part (&parts)[2]) const {
  const std::uint64_t bytes = head_ - flushed_;
  if (bytes == 0) return 0;
  const std::uint64_t at = flushed_ % capacity_;
  const std::uint64_t first = std::min(bytes, capacity_ - at);
  parts[0] = {at, first};
  if (first == bytes) return 1;
  parts[1] = {0, bytes - first};
  return 2;
}

bool RingSpace::close(const Batch& condition) {
  if (first_ > 0 && batches_.size() == batches_.capacity()) {
    // Make room from the retired ones before growing.
    std::move(batches_.begin() + first_, batches_.end(), batches_.begin());
    for (; first_ > 0; --first_)
      batches_.pop_back();
  }
  Batch batch = condition;
  batch.end = head_;
  if (!batches_.push_back(batch)) return false;
  batch_start_ = head_;
  return true;
}

std::uint64_t RingSpace::retire_oldest() {
  const std::uint64_t end = batches_[first_].end;
  const std::uint64_t bytes = end - tail_;
  tail_ = end;
  ++first_;
  if (first_ == batches_.size()) {
    batches_.clear();
    first_ = 0;
  }
  return bytes;
}

}  // namespace quarry::heap
