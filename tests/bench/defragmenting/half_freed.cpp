// SPDX-License-Identifier: MIT
#include "bench/defragmenting/half_freed.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "bench/random.hpp"
#include "plan/defragmentation_planner.hpp"

namespace quarry::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of this process.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <class Work>
double median_cpu_seconds(int repetitions, Work&& work) {
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    const double start = cpu_seconds();
    work();
    seconds.push_back(cpu_seconds() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

/// What drivers ask of buffers at most, as a rule.
constexpr std::uint64_t kAlignment = 256;

std::runtime_error refused(const char* what, const Error& error) {
  return std::runtime_error(std::string(what) + ": " + to_string(error.reason));
}

}  // namespace

HalfFreed::HalfFreed(Machine& machine, const HalfFreedDesc& desc) : machine_(machine), desc_(desc) {
  AllocatorDesc settings = machine.allocator_desc();
  settings.blocks.first_block = settings.blocks.largest_block = desc.block;
  settings.blocks.large_request = VK_WHOLE_SIZE;
  auto made = Allocator::create(settings);
  if (!made) throw refused("the allocator", made.error());
  allocator_ = std::move(*made);
  Random random(desc.seed);
  VkDeviceSize bytes = 0;
  while (bytes < desc.bytes && buffers_.size() < desc.count) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = random.log_uniform(desc.smallest, desc.largest) / 4 * 4;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    const auto buffer =
        allocator_.create_buffer(info, {.dedicated = Dedicated::never, .movable = true});
    if (!buffer) throw refused("a buffer", buffer.error());
    buffers_.push_back({*buffer, info.size, static_cast<std::uint32_t>(buffers_.size() + 1)});
    bytes += info.size;
  }
  // A random half goes.
  for (std::size_t i = buffers_.size(); i > 1; --i)
    std::swap(buffers_[i - 1], buffers_[random.below(static_cast<std::uint32_t>(i))]);
  for (std::size_t left = buffers_.size() / 2; left > 0; --left) {
    (void)allocator_.destroy(buffers_.back().buffer);
    buffers_.pop_back();
  }
  (void)allocator_.trim();
}

HalfFreed::~HalfFreed() {
  for (const Held& held : buffers_)
    (void)allocator_.destroy(held.buffer);
}

double HalfFreed::begin_seconds(int repetitions) {
  return median_cpu_seconds(repetitions, [&] {
    const auto pass = Defragmentation::begin(allocator_, {.host_visible = true});
    if (!pass) throw refused("planning", pass.error());
  });
}

double HalfFreed::plan_seconds(int repetitions) const {
  const auto snapshot = allocator_.snapshot();
  if (!snapshot) throw refused("a snapshot", snapshot.error());
  std::vector<plan::DefragmentationBlock> blocks;
  std::vector<plan::DefragmentationPiece> pieces;
  for (const SnapshotBlock& block : snapshot->blocks()) {
    for (const SnapshotRange& range : snapshot->ranges(block)) {
      if (!range.allocation) continue;
      pieces.push_back({.offset = range.offset,
                        .size = range.size,
                        .alignment = kAlignment,
                        .block = static_cast<std::uint32_t>(blocks.size())});
    }
    blocks.push_back({.size = block.size});
  }
  plan::DefragmentationPlanner planner(HostMemory::standard());
  return median_cpu_seconds(repetitions, [&] {
    if (!planner.plan({.blocks = blocks, .pieces = pieces, .slabs = {}}, {}, {}))
      throw std::runtime_error("the planner refused");
  });
}

PassFigures HalfFreed::defragment() {
  PassFigures figures;
  figures.live = live();
  figures.reserved_before = reserved();
  figures.bound = bound();
  figures.before = map_blocks();
  fill_marks();
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    places[buffers_[i].buffer.allocation.value] = i;
  for (bool moved_any = true; moved_any;) {
    auto pass = Defragmentation::begin(allocator_, {.host_visible = true});
    if (!pass) throw refused("planning", pass.error());
    while (!pass->done()) {
      const DefragmentationStep step{.commands = machine_.begin(),
                                     .queue_family = machine_.queue_family(),
                                     .queue = machine_.queue(),
                                     .value = ++value_,
                                     .max_bytes = VK_WHOLE_SIZE,
                                     .max_moves = ~0u};
      const auto start = Clock::now();
      const auto moved = pass->record(step);
      figures.record_seconds += seconds_since(start);
      if (!moved) throw refused("recording", moved.error());
      for (const MovedResource& each : *moved)
        buffers_[places.at(each.allocation.value)].buffer.buffer = each.new_buffer;
      figures.copy_seconds += machine_.run(step.commands);
      pass->complete(step.value);
    }
    const DefragmentationFigures done = pass->figures();
    figures.moves += done.moves;
    figures.moved += done.bytes_moved;
    figures.left_out += done.given_up + done.refused + done.failed;
    moved_any = done.moves != 0;
  }
  (void)allocator_.trim();
  figures.reserved_after = reserved();
  figures.after = map_blocks();
  figures.wrong = count_wrong();
  return figures;
}

void HalfFreed::fill_marks() {
  std::vector<Marked> marked;
  for (const Held& held : buffers_)
    marked.push_back({held.buffer.buffer, held.size, held.mark});
  machine_.fill(marked);
}

std::uint64_t HalfFreed::count_wrong() {
  std::vector<Marked> marked;
  for (const Held& held : buffers_)
    marked.push_back({held.buffer.buffer, held.size, held.mark});
  return machine_.count_wrong(marked);
}

VkDeviceSize HalfFreed::bound() const {
  const auto snapshot = allocator_.snapshot();
  if (!snapshot) throw refused("a snapshot", snapshot.error());
  std::vector<VkDeviceSize> used;
  for (const SnapshotBlock& block : snapshot->blocks())
    used.push_back(block.used_bytes);
  std::sort(used.begin(), used.end());
  const VkDeviceSize most = live() / 100 * 105;
  const std::size_t stay = (most + desc_.block - 1) / desc_.block;
  const std::size_t go = used.size() - std::min(used.size(), stay);
  return std::accumulate(used.begin(), used.begin() + static_cast<std::ptrdiff_t>(go),
                         VkDeviceSize{0});
}

BlockMap HalfFreed::map_blocks() const {
  const auto snapshot = allocator_.snapshot();
  if (!snapshot) throw refused("a snapshot", snapshot.error());
  BlockMap map;
  for (const SnapshotBlock& block : snapshot->blocks()) {
    std::vector<VkDeviceSize> used(BlockMap::kParts, 0);
    const VkDeviceSize part = block.size / BlockMap::kParts;
    for (const SnapshotRange& range : snapshot->ranges(block)) {
      if (!range.allocation) continue;
      const VkDeviceSize end = range.offset + range.size;
      for (VkDeviceSize at = range.offset; at < end;) {
        const std::size_t index = std::min<std::size_t>(at / part, BlockMap::kParts - 1);
        const VkDeviceSize next = index + 1 == BlockMap::kParts ? end : (index + 1) * part;
        used[index] += std::min(next, end) - at;
        at = std::min(next, end);
      }
    }
    std::vector<std::uint8_t> row;
    for (const VkDeviceSize bytes : used)
      row.push_back(static_cast<std::uint8_t>(std::min<VkDeviceSize>(255, bytes * 255 / part)));
    map.blocks.push_back(std::move(row));
  }
  return map;
}

VkDeviceSize HalfFreed::reserved() const {
  return allocator_.totals().block_bytes;
}

VkDeviceSize HalfFreed::live() const {
  return allocator_.totals().allocation_bytes;
}

}  // namespace quarry::bench
