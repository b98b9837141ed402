// SPDX-License-Identifier: MIT
// Breaches in recorded commands: buffers, barriers, ownership, dispatches.
#include <array>
#include <span>

#include "fakes/breaches.hpp"

namespace quarry::fakes {

namespace {

constexpr VkBufferUsageFlags kCopied =
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr VkBufferUsageFlags kStorage = kCopied | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
constexpr std::array<std::uint32_t, 4> kCode{0x07230203, 0x00010300, 0, 1};
constexpr std::uint32_t kTransferFamily = 1;

VkBuffer bound_buffer(Bench& bench, VkBufferUsageFlags usage = kCopied) {
  const VkBuffer buffer = bench.buffer(buffer_info(4096, usage));
  bench.bind_buffer(buffer, bench.allocate(1, 4096));
  return buffer;
}

void copy(Bench& bench, VkBuffer from, VkBuffer to, const VkBufferCopy& region,
          std::uint32_t family = 0) {
  const VkCommandBuffer commands = bench.gpu.begin_commands(family);
  bench.vk.vkCmdCopyBuffer(commands, from, to, 1, &region);
  bench.gpu.submit(std::span(&commands, 1));
}

void record_late(Bench& bench) {
  const VkCommandBuffer commands = bench.gpu.begin_commands();
  bench.gpu.submit(std::span(&commands, 1));
  const VkBufferCopy region{0, 0, 16};
  bench.vk.vkCmdCopyBuffer(commands, bound_buffer(bench), bound_buffer(bench), 1, &region);
}

void copy_beyond(Bench& bench) {
  copy(bench, bound_buffer(bench), bound_buffer(bench), {4090, 0, 16});
}

void copy_nothing(Bench& bench) {
  copy(bench, bound_buffer(bench), bound_buffer(bench), {0, 0, 0});
}

void copy_onto_itself(Bench& bench) {
  const VkBuffer buffer = bound_buffer(bench);
  copy(bench, buffer, buffer, {0, 32, 64});
}

/// Two buffers of one memory, which was declared.
void copy_onto_an_alias(Bench& bench) {
  const VkBuffer one = bench.buffer(buffer_info(4096, kCopied));
  const VkBuffer other = bench.buffer(buffer_info(4096, kCopied));
  const VkDeviceMemory memory = bench.allocate(1, 8192);
  bench.gpu.allow_aliasing(memory, 0, 8192);
  bench.bind_buffer(one, memory);
  bench.bind_buffer(other, memory, 2048);
  copy(bench, one, other, {2048, 0, 64});
}

void copy_without_usage(Bench& bench) {
  copy(bench, bound_buffer(bench, VK_BUFFER_USAGE_TRANSFER_DST_BIT), bound_buffer(bench),
       {0, 0, 16});
}

void free_what_is_copied(Bench& bench) {
  const VkBuffer from = bound_buffer(bench);
  const VkBuffer to = bound_buffer(bench);
  const VkCommandBuffer commands = bench.gpu.begin_commands();
  const VkBufferCopy region{0, 0, 16};
  bench.vk.vkCmdCopyBuffer(commands, from, to, 1, &region);
  bench.gpu.submit(std::span(&commands, 1), bench.gpu.create_timeline_semaphore(), 1);
  bench.destroy_buffer(from);
}

void barrier(Bench& bench, std::uint32_t family, VkPipelineStageFlags stages,
             VkAccessFlags access) {
  const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, access, 0};
  bench.vk.vkCmdPipelineBarrier(bench.gpu.begin_commands(family), stages,
                                VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &memory, 0, nullptr, 0,
                                nullptr);
}

void compute_stage_on_the_transfer_queue(Bench& bench) {
  barrier(bench, kTransferFamily, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0);
}

void shader_access_of_transfers(Bench& bench) {
  barrier(bench, 0, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_SHADER_READ_BIT);
}

void acquire_what_nobody_released(Bench& bench) {
  const VkCommandBuffer commands = bench.gpu.begin_commands(kTransferFamily);
  VkBufferMemoryBarrier acquire{};
  acquire.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
  acquire.dstQueueFamilyIndex = kTransferFamily;
  acquire.buffer = bound_buffer(bench);
  acquire.size = VK_WHOLE_SIZE;
  bench.vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                                VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 1, &acquire, 0,
                                nullptr);
  bench.gpu.submit(std::span(&commands, 1));
}

