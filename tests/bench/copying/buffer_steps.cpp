// SPDX-License-Identifier: MIT
#include "bench/copying/buffer_steps.hpp"

#include <algorithm>
#include <cstdio>
#include <random>
#include <stdexcept>

#include "copy/engine.hpp"

namespace quarry::bench {

namespace {

constexpr VkDeviceSize kBlock = VkDeviceSize{256} << 20;
constexpr VkBufferUsageFlags kListUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;

using copy::Way;

const char* to_string(Way way) {
  switch (way) {
    case Way::addresses:
      return "addresses";
    case Way::windows:
      return "windows";
    case Way::commands:
      return "commands";
    case Way::automatic:
      break;
  }
  return "the engine's choice";
}

/// Blocks with their buffers, freed at the end.
class Blocks {
 public:
  Blocks(copy::CopyDevice& device, const copy::Engine& engine, VkDeviceSize bytes,
         VkDeviceSize block)
      : device_(device), engine_(engine) {
    std::vector<std::uint32_t> families(device.families().size());
    for (std::uint32_t i = 0; i < families.size(); ++i)
      families[i] = i;
    for (VkDeviceSize made = 0; made < bytes; made += block) {
      memories_.push_back(device.allocate(block, copy::Place::device));
      auto buffer = engine.create_block({.memory = memories_.back().memory,
                                         .size = block,
                                         .memory_type = memories_.back().memory_type,
                                         .device_address = device.has_addresses()},
                                        families);
      if (!buffer) throw std::runtime_error("no buffer over a block");
      buffers_.push_back(*buffer);
    }
  }
  ~Blocks() {
    for (const copy::BlockBuffer& buffer : buffers_)
      engine_.destroy_block(buffer);
    for (const copy::DeviceBuffer& memory : memories_)
      device_.free(memory);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  const copy::BlockBuffer& at(std::size_t index) const { return buffers_.at(index); }

 private:
  copy::CopyDevice& device_;
  const copy::Engine& engine_;
  std::vector<copy::DeviceBuffer> memories_;
  std::vector<copy::BlockBuffer> buffers_;
};

/// An engine with a step.
class Machine {
 public:
  Machine(copy::CopyDevice& device, const copy::Tuning& tuning, Way way)
      : engine(device.opened()), step(device.opened().host()) {
    copy::EngineDesc desc;
    desc.tuning = tuning;
    desc.way = way;
    if (!engine.open(desc)) throw std::runtime_error("the copy engine does not open");
  }
  ~Machine() { engine.close_step(step); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  copy::Engine engine;
  copy::Step step;
};

std::vector<copy::BufferMove> scattered_moves(const Blocks& from, const Blocks& to,
                                              VkDeviceSize size, const BufferPlan& plan) {
  const VkDeviceSize count = plan.bytes / size;
  const VkDeviceSize in_block = kBlock / size;
  std::vector<VkDeviceSize> slots(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < slots.size(); ++i)
    slots[i] = 2 * i;
  std::mt19937_64 random(plan.seed);
  std::shuffle(slots.begin(), slots.end(), random);
  std::vector<copy::BufferMove> moves;
  moves.reserve(slots.size());
  for (VkDeviceSize i = 0; i < count; ++i) {
    const VkDeviceSize slot = slots[static_cast<std::size_t>(i)];
    moves.push_back({.source = &from.at(static_cast<std::size_t>(slot / in_block)),
                     .destination = &to.at(static_cast<std::size_t>(i / in_block)),
                     .source_offset = slot % in_block * size,
                     .destination_offset = i % in_block * size,
                     .size = size,
                     .slot_size = size});
  }
  return moves;
}

struct Case {
  Way way = Way::addresses;
  copy::Tuning tuning{};
  copy::Place list_place = copy::Place::device_host;
  std::uint32_t family = 0;
};

/// Times one case; the blocks' buffers come from an engine of the right kind.
StepTimes time_moves(copy::CopyDevice& device, Machine& machine, const Case& tried,
                     std::span<const copy::BufferMove> moves, std::uint32_t repetitions) {
  const copy::DeviceBuffer memory =
      device.buffer(machine.engine.list_bytes(moves), kListUsage, tried.list_place);
  copy::ListMemory list{.buffer = memory.buffer, .mapped = memory.mapped, .size = memory.size};
  if (tried.way == Way::addresses) list.address = memory.address;
  copy::Commands commands;
  commands.copy_family = tried.family;
  commands.owner_family = tried.family;
  commands.copy_queue = device.families().at(tried.family).queueFlags;
  const StepTimes times =
      time_steps(device, tried.family, repetitions, [&](VkCommandBuffer recording) {
        commands.copy = recording;
        if (!machine.engine.record(commands, moves, {}, list, machine.step))
          throw std::runtime_error("recording failed");
      });
  device.free(memory);
  return times;
}

std::string name_of(const Case& tried, VkDeviceSize size, const char* list) {
  return std::to_string(size >> 10) + " KiB by " + to_string(tried.way) + ", family " +
         std::to_string(tried.family) + ", list in " + list + ", " +
         std::to_string(tried.tuning.lanes) + "x" + std::to_string(tried.tuning.rows) + ", chunk " +
         std::to_string(tried.tuning.chunk >> 10) + " KiB";
}

void measure_case(copy::CopyDevice& device, const BufferPlan& plan, VkDeviceSize size, Case tried,
                  Report& report) {
  Machine machine(device, tried.tuning, tried.way);
  const Blocks from(device, machine.engine, 2 * plan.bytes, kBlock);
  const Blocks to(device, machine.engine, plan.bytes, kBlock);
  const std::vector<copy::BufferMove> moves = scattered_moves(from, to, size, plan);
  for (const copy::Place place : {copy::Place::device_host, copy::Place::host}) {
    tried.list_place = place;
    const char* list = place == copy::Place::host ? "host" : "device";
    report.row(name_of(tried, size, list), plan.bytes,
               time_moves(device, machine, tried, moves, plan.repetitions));
    if (tried.way == Way::commands) break;
  }
}

void sweep(copy::CopyDevice& device, const BufferPlan& plan, VkDeviceSize size,
           std::uint32_t family, Report& report) {
  for (const std::uint32_t lanes : {32u, 64u, 128u, 256u}) {
    for (const std::uint32_t rows : {1u, 2u, 4u, 8u}) {
      if (lanes * rows < 64 || lanes * rows > 512) continue;
      for (const VkDeviceSize chunk :
           {VkDeviceSize{4} << 10, VkDeviceSize{16} << 10, VkDeviceSize{64} << 10}) {
        if (chunk > size && chunk != VkDeviceSize{4} << 10) continue;
        measure_case(device, plan, size,
                     {.way = Way::addresses, .tuning = {lanes, rows, chunk}, .family = family},
                     report);
      }
    }
  }
}

}  // namespace

void measure_scattered(copy::CopyDevice& device, const BufferPlan& plan, Report& report) {
  for (std::uint32_t family = 0; family < device.families().size(); ++family) {
    const bool computes = (device.families()[family].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
    report.heading("scattered moves, family " + std::to_string(family));
    for (const VkDeviceSize size :
         {VkDeviceSize{4} << 10, VkDeviceSize{16} << 10, VkDeviceSize{64} << 10}) {
      if (computes && device.has_addresses())
        measure_case(device, plan, size, {.way = Way::addresses, .family = family}, report);
      if (computes)
        measure_case(device, plan, size, {.way = Way::windows, .family = family}, report);
      BufferPlan shorter = plan;
      shorter.bytes = std::max(kBlock, plan.bytes / 4);
      shorter.repetitions = std::min(2u, plan.repetitions);
      measure_case(device, shorter, size, {.way = Way::commands, .family = family}, report);
      if (plan.sweep && computes && device.has_addresses())
        sweep(device, plan, size, family, report);
    }
  }
}

void measure_large(copy::CopyDevice& device, const BufferPlan& plan, Report& report) {
  report.heading("one region of " + std::to_string(plan.bytes >> 20) + " MiB");
  for (std::uint32_t family = 0; family < device.families().size(); ++family) {
    const bool computes = (device.families()[family].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
    for (const Way way : {Way::addresses, Way::windows, Way::commands}) {
      if (way != Way::commands && !computes) continue;
      if (way == Way::addresses && !device.has_addresses()) continue;
      for (const VkDeviceSize chunk : {VkDeviceSize{16} << 10, VkDeviceSize{64} << 10}) {
        if (way == Way::commands && chunk != VkDeviceSize{16} << 10) continue;
        const Case tried{.way = way, .tuning = {.chunk = chunk}, .family = family};
        Machine machine(device, tried.tuning, way);
        const Blocks from(device, machine.engine, plan.bytes, plan.bytes);
        const Blocks to(device, machine.engine, plan.bytes, plan.bytes);
        const copy::BufferMove move{.source = &from.at(0),
                                    .destination = &to.at(0),
                                    .size = plan.bytes,
                                    .slot_size = plan.bytes};
        report.row(name_of(tried, plan.bytes, "device"), plan.bytes,
                   time_moves(device, machine, tried, std::span(&move, 1), plan.repetitions));
      }
    }
  }
}

}  // namespace quarry::bench
