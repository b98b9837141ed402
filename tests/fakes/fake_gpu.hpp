// SPDX-License-Identifier: MIT
// A Vulkan device in the process, for tests without GPU, driver or loader. It checks each call
// against rules(), keeps a byte map of who owns what, counts calls, fails the n-th call of any
// kind, and plays slow, full or lying drivers. Any number may live at once. Thread-safe as Vulkan
// is; the control functions below are thread-safe too.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <vulkan/vulkan_core.h>

#include <quarry/allocator.hpp>

#include "fakes/fake_profile.hpp"
#include "fakes/functions.hpp"
#include "fakes/rules.hpp"

namespace quarry::fakes {

struct State;

/// A live VkDeviceMemory as the driver sees it.
struct MemoryFacts {
  VkDeviceSize size = 0;
  std::uint32_t type = 0;
  bool mapped = false;
  bool dedicated = false;       ///< carries dedicated information
  bool device_address = false;  ///< MEMORY_ALLOCATE_DEVICE_ADDRESS
  float priority = -1.0f;       ///< -1: none given
  VkExternalMemoryHandleTypeFlags exported = 0;
  VkExternalMemoryHandleTypeFlags imported = 0;
  std::size_t bound_resources = 0;
  std::size_t claims = 0;
};

/// Where a resource or plane is bound.
struct Binding {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
};

struct LiveObjects {
  std::size_t memories = 0;
  std::size_t buffers = 0;
  std::size_t images = 0;
  std::size_t mapped_memories = 0;
};

/// Changes the figures that a budget query answers; both spans have one entry a heap and hold the
/// honest figures. `query` counts from 1. Called under the fake's lock.
using BudgetScript = std::function<void(std::uint64_t query, std::span<VkDeviceSize> budget,
                                        std::span<VkDeviceSize> usage)>;

/// What a compute shader that is played on the host may touch. An access outside what is bound, or
/// outside a live buffer with SHADER_DEVICE_ADDRESS usage, is a violation and false.
class ShaderMemory {
 public:
  virtual bool read(VkDeviceAddress address, std::span<std::byte> bytes) = 0;
  virtual bool write(VkDeviceAddress address, std::span<const std::byte> bytes) = 0;
  virtual bool read_binding(std::uint32_t binding, VkDeviceSize offset,
                            std::span<std::byte> bytes) = 0;  ///< of set 0
  virtual bool write_binding(std::uint32_t binding, VkDeviceSize offset,
                             std::span<const std::byte> bytes) = 0;

 protected:
  ~ShaderMemory() = default;
};

/// Plays one dispatch; runs under the fake's lock.
using ShaderOnHost =
    std::function<void(ShaderMemory& memory, std::span<const std::byte> push_constants,
                       std::array<std::uint32_t, 3> groups)>;

class FakeGpu {
 public:
  explicit FakeGpu(FakeProfile profile);
  FakeGpu(const FakeGpu&) = delete;
  FakeGpu& operator=(const FakeGpu&) = delete;
  ~FakeGpu();

  // ---- What a Vulkan program holds
  // ------------------------------------------------------------------------------------
  VkInstance instance() const;
  VkPhysicalDevice physical_device() const;
  VkDevice device() const;
  /// Every member filled, whether or not it is enabled: calling what is not is a violation.
  static VulkanFunctions functions();
  /// Serves what is enabled, KHR names too, and vkGetDeviceProcAddr.
  static PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance,
                                                              const char* name);
  /// Version, handles, get_instance_proc_addr, extensions and features as in the profile. Must not
  /// outlive this.
  AllocatorDesc allocator_desc() const;
  const FakeProfile& profile() const;

  // ---- Counts and faults
  // ------------------------------------------------------------------------------------------------
  std::uint64_t calls(Function function) const;
  std::uint64_t calls() const;  ///< of every function
  void reset_calls();
  /// The `nth` call from now on (1 is the next), and the `count` - 1 after it, return `result`.
  /// Replaces an earlier order for the same function. Functions that return nothing ignore it.
  void fail(Function function, std::uint64_t nth, VkResult result, std::uint64_t count = 1);
  /// Asked before each vkAllocateMemory; what is not VK_SUCCESS is returned. Called under the
  /// fake's lock. Null: none.
  void refuse_allocations(std::function<VkResult(const VkMemoryAllocateInfo&)> refuse);
  /// Each call sleeps for this long, without the fake's lock.
  void set_delay(Function function, std::chrono::microseconds delay);
  /// Runs at the start of each call, without the fake's lock; may call into the fake. Null: none.
  void set_hook(std::function<void(Function)> hook);
  void set_budget_script(BudgetScript script);
  /// Another process holds `bytes` of the heap: less budget, less room.
  void set_outside_bytes(std::uint32_t heap, VkDeviceSize bytes);
  /// Bytes of live memory on the heap.
  VkDeviceSize used_bytes(std::uint32_t heap) const;

