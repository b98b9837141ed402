// SPDX-License-Identifier: MIT
// Decides which textures gain mips and which lose them. Pure: figures in, moves out; no Vulkan, no
// files, no clock. A move replaces a texture's image by one with more or fewer mips; until the GPU
// is done with the old image both are held, and the budget covers both. O(n log n) in textures.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace quarry::viewer {

inline constexpr std::uint32_t kNothingResident = std::numeric_limits<std::uint32_t>::max();

struct TextureState {
  /// Bytes of an image whose finest mip is level i, for each level down to the coarsest that is
  /// ever loaded; strictly falling, never empty. Must live as long as the plan is made.
  std::span<const std::uint64_t> level_bytes;
  std::uint32_t wanted = 0;                   ///< finest level that the camera needs
  std::uint32_t resident = kNothingResident;  ///< finest level held, or about to be when `busy`
  float pixels = 0.0f;                        ///< of the picture that show it; 0: out of sight
  bool busy = false;                          ///< a move is on its way: no other may start

  std::uint32_t coarsest() const { return static_cast<std::uint32_t>(level_bytes.size()) - 1; }
};

struct PlanInput {
  std::span<const TextureState> textures;
  std::uint64_t budget = 0;      ///< bytes that texture images may take in all
  std::uint64_t used = 0;        ///< bytes of every image alive: shown, being loaded, not yet freed
  std::uint64_t retiring = 0;    ///< of `used`: goes without a further move (replaced images)
  std::uint32_t free_slots = 0;  ///< moves that may start now
  /// Where more is used than the budget: bytes that smaller images may take beside that, until what
  /// they replace is gone. The coarsest image of one texture is always granted.
  std::uint64_t beside = 0;
};

struct Move {
  std::uint32_t texture = 0;  ///< index into PlanInput::textures
  std::uint32_t level = 0;    ///< finest level of the new image
};

struct Plan {
  std::vector<Move> moves;  ///< in the order to start; all of them fit beside `used` at once
  std::vector<std::uint32_t> targets;  ///< for each texture: the level that the budget grants it
};

Plan make_plan(const PlanInput& input);

/// How far the picture is from what the camera needs.
struct Shortfall {
  std::uint32_t textures_below_wanted = 0;
  /// Bytes of the smallest image that would bring one of them a mip nearer; it has to fit beside
  /// the image that it replaces. 0 when none is below.
  std::uint64_t smallest_upgrade = 0;
};

Shortfall shortfall(std::span<const TextureState> textures);

}  // namespace quarry::viewer
