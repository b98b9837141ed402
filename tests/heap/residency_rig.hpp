// SPDX-License-Identifier: MIT
// A rig whose resources leave and come back, and hold bytes of their own meanwhile.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <quarry/residency.hpp>

#include "heap/defragmentation_rig.hpp"

namespace quarry::test {

class ResidencyRig : public DefragmentationRig {
 public:
  explicit ResidencyRig(const Change& change = {},
                        fakes::FakeProfile profile = fakes::profiles::discrete(),
                        const ResidencyDesc& desc = {})
      : DefragmentationRig(change, std::move(profile)) {
    auto made = Residency::create(allocator, desc);
    EXPECT_TRUE(made);
    if (made) residency = std::move(*made);
  }
  ~ResidencyRig() { residency = Residency(); }

  Allocation allocation(std::size_t index) const { return resources[index].allocation; }
  std::vector<Allocation> allocations() const {
    std::vector<Allocation> all;
    for (const Resource& resource : resources)
      all.push_back(resource.allocation);
    return all;
  }
  Resource* find(Allocation wanted) {
    for (Resource& resource : resources) {
      if (resource.allocation == wanted) return &resource;
    }
    return nullptr;
  }
  bool is_resident(std::size_t index) const {
    const auto info = allocator.info(resources[index].allocation);
    EXPECT_TRUE(info);
    return info && info->resident;
  }
  std::size_t resident_count() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < resources.size(); ++i)
      count += is_resident(i) ? 1 : 0;
    return count;
  }

  /// Takes over the handles.
  void follow(const ResidencyChanges& changes) {
    for (const DemotedResource& each : changes.demoted) {
      Resource* resource = find(each.allocation);
      if (resource == nullptr) continue;
      EXPECT_EQ(resource->buffer, each.old_buffer);
      EXPECT_EQ(resource->image, each.old_image);
      resource->buffer = VK_NULL_HANDLE;
    }
    for (const PromotedResource& each : changes.promoted) {
      Resource* resource = find(each.allocation);
      if (resource == nullptr) continue;
      resource->buffer = each.new_buffer;
      resource->image = each.new_image;
    }
  }
  /// Records and submits, does not complete; how many left and came back.
  std::size_t record(ResidencyStep step) {
    const auto changes = residency.record(step);
    EXPECT_TRUE(changes);
    if (!changes) return 0;
    follow(*changes);
    gpu.submit(std::span(&step.commands, 1), semaphore, step.value);
    return changes->demoted.size() + changes->promoted.size();
  }
  void finish() {
    if (value > signalled_) gpu.signal(semaphore, value);
    signalled_ = value;
    residency.complete(value);
  }
  std::size_t run_step(ResidencyStep step) {
    const std::size_t count = record(step);
    finish();
    return count;
  }
  std::size_t run_step() { return run_step(step()); }
  /// Until a step has nothing to do.
  void settle() {
    for (int i = 0; i < 1000 && run_step() != 0; ++i) {
    }
  }
  void evict_all() {
    ASSERT_TRUE(residency.evict(allocations()));
    settle();
  }
  void bring_all_back() {
    ASSERT_TRUE(residency.make_resident(allocations()));
    settle();
  }

  Residency residency;

 private:
  std::uint64_t signalled_ = 0;
};

}  // namespace quarry::test
