// SPDX-License-Identifier: MIT
// Copy and cut of the block map. See block_map.hpp.
#include "hud/block_map.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

namespace quarry::hud {

void BlockMap::clear() {
  rows_.clear();
  cells_.clear();
  text_.assign(1, '\0');
  block_count_ = 0;
}

std::uint32_t BlockMap::copy_name(const char* name) {
  const std::size_t length = std::strlen(name) + 1;
  const std::size_t at = text_.size();
  text_.insert(text_.end(), name, name + length);
  return static_cast<std::uint32_t>(at);
}

void BlockMap::append_block(MapRow& row, const SnapshotBlock& block,
                            std::span<const SnapshotRange> ranges, const char* text) {
  const VkDeviceSize start = row.size;
  for (const SnapshotRange& range : ranges) {
    Cell cell;
    cell.offset = start + range.offset;
    cell.size = range.size;
    cell.block_offset = range.offset;
    cell.used = static_cast<bool>(range.allocation);
    cell.tag = range.tag;
    cell.name = range.name == 0 ? 0 : copy_name(text + range.name);
    cells_.push_back(cell);
  }
  row.size += block.size;
  row.used += block.used_bytes;
  row.cell_count += static_cast<std::uint32_t>(ranges.size());
  row.mapped = row.mapped || block.mapped;
  ++row.block_count;
}

void BlockMap::assign(const Snapshot& snapshot) {
  assign(snapshot.blocks(), snapshot.ranges(), snapshot.text(0));
}

void BlockMap::assign(std::span<const SnapshotBlock> blocks, std::span<const SnapshotRange> ranges,
                      const char* text) {
  clear();
  block_count_ = blocks.size();
  order_.resize(blocks.size());
  std::iota(order_.begin(), order_.end(), 0u);
  const auto key = [&](std::uint32_t i) {
    const SnapshotBlock& b = blocks[i];
    return std::tuple(b.heap, !b.dedicated, b.dedicated ? 0u : b.memory_type, b.pool.value,
                      b.optimal);
  };
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  for (const std::uint32_t index : order_) {
    const SnapshotBlock& block = blocks[index];
    const bool joins = block.dedicated && !rows_.empty() && rows_.back().dedicated &&
                       rows_.back().heap == block.heap;
    if (!joins) {
      MapRow row;
      row.heap = block.heap;
      row.memory_type = block.memory_type;
      row.dedicated = block.dedicated;
      row.optimal = block.optimal;
      row.custom_pool = static_cast<bool>(block.pool);
      row.emptying = block.emptying;
      row.first_cell = static_cast<std::uint32_t>(cells_.size());
      rows_.push_back(row);
    }
    append_block(rows_.back(), block, ranges.subspan(block.first_range, block.range_count), text);
  }
}

void cut(std::span<const Cell> cells, VkDeviceSize row_size, float pixels, float least, Tag marked,
         std::vector<Segment>& segments) {
  segments.clear();
  if (row_size == 0) return;
  const double scale = static_cast<double>(pixels) / static_cast<double>(row_size);
  const auto position = [&](VkDeviceSize bytes) {
    return static_cast<float>(static_cast<double>(bytes) * scale);
  };
  Segment open;  // of narrow cells; cell_count 0 while there is none
  VkDeviceSize open_bytes = 0;
  VkDeviceSize open_used = 0;
  const auto close = [&] {
    if (open.cell_count == 0) return;
    open.used_share =
        open_bytes == 0
            ? 0.0f
            : static_cast<float>(static_cast<double>(open_used) / static_cast<double>(open_bytes));
    segments.push_back(open);
    open = {};
    open_bytes = open_used = 0;
  };
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    const float begin = position(cell.offset);
    const float end = position(cell.offset + cell.size);
    const bool is_marked = cell.used && marked.index != 0 && cell.tag == marked;
    if (end - begin >= least) {
      close();
      segments.push_back({begin, end, i, 1, cell.used ? 1.0f : 0.0f, is_marked});
      continue;
    }
    if (open.cell_count == 0) {
      open.begin = begin;
      open.first_cell = i;
    }
    open.end = end;
    ++open.cell_count;
    open.marked = open.marked || is_marked;
    open_bytes += cell.size;
    open_used += cell.used ? cell.size : 0;
    if (open.end - open.begin >= least) close();
  }
  close();
}

std::size_t segment_at(std::span<const Segment> segments, float position) {
  const auto after = std::upper_bound(segments.begin(), segments.end(), position,
                                      [](float p, const Segment& s) { return p < s.begin; });
  if (after == segments.begin()) return segments.size();
  const auto found = after - 1;
  return position < found->end ? static_cast<std::size_t>(found - segments.begin())
                               : segments.size();
}

}  // namespace quarry::hud