void copy_what_another_family_owns(Bench& bench) {
  const VkBuffer from = bound_buffer(bench);
  bench.gpu.set_buffer_owner(from, 0);
  copy(bench, from, bound_buffer(bench), {0, 0, 16}, kTransferFamily);
}

/// A pipeline of kCode with one set and 16 bytes of push constants.
struct Machine {
  explicit Machine(Bench& owner) : bench(owner) {
    VkDescriptorSetLayoutCreateInfo set_info{};
    set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    bench.vk.vkCreateDescriptorSetLayout(bench.device(), &set_info, nullptr, &set_layout);
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
    VkPipelineLayoutCreateInfo layout_info{};
    layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout_info.setLayoutCount = 1;
    layout_info.pSetLayouts = &set_layout;
    layout_info.pushConstantRangeCount = 1;
    layout_info.pPushConstantRanges = &range;
    bench.vk.vkCreatePipelineLayout(bench.device(), &layout_info, nullptr, &layout);
    VkShaderModuleCreateInfo shader_info{};
    shader_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    shader_info.codeSize = sizeof kCode;
    shader_info.pCode = kCode.data();
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.layout = layout;
    bench.vk.vkCreateShaderModule(bench.device(), &shader_info, nullptr, &info.stage.module);
    bench.vk.vkCreateComputePipelines(bench.device(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
    VkDescriptorPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool_info.maxSets = 1;
    bench.vk.vkCreateDescriptorPool(bench.device(), &pool_info, nullptr, &pool);
  }

  VkDescriptorSet allocate_set() {
    VkDescriptorSetAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    info.descriptorPool = pool;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &set_layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    bench.vk.vkAllocateDescriptorSets(bench.device(), &info, &set);
    return set;
  }

  void write(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize range) {
    const VkDescriptorBufferInfo buffer_range{buffer, offset, range};
    VkWriteDescriptorSet info{};
    info.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    info.dstSet = allocate_set();
    info.descriptorCount = 1;
    info.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    info.pBufferInfo = &buffer_range;
    bench.vk.vkUpdateDescriptorSets(bench.device(), 1, &info, 0, nullptr);
  }

  void dispatch(bool with_pipeline, bool with_set, std::uint32_t groups, std::uint32_t family = 0) {
    const VkCommandBuffer commands = bench.gpu.begin_commands(family);
    if (with_pipeline)
      bench.vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    if (with_set) {
      const VkDescriptorSet set = allocate_set();
      bench.vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set,
                                       0, nullptr);
    }
    bench.vk.vkCmdDispatch(commands, groups, 1, 1);
    bench.gpu.submit(std::span(&commands, 1));
  }

  void play(const ShaderOnHost& shader) { bench.gpu.register_shader(kCode, shader); }

  Bench& bench;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkDescriptorPool pool = VK_NULL_HANDLE;
};

void play_nothing(ShaderMemory&, std::span<const std::byte>, std::array<std::uint32_t, 3>) {}

void dispatch_on_the_transfer_queue(Bench& bench) {
  Machine machine(bench);
  machine.play(play_nothing);
  machine.dispatch(true, true, 1, kTransferFamily);
}

void dispatch_without_pipeline(Bench& bench) {
  Machine(bench).dispatch(false, true, 1);
}

void dispatch_without_set(Bench& bench) {
  Machine(bench).dispatch(true, false, 1);
}

void dispatch_too_many(Bench& bench) {
  Machine(bench).dispatch(true, true, 65'536);
}

void push_too_much(Bench& bench) {
  const Machine machine(bench);
  const std::array<std::byte, 32> values{};
  bench.vk.vkCmdPushConstants(bench.gpu.begin_commands(), machine.layout,
                              VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof values, values.data());
}

void describe_beyond(Bench& bench) {
  Machine(bench).write(bound_buffer(bench, kStorage), 4080, 32);
}

void describe_unaligned(Bench& bench) {
  Machine(bench).write(bound_buffer(bench, kStorage), 4, 32);
}

void describe_too_much(Bench& bench) {
  const VkBuffer buffer = bench.buffer(buffer_info(256 * kMiB, kStorage));
  bench.bind_buffer(buffer, bench.allocate(1, 256 * kMiB));
  Machine(bench).write(buffer, 0, VK_WHOLE_SIZE);
}

void describe_without_usage(Bench& bench) {
  Machine(bench).write(bound_buffer(bench), 0, 32);
}

void allocate_two_sets(Bench& bench) {
  Machine machine(bench);
  machine.allocate_set();
  machine.allocate_set();
}

void ask_for_an_address(Bench& bench) {
  const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr,
                                       bound_buffer(bench)};
  bench.vk.vkGetBufferDeviceAddress(bench.device(), &info);
}

void read_a_wild_address(Bench& bench) {
  Machine machine(bench);
  machine.play([](ShaderMemory& memory, std::span<const std::byte>, std::array<std::uint32_t, 3>) {
    std::array<std::byte, 4> bytes{};
    (void)memory.read(0x1234, bytes);
  });
  machine.dispatch(true, true, 1);
}

void dispatch_an_unknown_shader(Bench& bench) {
  Machine(bench).dispatch(true, true, 1);
}

void write_a_query_too_many(Bench& bench) {
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryCount = 2;
  VkQueryPool pool = VK_NULL_HANDLE;
  bench.vk.vkCreateQueryPool(bench.device(), &info, nullptr, &pool);
  bench.vk.vkCmdWriteTimestamp(bench.gpu.begin_commands(), VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                               pool, 2);
}

}  // namespace

