// SPDX-License-Identifier: MIT
// The executor of residency. To leave or to come back an allocation changes places with another
// one, its counterpart: made the ordinary way in the memory that it goes to, known to nobody, and
// freed, with the place that was left, when the copy is done. What fails before the change leaves
// everything as it was.
#pragma once

#include <cstdint>
#include <span>

#include <quarry/residency.hpp>

#include "base/host_array.hpp"
#include "device/create_info_copy.hpp"
#include "heap/core.hpp"
#include "heap/eviction_recorder.hpp"
#include "plan/residency.hpp"

namespace quarry {

class Residency::State {
 public:
  State(heap::Core& owner, const ResidencyDesc& description, std::uint32_t heap) noexcept;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  Status touch(Allocation allocation) const;
  Status set_priority(Allocation allocation, float priority) const;
  Status wish(std::span<const Allocation> allocations, heap::Residence::Wish wish);
  Status sleep(Tag tag);
  Status wake(Tag tag);
  Result<VkDeviceSize> prefetch(VkDeviceSize bytes);
  Result<ResidencyChanges> record(const ResidencyStep& step);
  void complete(std::uint64_t value);
  ResidencyTotals totals();

  heap::Core& core;
  ResidencyFigures figures;
  VkDeviceSize target = VK_WHOLE_SIZE;

 private:
  /// A change of the step that is recorded, up to the change of places.
  struct Prepared {
    Allocation allocation;
    heap::LargeRecord* record = nullptr;
    device::CreateInfoCopy info;
    ResourceState state;
    heap::Record* counterpart = nullptr;  ///< claimed
    Allocation counterpart_handle;
    VkBuffer host = VK_NULL_HANDLE;  ///< over the bytes in host memory
    VkDeviceSize host_bytes = 0;     ///< to copy
    float priority = 0;
    Lifetime lifetime = Lifetime::unspecified;
    Dedicated dedicated = Dedicated::automatic;
    bool out = false;
    bool rebuild = false;       ///< nothing is copied, the owner makes the contents again
    bool host_visible = false;  ///< the CPU may see the resource's memory

    bool is_image() const { return info.image() != nullptr; }
  };
  /// What the end of a change takes.
  struct InFlight {
    Allocation allocation;
    Allocation counterpart_handle;
    heap::Record* counterpart = nullptr;
    const heap::LargeRecord* record = nullptr;
    VkBuffer host = VK_NULL_HANDLE;
    VkDeviceSize device_bytes = 0;
    std::uint64_t value = 0;
    bool image = false;
    bool out = false;
    bool host_visible = false;
  };

  bool is_asleep(Tag tag) const;
  template <class Visit>
  void visit(Visit&& visit);
  bool gather();
  bool make_room(std::size_t changes);
  Status check(const ResidencyStep& step);
  plan::ResidencyView view(const ResidencyStep& step);
  void change(std::uint64_t handle, const ResidencyStep& step, bool out);
  bool prepare(Prepared& prepared, const ResidencyStep& step);
  bool look_up(Prepared& prepared);
  bool ask(Prepared& prepared, const ResidencyStep& step);
  AllocationDesc host_desc() const;
  bool make_place(Prepared& prepared);
  Status make_host_place(Prepared& prepared);
  Status make_device_place(Prepared& prepared);
  Status cover_host_bytes(Prepared& prepared) const;
  void claim_counterpart(Prepared& prepared, Allocation counterpart) const;
  void abandon(const Prepared& prepared) const;
  void settle(const Prepared& prepared, VkDeviceSize old_bytes);
  void note(Prepared& prepared, std::uint64_t old_resource, VkDeviceSize old_bytes);
  void invalidate(std::uint64_t value) const;
  void destroy(std::uint64_t resource, bool image) const;
  void finish(const heap::Move& done);

  const ResidencyDesc desc_;
  const std::uint32_t heap_;
  std::uint32_t device_types_ = 0;
  std::uint32_t host_types_ = 0;
  std::uint32_t family_ = VK_QUEUE_FAMILY_IGNORED;  ///< of all steps, once there was one
  std::uint64_t last_value_ = 0;
  VkDeviceSize leaving_ = 0;  ///< bytes on the device that are on their way out
  bool has_family_ = false;
  base::HostArray<bool> asleep_;  ///< by tag
  plan::ResidencyPlanner planner_;
  base::HostArray<plan::ResidencyItem> items_;
  base::HostArray<std::uint64_t> names_;  ///< beside items_
  heap::EvictionRecorder recorder_;
  base::HostArray<InFlight> in_flight_;
  base::HostArray<heap::HostCopy> copies_;
  base::HostArray<device::CreateInfoCopy> infos_;  ///< of the images of a step
  base::HostArray<DemotedResource> demoted_;
  base::HostArray<PromotedResource> promoted_;
};

}  // namespace quarry
