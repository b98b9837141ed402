// SPDX-License-Identifier: MIT
// Which block of an arena may serve a request: the blocks in lists by the class of their largest
// free range (Tlsf::class_of, 32 to each power of two), and a bit for each list that has any. Every
// operation is O(1), whatever the number of blocks. Not thread-safe: the lock of whoever owns the
// blocks guards it.
#pragma once

#include <cstdint>

#include <quarry/tlsf.hpp>

#include "base/bits.hpp"
#include "heap/block.hpp"

namespace quarry::heap {

class BlockIndex {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  /// The block's largest free range is of class `now` from here on; 0: it has none, or leaves.
  void publish(Block& block, std::uint32_t now);
  /// The same where it may be what it was.
  void renew(Block& block, std::uint32_t now) {
    if (now != block.free_class) publish(block, now);
  }
  /// The lowest class at or above this that a block has; kNone if there is none.
  std::uint32_t next_class(std::uint32_t free_class) const {
    std::uint32_t word = free_class / kWordBits;
    if (word >= kWords) return kNone;
    std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << free_class % kWordBits);
    if (bits == 0) {
      const std::uint64_t above = words_occupied_ & (~std::uint64_t{1} << word);
      if (above == 0) return kNone;
      word = base::lowest_bit(above);
      bits = occupied_[word];
    }
    return word * kWordBits + base::lowest_bit(bits);
  }
  /// The first block of a class; the others follow through Block::index_next.
  Block* first(std::uint32_t free_class) const { return first_[free_class]; }

 private:
  static constexpr std::uint32_t kWordBits = 64;
  static constexpr std::uint32_t kWords = (Tlsf::kClassCount + kWordBits - 1) / kWordBits;

  std::uint64_t words_occupied_ = 0;     ///< bit w: some bit of occupied_[w]
  std::uint64_t occupied_[kWords] = {};  ///< a bit for each class
  static_assert(kWords <= kWordBits);
  Block* first_[Tlsf::kClassCount] = {};
};

}  // namespace quarry::heap
