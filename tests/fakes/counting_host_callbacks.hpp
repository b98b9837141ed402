// SPDX-License-Identifier: MIT
// VkAllocationCallbacks that count what is alive, check how they are called, and can fail the n-th
// allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <vulkan/vulkan_core.h>

namespace quarry::fakes {

/// Thread-safe. Must outlive what was made with its callbacks.
class CountingHostCallbacks {
 public:
  CountingHostCallbacks();
  CountingHostCallbacks(const CountingHostCallbacks&) = delete;
  CountingHostCallbacks& operator=(const CountingHostCallbacks&) = delete;
  ~CountingHostCallbacks();

  const VkAllocationCallbacks* callbacks() const { return &callbacks_; }

  std::size_t live_blocks() const;
  std::size_t live_bytes() const;
  std::size_t live_bytes(VkSystemAllocationScope scope) const;
  std::size_t peak_bytes() const;
  std::uint64_t allocations() const;  ///< calls that asked for memory, failed ones included

  /// The `nth` allocation from now on (1 is the next) and the `count` - 1 after it return null.
  void fail(std::uint64_t nth, std::uint64_t count = 1);
  /// No failures from now on.
  void succeed();

  /// Wrong calls: a foreign or doubly freed pointer, an alignment that is not a power of two, size
  /// 0.
  std::vector<std::string> misuse() const;

 private:
  struct Block {
    std::size_t size;
    std::size_t alignment;
    VkSystemAllocationScope scope;
  };
  static constexpr std::size_t kScopes = 5;

  void* allocate(std::size_t size, std::size_t alignment, VkSystemAllocationScope scope);
  void* reallocate(void* original, std::size_t size, std::size_t alignment,
                   VkSystemAllocationScope scope);
  void release(void* memory);

  VkAllocationCallbacks callbacks_{};
  mutable std::mutex mutex_;  // leaf: nothing is called under it
  std::unordered_map<void*, Block> blocks_;
  std::array<std::size_t, kScopes> bytes_{};
  std::size_t live_ = 0;
  std::size_t peak_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t fail_first_ = 0;
  std::uint64_t fail_last_ = 0;
  std::vector<std::string> misuse_;
};

}  // namespace quarry::fakes
