// SPDX-License-Identifier: MIT
#include "bench/subjects.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace quarry::bench {

namespace {

ReferenceDesc with_blocks(ReferenceDesc reference, const SubjectDesc& desc) {
  reference.first_block = desc.first_block;
  reference.largest_block = desc.largest_block;
  return reference;
}

Allocator make_allocator(const fakes::FakeGpu& gpu, const SubjectDesc& desc) {
  AllocatorDesc allocator_desc = gpu.allocator_desc();
  allocator_desc.blocks.first_block = desc.first_block;
  allocator_desc.blocks.largest_block = desc.largest_block;
  allocator_desc.host_callbacks = desc.host_callbacks;
  auto allocator = Allocator::create(allocator_desc);
  if (!allocator) {
    std::fprintf(stderr, "the allocator was refused: %s\n", to_string(allocator.error().reason));
    std::abort();
  }
  return std::move(*allocator);
}

}  // namespace

fakes::FakeProfile roomy_profile(VkDeviceSize granularity) {
  fakes::FakeProfile profile = fakes::profiles::discrete();
  profile.name = "roomy";
  for (VkMemoryHeap& heap : profile.heaps)
    heap.size = VkDeviceSize{1} << 40;
  profile.granularity = granularity;
  profile.maximum_allocation_count = 4'294'967'295u;
  return profile;
}

QuarrySubject::QuarrySubject(const SubjectDesc& desc)
    : gpu_(roomy_profile(desc.granularity)), allocator_(make_allocator(gpu_.gpu(), desc)) {}

void QuarrySubject::set_tag(const char* name) {
  const auto tag = allocator_.register_tag(name);
  if (tag) allocation_desc_.tag = *tag;
}

ReferenceSubject::ReferenceSubject(const SubjectDesc& desc)
    : gpu_(roomy_profile(desc.granularity)),
      allocator_(with_blocks(reference_desc(gpu_.gpu()), desc)) {}

ReferenceDesc reference_desc(const fakes::FakeGpu& gpu) {
  ReferenceDesc desc;
  desc.device = gpu.device();
  desc.functions = fakes::FakeGpu::functions();
  desc.functions.vkGetPhysicalDeviceMemoryProperties(gpu.physical_device(), &desc.memory);
  desc.granularity = gpu.profile().granularity;
  return desc;
}

}  // namespace quarry::bench
