// SPDX-License-Identifier: MIT
// Command buffers from their beginning to their end, and what the test says about images.
#include <algorithm>
#include <string>
#include <utility>

#include "fakes/commands.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes {

VkQueueFlags CommandBuffer::queue_flags() const {
  return family < state->profile.queue_families.size() ? state->profile.queue_families[family] : 0;
}

void State::check_owner(Resource& resource, std::uint32_t family, const char* function) {
  if (resource.concurrent) return;
  if (resource.owner != VK_QUEUE_FAMILY_IGNORED && resource.owner != family) {
    violate(Rule::foreign_queue_family, function,
            "family " + std::to_string(family) + ", owner " + std::to_string(resource.owner));
  }
}

void run_now(State& state, const std::vector<CommandBuffer*>& commands) {
  for (const CommandBuffer* buffer : commands) {
    for (const auto& command : buffer->commands)
      command(state);
  }
}

void run_submissions(State& state, std::uint64_t semaphore, std::uint64_t value) {
  const auto due = [&](const Submission& submission) {
    return submission.semaphore == semaphore && submission.value <= value;
  };
  for (const Submission& submission : state.submissions) {
    if (due(submission)) run_now(state, submission.commands);
  }
  std::erase_if(state.submissions, due);
}

bool submission_uses(const State& state, std::uint64_t id) {
  const auto bound_to = [&](const auto& resources, std::uint64_t used) {
    const auto it = resources.find(used);
    return it != resources.end() &&
           std::ranges::any_of(it->second.parts,
                               [&](const BindPoint& point) { return point.memory == id; });
  };
  return std::ranges::any_of(state.submissions, [&](const Submission& submission) {
    return std::ranges::any_of(submission.commands, [&](const CommandBuffer* commands) {
      return std::ranges::any_of(commands->uses, [&](std::uint64_t used) {
        return used == id || bound_to(state.buffers, used) || bound_to(state.images, used);
      });
    });
  });
}

VkCommandBuffer FakeGpu::begin_commands(std::uint32_t queue_family) {
  const std::lock_guard lock(state_->mutex);
  auto commands = std::make_unique<CommandBuffer>();
  commands->state = state_.get();
  commands->family = queue_family;
  state_->command_buffers.push_back(std::move(commands));
  return reinterpret_cast<VkCommandBuffer>(state_->command_buffers.back().get());
}

void FakeGpu::submit(std::span<const VkCommandBuffer> commands, VkSemaphore semaphore,
                     std::uint64_t value) {
  const std::lock_guard lock(state_->mutex);
  Submission submission{{}, id_of(semaphore), value};
  for (VkCommandBuffer handle : commands) {
    auto* buffer = reinterpret_cast<CommandBuffer*>(handle);
    if (buffer->submitted) {
      state_->violate(Rule::record_after_submit, "submit", "submitted twice");
      continue;
    }
    buffer->submitted = true;
    submission.commands.push_back(buffer);
  }
  if (semaphore == VK_NULL_HANDLE) {
    run_now(*state_, submission.commands);
  } else {
    state_->submissions.push_back(std::move(submission));
  }
}

void FakeGpu::register_shader(std::span<const std::uint32_t> code, ShaderOnHost shader) {
  const std::lock_guard lock(state_->mutex);
  state_->shaders.emplace_back(std::vector<std::uint32_t>(code.begin(), code.end()),
                               std::move(shader));
}

void FakeGpu::allow_block_buffers() {
  const std::lock_guard lock(state_->mutex);
  state_->block_buffers_may_alias = true;
}

std::vector<std::byte> FakeGpu::read_image(VkImage image, VkImageAspectFlagBits aspect,
                                           std::uint32_t mip, std::uint32_t layer) {
  const std::lock_guard lock(state_->mutex);
  const Resource* resource = state_->find_image(id_of(image));
  MemoryObject* memory =
      resource == nullptr ? nullptr : state_->find_memory(resource->parts[0].memory);
  if (memory == nullptr) return {};
  const SubresourceBytes at = subresource_bytes(resource->image_info, aspect, mip, layer);
  std::vector<std::byte> bytes(static_cast<std::size_t>(at.size));
  memory->backing.device_read(resource->parts[0].offset + at.offset, bytes);
  return bytes;
}

void FakeGpu::write_image(VkImage image, VkImageAspectFlagBits aspect, std::uint32_t mip,
                          std::uint32_t layer, VkImageLayout layout,
                          std::span<const std::byte> bytes) {
  const std::lock_guard lock(state_->mutex);
  Resource* resource = state_->find_image(id_of(image));
  state_->use_resource(resource, "write_image");
  MemoryObject* memory =
      resource == nullptr ? nullptr : state_->find_memory(resource->parts[0].memory);
  if (memory == nullptr) return;
  const SubresourceBytes at = subresource_bytes(resource->image_info, aspect, mip, layer);
  std::vector<std::byte> all(static_cast<std::size_t>(at.size));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = bytes[i % bytes.size()];
  memory->backing.device_write(resource->parts[0].offset + at.offset, all);
  resource->layout(mip, layer) = layout;
}

VkImageLayout FakeGpu::image_layout(VkImage image, std::uint32_t mip, std::uint32_t layer) const {
  const std::lock_guard lock(state_->mutex);
  Resource* resource = state_->find_image(id_of(image));
  return resource == nullptr ? VK_IMAGE_LAYOUT_UNDEFINED : resource->layout(mip, layer);
}

void FakeGpu::set_buffer_owner(VkBuffer buffer, std::uint32_t queue_family) {
  const std::lock_guard lock(state_->mutex);
  Resource* resource = state_->find_buffer(id_of(buffer));
  if (resource != nullptr) resource->owner = queue_family;
}

void FakeGpu::set_image_owner(VkImage image, std::uint32_t queue_family) {
  const std::lock_guard lock(state_->mutex);
  Resource* resource = state_->find_image(id_of(image));
  if (resource != nullptr) resource->owner = queue_family;
}

}  // namespace quarry::fakes
