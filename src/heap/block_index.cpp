// SPDX-License-Identifier: MIT
#include "heap/block_index.hpp"

namespace quarry::heap {

void BlockIndex::publish(Block& block, std::uint32_t now) {
  const std::uint32_t before = block.free_class;
  block.free_class = now;
  if (before != 0) {
    (block.index_previous == nullptr ? first_[before] : block.index_previous->index_next) =
        block.index_next;
    if (block.index_next != nullptr) block.index_next->index_previous = block.index_previous;
    if (first_[before] == nullptr) {
      std::uint64_t& word = occupied_[before / kWordBits];
      word &= ~(std::uint64_t{1} << before % kWordBits);
      if (word == 0) words_occupied_ &= ~(std::uint64_t{1} << before / kWordBits);
    }
  }
  if (now == 0) return;
  block.index_previous = nullptr;
  block.index_next = first_[now];
  if (block.index_next != nullptr) block.index_next->index_previous = &block;
  first_[now] = &block;
  occupied_[now / kWordBits] |= std::uint64_t{1} << now % kWordBits;
  words_occupied_ |= std::uint64_t{1} << now / kWordBits;
}

}  // namespace quarry::heap
