// SPDX-License-Identifier: MIT
#include "heap/block_index.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace quarry::heap {

namespace {
constexpr std::uint32_t kWordBits = 64;
}

BlockIndex::~BlockIndex() {
  if (words_ != nullptr) host_.release(host_.user, words_);
}

bool BlockIndex::reserve(std::uint32_t ranks) {
  const std::uint32_t needed = (ranks + kWordBits - 1) / kWordBits;
  if (needed <= word_count_) return true;
  const std::uint32_t words = std::max(needed, word_count_ * 2);
  const std::uint32_t summaries = (words + kWordBits - 1) / kWordBits;
  const std::size_t bytes = sizeof(std::uint64_t) * kClassCount * (std::size_t{words} + summaries);
  auto* grown =
      static_cast<std::uint64_t*>(host_.allocate(host_.user, bytes, alignof(std::uint64_t)));
  if (grown == nullptr) return false;
  std::memset(grown, 0, bytes);
  for (std::uint32_t c = 0; c < kClassCount && words_ != nullptr; ++c) {
    std::uint64_t* to = grown + std::size_t{c} * (words + summaries);
    std::memcpy(to, row(c), sizeof(std::uint64_t) * word_count_);
    std::memcpy(to + words, summary(c), sizeof(std::uint64_t) * summary_count_);
  }
  if (words_ != nullptr) host_.release(host_.user, words_);
  words_ = grown;
  word_count_ = words;
  summary_count_ = summaries;
  return true;
}

void BlockIndex::publish(std::uint32_t rank, std::uint32_t before, std::uint32_t now) {
  const std::uint32_t word = rank / kWordBits;
  const std::uint64_t bit = std::uint64_t{1} << (rank % kWordBits);
  const std::uint64_t word_bit = std::uint64_t{1} << (word % kWordBits);
  for (std::uint32_t c = before + 1; c <= now; ++c) {
    row(c)[word] |= bit;
    summary(c)[word / kWordBits] |= word_bit;
  }
  for (std::uint32_t c = now + 1; c <= before; ++c) {
    row(c)[word] &= ~bit;
    if (row(c)[word] == 0) summary(c)[word / kWordBits] &= ~word_bit;
  }
}

std::uint32_t BlockIndex::find(std::uint32_t free_class, std::uint32_t from) const {
  std::uint32_t word = from / kWordBits;
  if (free_class >= kClassCount || word >= word_count_) return kNone;
  const std::uint64_t* bitmap = row(free_class);
  const std::uint64_t first = bitmap[word] & (~std::uint64_t{0} << (from % kWordBits));
  if (first != 0) return word * kWordBits + static_cast<std::uint32_t>(std::countr_zero(first));
  ++word;
  const std::uint64_t* summaries = summary(free_class);
  for (std::uint32_t s = word / kWordBits; s < summary_count_; ++s) {
    std::uint64_t hit = summaries[s];
    if (s == word / kWordBits) hit &= ~std::uint64_t{0} << (word % kWordBits);
    if (hit == 0) continue;
    const std::uint32_t found = s * kWordBits + static_cast<std::uint32_t>(std::countr_zero(hit));
    return found * kWordBits + static_cast<std::uint32_t>(std::countr_zero(bitmap[found]));
  }
  return kNone;
}

}  // namespace quarry::heap
