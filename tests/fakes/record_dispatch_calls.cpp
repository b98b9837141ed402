// SPDX-License-Identifier: MIT
// Recording of dispatches, and the memory that a shader played on the host sees.
#include <algorithm>
#include <cstring>
#include <string>

#include "fakes/calls.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes::calls {

namespace {

constexpr const char* kName = "vkCmdDispatch";

class PlayedMemory final : public ShaderMemory {
 public:
  PlayedMemory(State& state, const BoundState& bound) : state_(state), bound_(bound) {}

  bool read(VkDeviceAddress address, std::span<std::byte> bytes) override {
    const auto [memory, offset] = find(address, bytes.size());
    return memory != nullptr && memory->backing.device_read(offset, bytes);
  }
  bool write(VkDeviceAddress address, std::span<const std::byte> bytes) override {
    const auto [memory, offset] = find(address, bytes.size());
    return memory != nullptr && memory->backing.device_write(offset, bytes);
  }
  bool read_binding(std::uint32_t binding, VkDeviceSize offset,
                    std::span<std::byte> bytes) override {
    const auto [memory, at] = find_binding(binding, offset, bytes.size());
    return memory != nullptr && memory->backing.device_read(at, bytes);
  }
  bool write_binding(std::uint32_t binding, VkDeviceSize offset,
                     std::span<const std::byte> bytes) override {
    const auto [memory, at] = find_binding(binding, offset, bytes.size());
    return memory != nullptr && memory->backing.device_write(at, bytes);
  }

 private:
  struct Place {
    MemoryObject* memory = nullptr;
    VkDeviceSize offset = 0;
  };

  Place refuse(const std::string& detail) {
    state_.violate(Rule::shader_access, kName, detail);
    return {};
  }

  /// Whether a live buffer with an address covers the bytes.
  bool covered(std::uint64_t memory, VkDeviceSize offset, VkDeviceSize size) const {
    return std::ranges::any_of(state_.buffers, [&](const auto& entry) {
      const Resource& buffer = entry.second;
      const BindPoint& point = buffer.parts[0];
      return buffer.needs_address && point.memory == memory && point.offset <= offset &&
             offset + size <= point.offset + buffer.size;
    });
  }

  Place find(VkDeviceAddress address, VkDeviceSize size) {
    for (auto& [id, memory] : state_.memories) {
      if (memory->address == 0 || address < memory->address ||
          address - memory->address >= memory->size) {
        continue;
      }
      const VkDeviceSize offset = address - memory->address;
      if (covered(id, offset, size)) return {memory.get(), offset};
    }
    return refuse("address " + std::to_string(address));
  }

  Place find_binding(std::uint32_t binding, VkDeviceSize offset, VkDeviceSize size) {
    const auto set = bound_.sets.find(0);
    if (set == bound_.sets.end()) return refuse("no set");
    const auto it = set->second.bindings.find(binding);
    if (it == set->second.bindings.end()) return refuse("binding " + std::to_string(binding));
    const BoundRange& range = it->second;
    const Resource* buffer = state_.find_buffer(range.buffer);
    if (buffer == nullptr || offset > range.range || size > range.range - offset)
      return refuse("binding " + std::to_string(binding) + ", offset " + std::to_string(offset));
    const BindPoint& point = buffer->parts[0];
    return {state_.find_memory(point.memory), point.offset + range.offset + offset};
  }

  State& state_;
  const BoundState& bound_;
};

void run_dispatch(State& state, const BoundState& bound,
                  const std::array<std::uint32_t, 3>& groups) {
  const auto pipeline = state.pipelines.find(bound.pipeline);
  if (pipeline == state.pipelines.end()) {
    state.violate(Rule::invalid_handle, kName, "pipeline");
    return;
  }
  const auto shader = std::ranges::find_if(
      state.shaders, [&](const auto& entry) { return entry.first == pipeline->second.code; });
  if (shader == state.shaders.end()) {
    state.violate(Rule::shader_unknown, kName,
                  std::to_string(pipeline->second.code.size()) + " words");
    return;
  }
  PlayedMemory memory(state, bound);
  shader->second(memory, bound.push_constants, groups);
}

}  // namespace

void cmd_bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint, VkPipeline pipeline) {
  Call call(state_of(commands), Function::cmd_bind_pipeline);
  CommandBuffer* recording = call.recording(commands);
  if (recording == nullptr) return;
  if (!call->pipelines.contains(id_of(pipeline))) {
    call.violate(Rule::invalid_handle, "pipeline");
    return;
  }
  recording->bound.pipeline = id_of(pipeline);
  recording->uses.insert(id_of(pipeline));
}

void cmd_bind_descriptor_sets(VkCommandBuffer commands, VkPipelineBindPoint, VkPipelineLayout,
                              std::uint32_t first, std::uint32_t count, const VkDescriptorSet* sets,
                              std::uint32_t, const std::uint32_t*) {
  Call call(state_of(commands), Function::cmd_bind_descriptor_sets);
  CommandBuffer* recording = call.recording(commands);
  if (recording == nullptr) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto it = call->descriptor_sets.find(id_of(sets[i]));
    if (it == call->descriptor_sets.end()) {
      call.violate(Rule::invalid_handle, "descriptor set");
      continue;
    }
    recording->bound.sets[first + i] = it->second;
    recording->uses.insert(it->second.pool);
    for (const auto& [binding, range] : it->second.bindings)
      recording->uses.insert(range.buffer);
  }
}

void cmd_push_constants(VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags,
                        std::uint32_t offset, std::uint32_t size, const void* values) {
  Call call(state_of(commands), Function::cmd_push_constants);
  CommandBuffer* recording = call.recording(commands);
  if (recording == nullptr) return;
  const auto it = call->pipeline_layouts.find(id_of(layout));
  if (it == call->pipeline_layouts.end()) {
    call.violate(Rule::invalid_handle, "pipeline layout");
  } else if (offset + size > it->second.push_bytes) {
    call.violate(Rule::push_constant_range, std::to_string(offset) + " + " + std::to_string(size));
  } else {
    std::memcpy(recording->bound.push_constants.data() + offset, values, size);
  }
}

void cmd_dispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  Call call(state_of(commands), Function::cmd_dispatch);
  CommandBuffer* recording = call.recording(commands);
  if (recording == nullptr) return;
  if ((recording->queue_flags() & VK_QUEUE_COMPUTE_BIT) == 0) {
    call.violate(Rule::queue_lacks_capability, "family " + std::to_string(recording->family));
  }
  if (std::max({x, y, z}) > call->profile.maximum_group_count) {
    call.violate(Rule::dispatch_group_count, std::to_string(std::max({x, y, z})));
    return;
  }
  const auto pipeline = call->pipelines.find(recording->bound.pipeline);
  if (pipeline == call->pipelines.end()) {
    call.violate(Rule::dispatch_without_pipeline, "nothing is bound");
    return;
  }
  const PipelineLayout& layout = call->pipeline_layouts[pipeline->second.layout];
  for (std::uint32_t set = 0; set < layout.set_count; ++set) {
    if (recording->bound.sets.contains(set)) continue;
    call.violate(Rule::dispatch_without_set, "set " + std::to_string(set));
    return;
  }
  recording->commands.emplace_back(
      [bound = recording->bound, groups = std::array<std::uint32_t, 3>{x, y, z}](State& state) {
        run_dispatch(state, bound, groups);
      });
}

}  // namespace quarry::fakes::calls
