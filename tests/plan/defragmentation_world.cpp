// SPDX-License-Identifier: MIT
#include "plan/defragmentation_world.hpp"

#include <algorithm>
#include <numeric>

#include "base/bits.hpp"

namespace quarry::test {

std::uint32_t DefragmentationWorld::add_block(std::uint64_t size, std::uint32_t group) {
  blocks.push_back({.size = size, .group = group});
  return static_cast<std::uint32_t>(blocks.size() - 1);
}

void DefragmentationWorld::add_piece_at(std::uint32_t block, std::uint64_t offset,
                                        std::uint64_t size, std::uint64_t alignment, bool movable) {
  pieces.push_back(
      {.offset = offset, .size = size, .alignment = alignment, .block = block, .movable = movable});
  piece_names.push_back(next_name_++);
}

bool DefragmentationWorld::add_piece(std::uint64_t size, std::uint64_t alignment,
                                     std::uint32_t group) {
  for (std::uint32_t block = 0; block < blocks.size(); ++block) {
    if (blocks[block].group != group) continue;
    std::uint64_t at = 0;
    for (const Range& range : ranges_of(block)) {
      const std::uint64_t offset = base::align_up(at, alignment);
      if (offset + size <= range.offset) break;
      at = range.end;
    }
    at = base::align_up(at, alignment);
    if (at + size > blocks[block].size) continue;
    add_piece_at(block, at, size, alignment);
    return true;
  }
  return false;
}

void DefragmentationWorld::add_slab_at(std::uint32_t block, std::uint64_t offset,
                                       std::uint64_t size, std::uint32_t slots, std::uint16_t bin,
                                       std::uint64_t live) {
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - slots);
  slabs.push_back({.offset = offset,
                   .size = size,
                   .alignment = 1,
                   .live = live,
                   .movable = live,
                   .free = all & ~live,
                   .block = block,
                   .bin = bin,
                   .slots = static_cast<std::uint8_t>(slots)});
  slot_names.emplace_back(slots);
  for (std::uint32_t i = 0; i < slots; ++i) {
    if ((live >> i & 1) != 0) slot_names.back()[i] = next_name_++;
  }
}

void DefragmentationWorld::free_half(Random& random) {
  std::vector<plan::DefragmentationPiece> left;
  std::vector<std::uint64_t> names;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (random.one_in(2)) continue;
    left.push_back(pieces[i]);
    names.push_back(piece_names[i]);
  }
  pieces = std::move(left);
  piece_names = std::move(names);
  for (plan::DefragmentationSlab& slab : slabs) {
    const std::uint64_t freed = slab.live & (random.below(~std::uint64_t{0}));
    slab.live &= ~freed;
    slab.movable &= ~freed;
    slab.free |= freed;
  }
}

void DefragmentationWorld::sort() {
  const auto by_place = [](auto& list, auto& names) {
    std::vector<std::size_t> order(list.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return list[a].block != list[b].block ? list[a].block < list[b].block
                                            : list[a].offset < list[b].offset;
    });
    auto old_list = list;
    auto old_names = names;
    for (std::size_t i = 0; i < order.size(); ++i) {
      list[i] = old_list[order[i]];
      names[i] = old_names[order[i]];
    }
  };
  by_place(pieces, piece_names);
  by_place(slabs, slot_names);
}

plan::DefragmentationSnapshot DefragmentationWorld::snapshot() {
  sort();
  return {.blocks = blocks, .pieces = pieces, .slabs = slabs};
}

std::vector<DefragmentationWorld::Range> DefragmentationWorld::ranges_of(
    std::uint32_t block) const {
  std::vector<Range> ranges;
  for (const auto& piece : pieces) {
    if (piece.block == block) ranges.push_back({piece.offset, piece.offset + piece.size});
  }
  for (const auto& slab : slabs) {
    if (slab.block == block) ranges.push_back({slab.offset, slab.offset + slab.size});
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.offset < b.offset; });
  return ranges;
}

std::string DefragmentationWorld::check_space(std::uint32_t block, std::uint64_t offset,
                                              std::uint64_t size) const {
  if (block >= blocks.size()) return "no such block";
  if (!blocks[block].receives) return "a block that does not receive";
  if (offset + size > blocks[block].size) return "past the end of a block";
  for (const auto& piece : pieces) {
    if (piece.block == block && piece.offset < offset + size && offset < piece.offset + piece.size)
      return "onto a piece";
  }
  for (const auto& slab : slabs) {
    if (slab.block == block && slab.offset < offset + size && offset < slab.offset + slab.size)
      return "onto a slab";
  }
  return {};
}

