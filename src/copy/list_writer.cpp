// SPDX-License-Identifier: MIT
#include "copy/list_writer.hpp"

#include <algorithm>
#include <compare>
#include <cstring>
#include <tuple>

#include "copy/share.hpp"

namespace quarry::copy {

namespace {

/// Part of a move in units of one width, both offsets multiples of it.
struct Part {
  const BufferMove& move;
  VkDeviceSize begin;  ///< from the move's start
  VkDeviceSize bytes;
  VkDeviceSize unit;

  std::uint32_t units(VkDeviceSize size) const {
    const auto count = static_cast<std::uint32_t>(size / unit);
    return unit == kWordBytes ? count | kWordUnits : count;
  }
};

/// Any order that puts equals together.
bool by_pair(const WindowChunk& a, const WindowChunk& b) {
  const std::compare_three_way order;
  if (a.pair.source != b.pair.source) return std::is_lt(order(a.pair.source, b.pair.source));
  if (a.pair.destination != b.pair.destination)
    return std::is_lt(order(a.pair.destination, b.pair.destination));
  return std::tie(a.pair.source_window, a.pair.destination_window) <
         std::tie(b.pair.source_window, b.pair.destination_window);
}

bool by_buffers(const CommandRegion& a, const CommandRegion& b) {
  const std::compare_three_way order;
  if (a.source != b.source) return std::is_lt(order(a.source, b.source));
  return std::is_lt(order(a.destination, b.destination));
}

class Writer {
 public:
  Writer(const ListRules& rules, const ListMemory& memory, Step& step, WrittenList& written)
      : rules_(rules), memory_(memory), step_(step), written_(written) {}

  ListError add(const BufferMove& move) {
    if (!within(move.source_offset, move.slot_size, *move.source) ||
        !within(move.destination_offset, move.slot_size, *move.destination) ||
        move.size > move.slot_size) {
      return ListError::outside_block;
    }
    Shares shares;
    shares.command = move.size;
    if (rules_.shaders && move.size <= rules_.largest_shader_move) shares = share(move);
    const VkDeviceSize shader_bytes = shares.shader_bytes();
    written_.shader_bytes += shader_bytes;
    written_.command_bytes += shares.command;
    const bool added = add_part({move, 0, shares.quads, kQuadBytes}) &&
                       add_part({move, shares.quads, shares.words, kWordBytes}) &&
                       add_command(move, shader_bytes, shares.command);
    return added ? ListError::none : failure_;
  }

  /// Puts what the step holds in order, and writes the windows' entries.
  ListError finish(VkDeviceSize alignment) {
    std::sort(step_.windows.begin(), step_.windows.end(), by_pair);
    std::sort(step_.regions.begin(), step_.regions.end(), by_buffers);
    const VkDeviceSize used = VkDeviceSize{written_.address_entries} * sizeof(AddressEntry);
    const VkDeviceSize mask = std::max(alignment, kQuadBytes) - 1;
    written_.window_offset = (used + mask) & ~mask;
    written_.window_entries = static_cast<std::uint32_t>(step_.windows.size());
    written_.bytes = used;
    if (step_.windows.empty()) return ListError::none;
    written_.bytes =
        written_.window_offset + VkDeviceSize{step_.windows.size()} * sizeof(WindowEntry);
    if (written_.bytes > memory_.size) return ListError::list_too_small;
    std::byte* at = memory_.mapped + static_cast<std::size_t>(written_.window_offset);
    for (const WindowChunk& chunk : step_.windows) {
      std::memcpy(at, &chunk.entry, sizeof(WindowEntry));
      at += sizeof(WindowEntry);
    }
    return ListError::none;
  }

 private:
  static bool within(VkDeviceSize offset, VkDeviceSize size, const BlockBuffer& block) {
    return offset <= block.size && size <= block.size - offset;
  }

  bool fail(ListError error) {
    failure_ = error;
    return false;
  }

