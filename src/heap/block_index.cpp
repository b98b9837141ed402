// SPDX-License-Identifier: MIT
#include "heap/block_index.hpp"

#include <bit>

#include "heap/block.hpp"

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

std::uint32_t BlockIndex::next_class(std::uint32_t free_class) const {
  std::uint32_t word = free_class / kWordBits;
  if (word >= kWords) return kNone;
  std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << free_class % kWordBits);
  if (bits == 0) {
    const std::uint64_t above = words_occupied_ & (~std::uint64_t{1} << word);
    if (above == 0) return kNone;
    word = static_cast<std::uint32_t>(std::countr_zero(above));
    bits = occupied_[word];
  }
  return word * kWordBits + static_cast<std::uint32_t>(std::countr_zero(bits));
}

}  // namespace quarry::heap