std::string DefragmentationWorld::apply(const Plan& plan, std::size_t most) {
  const std::size_t old_slabs = slabs.size();
  // What step 0 leaves counts as taken until step 1 begins.
  std::vector<plan::DefragmentationPiece> left;
  std::uint32_t step = 0;
  std::vector<std::uint32_t> new_slab_at(plan.new_slabs.size(), ~0u);
  std::size_t done = 0;
  for (const plan::DefragmentationMove& move : plan.moves) {
    if (done++ == most) break;
    if (move.step < step) return "steps out of order";
    if (move.step > step) {
      step = move.step;
      left.clear();
    }
    const auto onto_left = [&](std::uint32_t block, std::uint64_t offset, std::uint64_t size) {
      return std::any_of(left.begin(), left.end(), [&](const auto& piece) {
        return piece.block == block && piece.offset < offset + size &&
               offset < piece.offset + piece.size;
      });
    };
    if (move.piece != plan::DefragmentationMove::kNone) {
      plan::DefragmentationPiece& piece = pieces[move.piece];
      if (!piece.movable) return "a piece that is not movable";
      if (piece.size != move.size) return "another size";
      if (!base::is_aligned(move.offset, piece.alignment)) return "not aligned";
      if (move.block >= blocks.size()) return "no such block";
      if (blocks[piece.block].group != blocks[move.block].group) return "into another group";
      if (std::string wrong = check_space(move.block, move.offset, move.size); !wrong.empty())
        return wrong;
      if (onto_left(move.block, move.offset, move.size)) return "onto what the same step leaves";
      left.push_back(piece);
      piece.block = move.block;
      piece.offset = move.offset;
      continue;
    }
    std::uint32_t to = move.to_slab;
    if (to >= old_slabs) {
      const std::size_t number = to - old_slabs;
      if (number >= plan.new_slabs.size()) return "no such new slab";
      const plan::DefragmentationNewSlab& made = plan.new_slabs[number];
      if (new_slab_at[number] == ~0u) {
        if (std::string wrong = check_space(made.block, made.offset, made.size); !wrong.empty())
          return wrong;
        if (onto_left(made.block, made.offset, made.size)) return "a slab onto what is left";
        if (made.step != move.step) return "a slab of another step";
        new_slab_at[number] = static_cast<std::uint32_t>(slabs.size());
        add_slab_at(made.block, made.offset, made.size, slabs[move.from_slab].slots, made.bin, 0);
      }
      to = new_slab_at[number];
    }
    plan::DefragmentationSlab& from = slabs[move.from_slab];
    plan::DefragmentationSlab& there = slabs[to];
    const std::uint64_t from_bit = std::uint64_t{1} << move.from_slot;
    const std::uint64_t to_bit = std::uint64_t{1} << move.to_slot;
    if ((from.movable & from_bit) == 0) return "a slot that is not movable";
    if ((there.free & to_bit) == 0) return "a slot that is not free";
    if (from.bin != there.bin || there.block != move.block) return "a slab of another kind";
    if (!blocks[there.block].receives) return "a block that does not receive";
    from.live &= ~from_bit;
    from.movable &= ~from_bit;
    there.live |= to_bit;
    there.movable |= to_bit;
    there.free &= ~to_bit;
    slot_names[to][move.to_slot] = slot_names[move.from_slab][move.from_slot];
    slot_names[move.from_slab][move.from_slot] = 0;
  }
  for (std::size_t i = slabs.size(); i-- > 0;) {
    plan::DefragmentationSlab& slab = slabs[i];
    slab.free = ~slab.live & (~std::uint64_t{0} >> (64 - slab.slots));
    if (slab.live != 0) continue;
    slabs.erase(slabs.begin() + static_cast<std::ptrdiff_t>(i));
    slot_names.erase(slot_names.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return {};
}

std::uint32_t DefragmentationWorld::drop_empty_blocks() {
  std::uint32_t dropped = 0;
  for (std::size_t i = blocks.size(); i-- > 0;) {
    if (!is_empty(static_cast<std::uint32_t>(i))) continue;
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
    for (auto& piece : pieces)
      piece.block -= piece.block > i ? 1u : 0u;
    for (auto& slab : slabs)
      slab.block -= slab.block > i ? 1u : 0u;
    ++dropped;
  }
  return dropped;
}

bool DefragmentationWorld::is_empty(std::uint32_t block) const {
  const auto here = [&](const auto& thing) { return thing.block == block; };
  return std::none_of(pieces.begin(), pieces.end(), here) &&
         std::none_of(slabs.begin(), slabs.end(), here);
}

std::uint64_t DefragmentationWorld::live_bytes_of(std::uint32_t block) const {
  std::uint64_t sum = 0;
  for (const auto& piece : pieces)
    sum += piece.block == block ? piece.size : 0;
  for (const auto& slab : slabs) {
    const auto live = static_cast<std::uint64_t>(std::popcount(slab.live));
    sum += slab.block == block ? slab.size / slab.slots * live : 0;
  }
  return sum;
}

std::uint64_t DefragmentationWorld::live_bytes() const {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < blocks.size(); ++i)
    sum += live_bytes_of(i);
  return sum;
}

std::uint64_t DefragmentationWorld::reserved_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& block : blocks)
    sum += block.size;
  return sum;
}

std::vector<std::uint64_t> DefragmentationWorld::contents() const {
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    all.push_back(piece_names[i] << 32 | pieces[i].size);
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    for (std::size_t slot = 0; slot < slot_names[i].size(); ++slot) {
      if ((slabs[i].live >> slot & 1) != 0)
        all.push_back(slot_names[i][slot] << 32 | slabs[i].size / slabs[i].slots);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace quarry::test
