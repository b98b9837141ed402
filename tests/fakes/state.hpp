// SPDX-License-Identifier: MIT
// Internal to the fake GPU: its objects, and the guard that each Vulkan call runs under.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "fakes/backing.hpp"
#include "fakes/byte_map.hpp"
#include "fakes/commands.hpp"
#include "fakes/fake_gpu.hpp"
#include "fakes/handles.hpp"

namespace quarry::fakes {

constexpr std::size_t kFunctionCount = static_cast<std::size_t>(Function::count);
constexpr std::size_t kRuleCount = static_cast<std::size_t>(Rule::count);

/// What a dispatchable handle points to.
struct Dispatch {
  State* state = nullptr;
};

/// Host memory that a driver would take for an object through the caller's callbacks.
struct HostBlock {
  void* memory = nullptr;
  bool through_callbacks = false;
  void* user = nullptr;
};

struct MemoryObject {
  explicit MemoryObject(VkDeviceSize bytes, bool coherent)
      : size(bytes), backing(bytes, coherent) {}
  VkDeviceSize size;
  Backing backing;
  std::uint32_t type = 0;
  float priority = -1.0f;
  std::uint64_t dedicated_buffer = 0;
  std::uint64_t dedicated_image = 0;
  bool device_address = false;
  VkDeviceAddress address = 0;  ///< of the first byte, where it was asked for
  bool several_instances = false;
  VkExternalMemoryHandleTypeFlags exported = 0;
  VkExternalMemoryHandleTypeFlags imported = 0;
  bool mapped = false;
  VkDeviceSize map_offset = 0;
  VkDeviceSize map_size = 0;
  ByteMap resources;
  ByteMap claims;
  HostBlock host;
};

/// One separately bound part: a buffer, a whole image, or a plane of a disjoint one.
struct BindPoint {
  FakeRequirements requirements;
  std::uint64_t memory = 0;  ///< 0 while unbound
  VkDeviceSize offset = 0;
};

struct Resource {
  bool is_image = false;
  bool protected_resource = false;
  bool needs_address = false;
  bool transient = false;
  bool disjoint = false;
  ResourceKind kind = ResourceKind::linear;
  VkExternalMemoryHandleTypeFlags handle_types = 0;
  std::uint32_t part_count = 1;
  std::array<BindPoint, 3> parts;
  HostBlock host;
  VkFlags64 usage = 0;
  VkDeviceSize size = 0;               ///< of a buffer
  VkImageCreateInfo image_info{};      ///< of an image, without its chain
  std::vector<VkImageLayout> layouts;  ///< of an image, mip by mip, layer by layer
  bool concurrent = false;
  std::uint32_t owner = VK_QUEUE_FAMILY_IGNORED;        ///< queue family, none yet
  std::uint32_t released_to = VK_QUEUE_FAMILY_IGNORED;  ///< between release and acquire

  VkImageLayout& layout(std::uint32_t mip, std::uint32_t layer) {
    return layouts[std::size_t{mip} * image_info.arrayLayers + layer];
  }
};

struct SubmittedRead {
  std::uint64_t buffer = 0;
  std::uint64_t memory = 0;
  VkDeviceSize offset = 0;      ///< into the memory
  std::uint64_t semaphore = 0;  ///< or 0
  std::uint64_t value = 0;
  std::uint64_t fence = 0;       ///< or 0
  std::vector<std::byte> bytes;  ///< what the host's view held at submission
};

struct FailureOrder {
  std::uint64_t first = 0;  ///< call number; 0: none
  std::uint64_t last = 0;
  VkResult result = VK_SUCCESS;
};

struct State {
  explicit State(FakeProfile fake_profile);

  // Constant after construction
  FakeProfile profile;
  Dispatch instance_dispatch{this};
  Dispatch physical_device_dispatch{this};
  Dispatch device_dispatch{this};

  // Externally synchronised objects in a call; own lock, never held together with `mutex`.
  std::mutex exclusive_mutex;
  std::multiset<std::uint64_t> exclusive;