  // ---- Oracle
  // ---------------------------------------------------------------------------------------------------------------
  std::vector<Violation> violations() const;
  void forget_violations();
  void permit(Rule rule);  ///< breaches of it are not recorded from now on
  /// Records Rule::objects_left for what lives. Say it when everything should be gone.
  void check_all_destroyed();
  LiveObjects live() const;
  std::optional<MemoryFacts> memory_facts(VkDeviceMemory memory) const;
  std::vector<VkDeviceMemory> memories() const;
  std::optional<Binding> buffer_binding(VkBuffer buffer) const;  ///< none while unbound
  std::optional<Binding> image_binding(VkImage image, std::uint32_t plane = 0) const;

  // ---- Byte map
  // ---------------------------------------------------------------------------------------------------------------
  /// An allocation without a resource owns these bytes from now on.
  void claim(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size, ResourceKind kind);
  void unclaim(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size);
  /// Resources bound within these bytes may overlap, until forbid_aliasing with the same range.
  void allow_aliasing(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size);
  void forbid_aliasing(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size);

  // ---- Contents, as the device sees them; false if the range is wrong
  // -----------------------------------------------------
  bool device_read(VkDeviceMemory memory, VkDeviceSize offset, std::span<std::byte> bytes);
  bool device_write(VkDeviceMemory memory, VkDeviceSize offset, std::span<const std::byte> bytes);

  // ---- Submitted work
  // ---------------------------------------------------------------------------------------------------------
  VkSemaphore create_timeline_semaphore(std::uint64_t value = 0);
  VkFence create_fence(bool signalled = false);
  void signal(VkSemaphore semaphore, std::uint64_t value);
  void signal_fence(VkFence fence);
  void reset_fence(VkFence fence);
  /// Work that reads this range of a bound buffer is submitted, done when the semaphore reaches the
  /// value. Until then the host must not write it (checked when it is done), nor destroy the
  /// buffer, nor free its memory.
  void submit_buffer_read(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                          VkSemaphore semaphore, std::uint64_t value);
  void submit_buffer_read_with_fence(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                                     VkFence fence);
  // ---- Command buffers
  /// A new one of this queue family, recording.
  VkCommandBuffer begin_commands(std::uint32_t queue_family = 0);
  /// Ends and submits them. They run, in the order of submission, when the semaphore is signalled
  /// with the value, or now if there is none; until then what they use is in flight. Buffer copies
  /// and registered shaders move bytes, image copies move whole subresources.
  void submit(std::span<const VkCommandBuffer> commands, VkSemaphore semaphore = VK_NULL_HANDLE,
              std::uint64_t value = 0);
  /// Dispatches of pipelines with this SPIR-V run `shader`; others are violations.
  void register_shader(std::span<const std::uint32_t> code, ShaderOnHost shader);
  /// From now on buffers that take up a whole memory (but for what requirements round) and have
  /// storage and transfer usage may lie over other resources.
  void allow_block_buffers();
  /// What one aspect, mip and layer of a bound image holds, in the fake's own order of bytes.
  std::vector<std::byte> read_image(VkImage image, VkImageAspectFlagBits aspect, std::uint32_t mip,
                                    std::uint32_t layer);
  /// Sets contents and layout. `bytes` are repeated or cut to the subresource's size.
  void write_image(VkImage image, VkImageAspectFlagBits aspect, std::uint32_t mip,
                   std::uint32_t layer, VkImageLayout layout, std::span<const std::byte> bytes);
  /// VK_IMAGE_LAYOUT_UNDEFINED for what is not there.
  VkImageLayout image_layout(VkImage image, std::uint32_t mip, std::uint32_t layer) const;
  /// Work of this family used the resource, and has it now.
  void set_buffer_owner(VkBuffer buffer, std::uint32_t queue_family);
  void set_image_owner(VkImage image, std::uint32_t queue_family);

  /// Work that uses the resource runs now and is done at once.
  void use_buffer(VkBuffer buffer);
  void use_image(VkImage image);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace quarry::fakes
