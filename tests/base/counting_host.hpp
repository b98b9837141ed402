// SPDX-License-Identifier: MIT
// Host memory that counts what is outstanding, and refuses from the n-th allocation on, or that one
// alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <quarry/host_memory.hpp>

namespace quarry::test {

class CountingHost {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  CountingHost() = default;
  CountingHost(const CountingHost&) = delete;
  CountingHost& operator=(const CountingHost&) = delete;

  HostMemory memory() { return {this, allocate, release}; }

  /// The allocation with this number, counted from 0 since creation, fails.
  void fail_at(std::uint64_t number) { fail_at_ = number; }
  /// All allocations from this number on fail.
  void fail_from(std::uint64_t number) { fail_from_ = number; }

  std::uint64_t allocations() const { return allocations_; }
  std::uint64_t outstanding() const { return outstanding_; }
  std::uint64_t refused() const { return refused_; }

 private:
  static void* allocate(void* user, std::size_t size, std::size_t alignment) noexcept {
    auto& self = *static_cast<CountingHost*>(user);
    const std::uint64_t number = self.allocations_++;
    if (number == self.fail_at_ || number >= self.fail_from_) {
      ++self.refused_;
      return nullptr;
    }
    const HostMemory standard = HostMemory::standard();
    void* memory = standard.allocate(standard.user, size, alignment);
    if (memory != nullptr) ++self.outstanding_;
    return memory;
  }
  static void release(void* user, void* memory) noexcept {
    --static_cast<CountingHost*>(user)->outstanding_;
    const HostMemory standard = HostMemory::standard();
    standard.release(standard.user, memory);
  }

  std::atomic<std::uint64_t> allocations_ = 0;
  std::atomic<std::uint64_t> outstanding_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::atomic<std::uint64_t> fail_at_ = kNever;
  std::atomic<std::uint64_t> fail_from_ = kNever;
};

}  // namespace quarry::test