  // Everything below is guarded by `mutex`; no callback of the test but those documented so runs
  // under it.
  mutable std::mutex mutex;
  std::unordered_map<std::uint64_t, std::unique_ptr<MemoryObject>> memories;
  std::unordered_map<std::uint64_t, Resource> buffers;
  std::unordered_map<std::uint64_t, Resource> images;
  std::unordered_map<std::uint64_t, std::uint64_t> semaphores;  ///< value
  std::unordered_map<std::uint64_t, bool> fences;               ///< signalled
  std::vector<SubmittedRead> submitted;
  VkDeviceAddress next_address = VkDeviceAddress{1} << 32;
  std::vector<std::unique_ptr<CommandBuffer>> command_buffers;
  std::vector<Submission> submissions;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> shader_modules;
  std::unordered_map<std::uint64_t, std::size_t> set_layouts;  ///< bindings
  std::unordered_map<std::uint64_t, PipelineLayout> pipeline_layouts;
  std::unordered_map<std::uint64_t, Pipeline> pipelines;
  std::unordered_map<std::uint64_t, DescriptorPool> descriptor_pools;
  std::unordered_map<std::uint64_t, DescriptorSet> descriptor_sets;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> query_pools;  ///< ~0: not written
  std::uint64_t timestamp = 0;
  std::vector<std::pair<std::vector<std::uint32_t>, ShaderOnHost>> shaders;
  bool block_buffers_may_alias = false;
  std::array<std::uint64_t, kFunctionCount> calls{};
  std::array<FailureOrder, kFunctionCount> failures{};
  std::array<std::chrono::microseconds, kFunctionCount> delays{};
  std::function<void(Function)> hook;
  std::function<VkResult(const VkMemoryAllocateInfo&)> refuse_allocation;
  BudgetScript budget_script;
  std::uint64_t budget_queries = 0;
  std::vector<VkDeviceSize> used;     ///< by heap
  std::vector<VkDeviceSize> outside;  ///< by heap
  std::array<bool, kRuleCount> permitted{};
  std::vector<Violation> violations;
  std::size_t mapped_memories = 0;

  void violate(Rule rule, const char* function, std::string detail);
  MemoryObject* find_memory(std::uint64_t id);
  Resource* find_buffer(std::uint64_t id);
  Resource* find_image(std::uint64_t id);
  const VkMemoryType& type_of(const MemoryObject& memory) const {
    return profile.types[memory.type];
  }

  // submissions.cpp
  void submit_read(SubmittedRead read, VkDeviceSize buffer_offset, VkDeviceSize size);
  bool buffer_in_flight(std::uint64_t buffer) const;
  bool memory_in_flight(std::uint64_t memory) const;
  void retire(const std::function<bool(const SubmittedRead&)>& done);
  void use_resource(Resource* resource, const char* function);
  /// execution.cpp: contents are about to be read on a queue family.
  void check_owner(Resource& resource, std::uint32_t family, const char* function);
};

/// A number that no handle in this process has had.
std::uint64_t next_id();

/// Entered first by each Vulkan function: counts the call, runs hook and delay, takes the lock,
/// checks that the function is enabled and that no other thread is in a call with the same
/// externally synchronised object.
class Call {
 public:
  Call(State& state, Function function, std::uint64_t exclusive_object = 0);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  State* operator->() { return &state_; }
  State& state() { return state_; }
  /// What fail() ordered for this call.
  VkResult ordered() const { return ordered_; }
  const char* name() const { return text_of(function_).name; }
  void violate(Rule rule, std::string detail) { state_.violate(rule, name(), std::move(detail)); }
  /// The object, or null after recording a violation.
  MemoryObject* memory(VkDeviceMemory handle);
  Resource* buffer(VkBuffer handle);
  Resource* image(VkImage handle);
  /// The command buffer's, or null after recording a violation.
  CommandBuffer* recording(VkCommandBuffer commands);
  void check_type(VkStructureType actual, VkStructureType expected);

 private:
  void enter_exclusive();
  void check_enabled();

  State& state_;
  Function function_;
  std::uint64_t exclusive_object_;
  bool contended_ = false;
  VkResult ordered_ = VK_SUCCESS;
  std::unique_lock<std::mutex> lock_;
};

inline State& state_of(VkDevice device) {
  return *reinterpret_cast<Dispatch*>(device)->state;
}
inline State& state_of(VkPhysicalDevice device) {
  return *reinterpret_cast<Dispatch*>(device)->state;
}
inline State& state_of(VkInstance instance) {
  return *reinterpret_cast<Dispatch*>(instance)->state;
}

inline State& state_of(VkCommandBuffer commands) {
  return *reinterpret_cast<CommandBuffer*>(commands)->state;
}

/// Takes host memory for an object as a driver would. False: there is none.
bool take_host_block(const VkAllocationCallbacks* callbacks, HostBlock& block);
/// Gives it back through the callbacks of the destroying call, which must match.
void give_host_block(Call& call, const VkAllocationCallbacks* callbacks, const HostBlock& block);

}  // namespace quarry::fakes
