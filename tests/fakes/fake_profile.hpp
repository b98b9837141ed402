// SPDX-License-Identifier: MIT
// What a fake GPU looks like: heaps, memory types, limits, what is enabled, and how it states
// requirements. Start from a named profile and change what the test is about.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <vulkan/vulkan_core.h>

#include <quarry/allocator.hpp>

namespace quarry::fakes {

constexpr VkDeviceSize kKiB = VkDeviceSize{1} << 10;
constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;
constexpr VkDeviceSize kGiB = VkDeviceSize{1} << 30;

/// What the driver answers for one resource or one plane.
struct FakeRequirements {
  VkMemoryRequirements memory{};
  bool prefers_dedicated = false;
  bool requires_dedicated = false;
};

struct FakeProfile {
  std::string name;
  std::vector<VkMemoryHeap> heaps;
  std::vector<VkMemoryType> types;
  VkPhysicalDeviceType device_type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  std::uint32_t vendor_id = 0x10DE;

  // What the owner of instance and device asked for. The fake device is "created" with all of it.
  std::uint32_t api_version = VK_API_VERSION_1_3;       ///< of the device
  std::uint32_t declared_version = VK_API_VERSION_1_3;  ///< VkApplicationInfo::apiVersion
  std::vector<const char*> instance_extensions;         ///< string literals
  std::vector<const char*> device_extensions;           ///< string literals
  EnabledFeatures features{
      .buffer_device_address = true, .maintenance4 = true, .timeline_semaphore = true};

  // Limits
  VkDeviceSize granularity = 1;  ///< bufferImageGranularity
  VkDeviceSize atom = 64;        ///< nonCoherentAtomSize
  VkDeviceSize map_alignment = 64;
  std::uint32_t maximum_allocation_count = 4096;
  VkDeviceSize maximum_allocation_size = VkDeviceSize{1} << 62;
  VkDeviceSize maximum_buffer_size = VkDeviceSize{1} << 62;
  std::uint32_t maximum_storage_range = 1u << 27;  ///< maxStorageBufferRange
  VkDeviceSize storage_alignment = 16;             ///< minStorageBufferOffsetAlignment
  std::uint32_t maximum_group_count = 65'535;      ///< maxComputeWorkGroupCount
  std::vector<VkQueueFlags> queue_families{
      VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, VK_QUEUE_TRANSFER_BIT,
      VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT};
  std::uint32_t device_group_size =
      1;  ///< physical devices; more than one gives multi-instance heaps instances
  VkExternalMemoryHandleTypeFlags external_handle_types =
      VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

  // Requirements
  VkDeviceSize buffer_alignment = 16;    ///< floor for every buffer
  VkDeviceSize uniform_alignment = 256;  ///< for uniform and texel buffers
  VkDeviceSize buffer_padding = 0;       ///< required beyond the size asked for
  VkDeviceSize linear_image_alignment = 256;
  VkDeviceSize small_image_alignment = 4 * kKiB;  ///< optimal images
  VkDeviceSize large_image_alignment = 64 * kKiB;
  VkDeviceSize large_image_bytes = 512 * kKiB;  ///< optimal images from here on are "large"
  bool optimal_needs_device_local = true;       ///< optimal images only in device-local types
  std::uint32_t buffer_type_bits = ~0u;         ///< further restricts what requirements report
  std::uint32_t image_type_bits = ~0u;
  VkDeviceSize prefers_dedicated_bytes = VK_WHOLE_SIZE;   ///< attachments from this size on
  VkDeviceSize requires_dedicated_bytes = VK_WHOLE_SIZE;  ///< any resource from this size on
  /// Last word on the requirements of buffers, and of images (each plane of a disjoint one). Called
  /// under the fake's lock.
  std::function<void(const VkBufferCreateInfo&, FakeRequirements&)> adjust_buffer;
  std::function<void(const VkImageCreateInfo&, std::uint32_t plane, FakeRequirements&)>
      adjust_image;

  // Budget
  bool over_commit = false;   ///< allocations beyond the heap succeed, as on some drivers
  double budget_share = 0.9;  ///< of a heap's size
  bool device_coherent_reported =
      true;  ///< requirements report DEVICE_COHERENT types even without the feature

  /// Whether an extension is enabled, instance or device.
  bool has_extension(const char* extension) const;
  /// The lower of the two versions.
  std::uint32_t effective_version() const;
};

namespace profiles {

FakeProfile discrete();           ///< 8 GiB, 16 GiB host, 256 MiB window
FakeProfile rebar();              ///< 8 GiB all mappable, 16 GiB host
FakeProfile nvidia_h200();        ///< as measured: 140 GiB, whole heap mappable, granularity 1024
FakeProfile apu_carve_out();      ///< F01: 256 MiB DL, 15 GiB, 256 MiB DL|HV, integrated
FakeProfile integrated();         ///< F02: one heap of 969,521,152 B, one type DL|HV|HC
FakeProfile tiny_first_heap();    ///< F03: 16,777,216 B DL and 8,573,157,376 B DL
FakeProfile small_window();       ///< F04: the DL|HV heap holds 257,949,696 B
FakeProfile window_and_cached();  ///< F05: DL, DL|HV|HC of 256 MiB, HV|HC|CA
FakeProfile amd();                ///< F06: four types and their DEVICE_COHERENT|UNCACHED twins
FakeProfile non_coherent();       ///< F07: DL|HV without HC before HV|HC
FakeProfile mobile();             ///< F08 and more: one heap, lazily allocated, non-coherent cached
FakeProfile protected_memory();   ///< F10: a PROTECTED type beside ordinary ones, feature enabled
FakeProfile
multi_instance();           ///< two physical devices, device-local heaps with an instance on each
FakeProfile single_type();  ///< lavapipe: one heap, one type with all flags
FakeProfile small_first_device();  ///< F25: 256 MiB DL, 8 GiB DL

/// Every profile above.
std::vector<FakeProfile> all();

}  // namespace profiles

}  // namespace quarry::fakes