  bool add_part(const Part& part) {
    const bool addressed =
        rules_.addresses && part.move.source->address != 0 && part.move.destination->address != 0;
    return addressed ? add_addresses(part) : add_windows(part);
  }

  bool add_addresses(const Part& part) {
    AddressEntry entry;
    entry.source = part.move.source->address + part.move.source_offset + part.begin;
    entry.destination = part.move.destination->address + part.move.destination_offset + part.begin;
    for (VkDeviceSize left = part.bytes; left != 0;) {
      const VkDeviceSize size = std::min(left, rules_.chunk);
      entry.units = part.units(size);
      const VkDeviceSize at = VkDeviceSize{written_.address_entries} * sizeof(AddressEntry);
      if (at + sizeof(AddressEntry) > memory_.size) return fail(ListError::list_too_small);
      std::memcpy(memory_.mapped + static_cast<std::size_t>(at), &entry, sizeof(AddressEntry));
      ++written_.address_entries;
      entry.source += size;
      entry.destination += size;
      left -= size;
    }
    return true;
  }

  bool add_windows(const Part& part) {
    VkDeviceSize source = part.move.source_offset + part.begin;
    VkDeviceSize destination = part.move.destination_offset + part.begin;
    for (VkDeviceSize left = part.bytes; left != 0;) {
      const VkDeviceSize size =
          std::min({left, rules_.chunk, rules_.window - source % rules_.window,
                    rules_.window - destination % rules_.window});
      const WindowChunk chunk{
          .pair = {.source = part.move.source,
                   .destination = part.move.destination,
                   .source_window = static_cast<std::uint32_t>(source / rules_.window),
                   .destination_window = static_cast<std::uint32_t>(destination / rules_.window)},
          .entry = {
              .source = static_cast<std::uint32_t>(source % rules_.window / kWordBytes),
              .destination = static_cast<std::uint32_t>(destination % rules_.window / kWordBytes),
              .units = part.units(size)}};
      if (!step_.windows.push_back(chunk)) return fail(ListError::no_host_memory);
      source += size;
      destination += size;
      left -= size;
    }
    return true;
  }

  bool add_command(const BufferMove& move, VkDeviceSize begin, VkDeviceSize bytes) {
    if (bytes == 0) return true;
    const CommandRegion region{
        move.source->buffer,
        move.destination->buffer,
        {move.source_offset + begin, move.destination_offset + begin, bytes}};
    return step_.regions.push_back(region) || fail(ListError::no_host_memory);
  }

  const ListRules& rules_;
  const ListMemory& memory_;
  Step& step_;
  WrittenList& written_;
  ListError failure_ = ListError::none;
};

}  // namespace

VkDeviceSize list_bytes(const ListRules& rules, std::span<const BufferMove> moves) {
  constexpr VkDeviceSize kLargestAlignment = 256;
  const auto chunks = [&](VkDeviceSize bytes) { return (bytes + rules.chunk - 1) / rules.chunk; };
  const auto edges = [&](VkDeviceSize offset, VkDeviceSize size) {
    return (offset + size) / rules.window - offset / rules.window;
  };
  VkDeviceSize entries = 0;
  for (const BufferMove& move : moves) {
    const Shares shares = share(move);
    entries += chunks(shares.quads) + chunks(shares.words) +
               edges(move.source_offset, move.slot_size) +
               edges(move.destination_offset, move.slot_size);
  }
  return entries * sizeof(AddressEntry) + kLargestAlignment;
}

ListError write_list(const ListRules& rules, std::span<const BufferMove> moves,
                     const ListMemory& memory, VkDeviceSize alignment, Step& step,
                     WrittenList& written) {
  step.windows.clear();
  step.regions.clear();
  written = {};
  Writer writer(rules, memory, step, written);
  for (const BufferMove& move : moves) {
    const ListError error = writer.add(move);
    if (error != ListError::none) return error;
  }
  return writer.finish(alignment);
}

}  // namespace quarry::copy
