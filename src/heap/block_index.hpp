// SPDX-License-Identifier: MIT
// Which block of an arena may serve a request: for each free-range class a bitmap over block ranks,
// with a summary bitmap of non-zero words over it. A lookup reads one summary word for every 4,096
// blocks; a block whose largest free class did not change costs nothing. Not thread-safe: the
// arena's lock guards it.
#pragma once

#include <cstdint>

#include <quarry/host_memory.hpp>

namespace quarry::heap {

class BlockIndex {
 public:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::uint32_t kClassCount = 65;  ///< classes 0 (no free range) to 64

  explicit BlockIndex(HostMemory host) : host_(host) {}
  BlockIndex(const BlockIndex&) = delete;
  BlockIndex& operator=(const BlockIndex&) = delete;
  ~BlockIndex();

  /// Makes room for ranks below `ranks`. False when there is no host memory; nothing changed then.
  bool reserve(std::uint32_t ranks);
  /// The block of this rank had `before` as its largest free class and has `now`. `rank` is below
  /// the reserved count.
  void publish(std::uint32_t rank, std::uint32_t before, std::uint32_t now);
  /// The lowest rank at or above `from` whose largest free class is at least `free_class`; kNone if
  /// there is none.
  std::uint32_t find(std::uint32_t free_class, std::uint32_t from) const;

 private:
  std::uint64_t* row(std::uint32_t free_class) const {
    return words_ + std::uint64_t{free_class} * row_words();
  }
  std::uint64_t* summary(std::uint32_t free_class) const { return row(free_class) + word_count_; }
  std::uint32_t row_words() const { return word_count_ + summary_count_; }

  HostMemory host_;
  std::uint64_t* words_ =
      nullptr;  ///< kClassCount rows of word_count_ bitmap words, then summary_count_ summary words
  std::uint32_t word_count_ = 0;
  std::uint32_t summary_count_ = 0;
};

}  // namespace quarry::heap
