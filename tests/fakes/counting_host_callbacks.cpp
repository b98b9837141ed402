// SPDX-License-Identifier: MIT
#include "fakes/counting_host_callbacks.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

namespace quarry::fakes {

namespace {

CountingHostCallbacks& self(void* user) {
  return *static_cast<CountingHostCallbacks*>(user);
}

}  // namespace

CountingHostCallbacks::CountingHostCallbacks() {
  callbacks_.pUserData = this;
  callbacks_.pfnAllocation = [](void* user, std::size_t size, std::size_t alignment,
                                VkSystemAllocationScope scope) {
    return self(user).allocate(size, alignment, scope);
  };
  callbacks_.pfnReallocation = [](void* user, void* original, std::size_t size,
                                  std::size_t alignment, VkSystemAllocationScope scope) {
    return self(user).reallocate(original, size, alignment, scope);
  };
  callbacks_.pfnFree = [](void* user, void* memory) { self(user).release(memory); };
}

CountingHostCallbacks::~CountingHostCallbacks() {
  for (const auto& [memory, block] : blocks_)
    std::free(memory);
}

std::size_t CountingHostCallbacks::live_blocks() const {
  const std::lock_guard lock(mutex_);
  return blocks_.size();
}

std::size_t CountingHostCallbacks::live_bytes() const {
  const std::lock_guard lock(mutex_);
  return live_;
}

std::size_t CountingHostCallbacks::live_bytes(VkSystemAllocationScope scope) const {
  const std::lock_guard lock(mutex_);
  return bytes_.at(static_cast<std::size_t>(scope));
}

std::size_t CountingHostCallbacks::peak_bytes() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}

std::uint64_t CountingHostCallbacks::allocations() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

void CountingHostCallbacks::fail(std::uint64_t nth, std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  fail_first_ = calls_ + nth;
  fail_last_ = fail_first_ + count - 1;
}

void CountingHostCallbacks::succeed() {
  const std::lock_guard lock(mutex_);
  fail_first_ = fail_last_ = 0;
}

std::vector<std::string> CountingHostCallbacks::misuse() const {
  const std::lock_guard lock(mutex_);
  return misuse_;
}

void* CountingHostCallbacks::allocate(std::size_t size, std::size_t alignment,
                                      VkSystemAllocationScope scope) {
  const std::lock_guard lock(mutex_);
  ++calls_;
  if (calls_ >= fail_first_ && calls_ <= fail_last_) return nullptr;
  if (size == 0) misuse_.emplace_back("allocation of size 0");
  if (!std::has_single_bit(alignment)) {
    misuse_.emplace_back("alignment is not a power of two");
    return nullptr;
  }
  alignment = std::max(alignment, alignof(std::max_align_t));
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) return nullptr;
  std::memset(memory, 0xCD, size);  // what nobody initialised should be seen
  blocks_.emplace(memory, Block{size, alignment, scope});
  bytes_.at(static_cast<std::size_t>(scope)) += size;
  live_ += size;
  peak_ = std::max(peak_, live_);
  return memory;
}

void* CountingHostCallbacks::reallocate(void* original, std::size_t size, std::size_t alignment,
                                        VkSystemAllocationScope scope) {
  if (original == nullptr) return allocate(size, alignment, scope);
  if (size == 0) {
    release(original);
    return nullptr;
  }
  std::size_t old_size = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto it = blocks_.find(original);
    if (it == blocks_.end()) {
      misuse_.emplace_back("reallocation of a foreign pointer");
      return nullptr;
    }
    old_size = it->second.size;
  }
  void* memory = allocate(size, alignment, scope);
  if (memory == nullptr) return nullptr;
  std::memcpy(memory, original, std::min(size, old_size));
  release(original);
  return memory;
}

void CountingHostCallbacks::release(void* memory) {
  if (memory == nullptr) return;
  const std::lock_guard lock(mutex_);
  const auto it = blocks_.find(memory);
  if (it == blocks_.end()) {
    misuse_.emplace_back("a pointer was freed twice, or is foreign");
    return;
  }
  bytes_.at(static_cast<std::size_t>(it->second.scope)) -= it->second.size;
  live_ -= it->second.size;
  std::memset(memory, 0xDD, it->second.size);  // what is used after it was freed should be seen
  blocks_.erase(it);
  std::free(memory);
}

}  // namespace quarry::fakes
