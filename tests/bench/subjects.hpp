// SPDX-License-Identifier: MIT
// The two allocators under one interface for the measured loops, each on a fake GPU of its own, so
// that a loop costs one direct call an operation. A handle of 0 is a refusal.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <vulkan/vulkan_core.h>

#include <quarry/allocator.hpp>

#include "bench/reference_allocator.hpp"
#include "bench/workload.hpp"
#include "fakes/fake_gpu.hpp"

namespace quarry::bench {

struct SubjectDesc {
  VkDeviceSize granularity = 1;  ///< bufferImageGranularity
  VkDeviceSize first_block = VkDeviceSize{4} << 20;
  VkDeviceSize largest_block = VkDeviceSize{256} << 20;
  const VkAllocationCallbacks* host_callbacks = nullptr;  ///< Quarry's only
};

/// A discrete GPU with more memory than any workload needs: heaps of 1 TiB, so that no growth stops
/// and no budget intervenes.
fakes::FakeProfile roomy_profile(VkDeviceSize granularity);

/// A fake GPU that counts its calls where reading the count takes no lock.
class CountedGpu {
 public:
  explicit CountedGpu(fakes::FakeProfile profile) : gpu_(std::move(profile)) {
    gpu_.set_hook([this](fakes::Function) { calls_.fetch_add(1, std::memory_order_relaxed); });
  }

  fakes::FakeGpu& gpu() { return gpu_; }
  std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> calls_{0};
  fakes::FakeGpu gpu_;
};

class QuarrySubject {
 public:
  static constexpr const char* kName = "quarry";
  explicit QuarrySubject(const SubjectDesc& desc);

  std::uint64_t allocate(const Request& request) {
    auto allocation = allocator_.allocate(request.requirements, request.kind, allocation_desc_);
    return allocation ? allocation->value : 0;
  }
  bool free(std::uint64_t handle) { return allocator_.free(Allocation{handle}).has_value(); }

  /// Tags every later allocation.
  void set_tag(const char* name);
  /// Forgets what earlier work left in caches.
  void trim() { (void)allocator_.trim(); }
  Allocator& allocator() { return allocator_; }
  std::uint64_t driver_calls() const { return gpu_.calls(); }
  std::uint64_t memory_count() const { return allocator_.totals().block_count; }

 private:
  CountedGpu gpu_;
  Allocator allocator_;
  AllocationDesc allocation_desc_{};
};

class ReferenceSubject {
 public:
  static constexpr const char* kName = "reference";
  explicit ReferenceSubject(const SubjectDesc& desc);

  std::uint64_t allocate(const Request& request) {
    return allocator_.allocate(request.requirements, request.kind, MemoryIntent::device);
  }
  bool free(std::uint64_t handle) { return allocator_.free(handle); }

  void trim() {}  // nothing is cached
  ReferenceAllocator& allocator() { return allocator_; }
  std::uint64_t driver_calls() const { return gpu_.calls(); }
  std::uint64_t memory_count() const { return allocator_.totals().memory_count; }

 private:
  CountedGpu gpu_;
  ReferenceAllocator allocator_;
};

/// What the reference needs to know of a fake GPU.
ReferenceDesc reference_desc(const fakes::FakeGpu& gpu);

}  // namespace quarry::bench
