// SPDX-License-Identifier: MIT
#include "copy/share.hpp"

namespace quarry::copy {

namespace {

/// Bytes in whole units that the shader may copy of `bytes`, with `room` bytes to be had.
VkDeviceSize whole_units(VkDeviceSize bytes, VkDeviceSize room, VkDeviceSize unit) {
  const VkDeviceSize up = (bytes + unit - 1) / unit * unit;
  return up <= room ? up : bytes / unit * unit;
}

}  // namespace

Shares share(const BufferMove& move) {
  Shares shares;
  const VkDeviceSize offsets = move.source_offset | move.destination_offset;
  VkDeviceSize left = move.size;
  VkDeviceSize room = move.slot_size;
  const auto take = [&](VkDeviceSize unit) {
    const VkDeviceSize taken = whole_units(left, room, unit);
    left -= taken < left ? taken : left;
    room -= taken;
    return taken;
  };
  if (offsets % kQuadBytes == 0) shares.quads = take(kQuadBytes);
  if (offsets % kWordBytes == 0) shares.words = take(kWordBytes);
  shares.command = left;
  return shares;
}

}  // namespace quarry::copy
