// SPDX-License-Identifier: MIT
// The block map: a copy of a snapshot as rows of cells, and the cut of a row into as many pieces as
// pixels can show. Rows: one for each block, and one for all dedicated memory of a heap. Copying
// and cutting are linear, finding is logarithmic in the cells of the row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <quarry/snapshot.hpp>

namespace quarry::hud {

/// An allocation, or a free range.
struct Cell {
  VkDeviceSize offset = 0;  ///< bytes from the start of the row
  VkDeviceSize size = 0;
  VkDeviceSize block_offset = 0;  ///< bytes into its VkDeviceMemory
  std::uint32_t name = 0;         ///< offset into the map's text; 0: none
  Tag tag;
  bool used = false;
};

struct MapRow {
  std::uint32_t heap = 0;
  std::uint32_t memory_type = 0;  ///< of the first block where the row stands for several
  bool dedicated = false;         ///< all dedicated memory of the heap, side by side
  bool optimal = false;
  bool mapped = false;
  bool custom_pool = false;
  bool emptying = false;
  std::uint32_t block_count = 0;
  VkDeviceSize size = 0;  ///< bytes, the sum of all cells
  VkDeviceSize used = 0;
  std::uint32_t first_cell = 0;
  std::uint32_t cell_count = 0;
};

class BlockMap {
 public:
  /// Takes a copy. Rows come by heap: its dedicated memory, then blocks by memory type. Keeps its
  /// host memory for the next.
  void assign(const Snapshot& snapshot);
  /// `text` as Snapshot::text(0): names are offsets into it.
  void assign(std::span<const SnapshotBlock> blocks, std::span<const SnapshotRange> ranges,
              const char* text);
  void clear();

  std::span<const MapRow> rows() const { return rows_; }
  std::span<const Cell> cells(const MapRow& row) const {
    return std::span(cells_).subspan(row.first_cell, row.cell_count);
  }
  const char* name(const Cell& cell) const { return text_.data() + cell.name; }  ///< "" for none
  std::size_t block_count() const { return block_count_; }

 private:
  void append_block(MapRow& row, const SnapshotBlock& block, std::span<const SnapshotRange> ranges,
                    const char* text);
  std::uint32_t copy_name(const char* name);

  std::vector<MapRow> rows_;
  std::vector<Cell> cells_;
  std::vector<char> text_ = {'\0'};
  std::vector<std::uint32_t> order_;
  std::size_t block_count_ = 0;
};

/// A piece of a row as it is painted: one cell, or neighbours that are too narrow to be told apart.
struct Segment {
  float begin = 0;  ///< pixels from the start of the row
  float end = 0;
  std::uint32_t first_cell = 0;  ///< index within the row
  std::uint32_t cell_count = 0;
  float used_share = 0;  ///< of its bytes; 0 or 1 for a single cell
  bool marked = false;   ///< holds a cell with the marked tag
};

/// Cuts a row of `pixels` width (> 0): each cell of at least `least` pixels is a piece of its own;
/// narrower neighbours are joined until they reach it. Gives at most 2 * pixels / least + 1 pieces,
/// in order and without gaps, whatever the number of cells. `marked` zero marks nothing.
void cut(std::span<const Cell> cells, VkDeviceSize row_size, float pixels, float least, Tag marked,
         std::vector<Segment>& segments);

/// The segment at a position, as an index; segments.size() if there is none.
std::size_t segment_at(std::span<const Segment> segments, float position);

}  // namespace quarry::hud