std::vector<Breach> command_breaches() {
  const FakeProfile plain = profiles::discrete();
  return {
      {Rule::record_after_submit, plain, record_late},
      {Rule::queue_lacks_capability, plain, dispatch_on_the_transfer_queue},
      {Rule::transfer_region, plain, copy_beyond},
      {Rule::transfer_size_zero, plain, copy_nothing},
      {Rule::transfer_overlap, plain, copy_onto_itself},
      {Rule::transfer_overlap, plain, copy_onto_an_alias},
      {Rule::transfer_usage, plain, copy_without_usage},
      {Rule::destroy_in_flight, plain, free_what_is_copied},
      {Rule::barrier_stages, plain, compute_stage_on_the_transfer_queue},
      {Rule::barrier_access, plain, shader_access_of_transfers},
      {Rule::acquire_without_release, plain, acquire_what_nobody_released},
      {Rule::foreign_queue_family, plain, copy_what_another_family_owns},
      {Rule::dispatch_without_pipeline, plain, dispatch_without_pipeline},
      {Rule::dispatch_without_set, plain, dispatch_without_set},
      {Rule::dispatch_group_count, plain, dispatch_too_many},
      {Rule::push_constant_range, plain, push_too_much},
      {Rule::descriptor_range, plain, describe_beyond},
      {Rule::descriptor_alignment, plain, describe_unaligned},
      {Rule::descriptor_range_limit, plain, describe_too_much},
      {Rule::descriptor_usage, plain, describe_without_usage},
      {Rule::descriptor_pool_full, plain, allocate_two_sets},
      {Rule::address_usage, plain, ask_for_an_address},
      {Rule::shader_access, plain, read_a_wild_address},
      {Rule::shader_unknown, plain, dispatch_an_unknown_shader},
      {Rule::query_range, plain, write_a_query_too_many},
  };
}

}  // namespace quarry::fakes
