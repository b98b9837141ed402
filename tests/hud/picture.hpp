// SPDX-License-Identifier: MIT
// A picture in host memory, and a plain rasterizer that paints ImGui's draw data into one: shows
// what the HUD looks like with no driver, and is the reference for the GPU renderer. Slow and
// simple: every pixel of every triangle's box.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <imgui.h>

namespace quarry::hud {

using Pixel = std::array<std::uint8_t, 4>;

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<Pixel> pixels;  ///< row by row, sRGB

  Pixel at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
  /// Pixels whose every channel is within `tolerance` of the colour.
  std::size_t count(ImU32 color, int tolerance) const;
  /// Writes it as QUARRY_TEST_PICTURES/name if that is set: for people to look at.
  void show(const std::string& name) const;
};

/// How colours blend: as sRGB numbers, or as light (what a render target with an sRGB format does).
enum class Blending { srgb, linear };

/// Paints with the current context's font atlas over `background`.
Picture rasterize(const ImDrawData& data, ImU32 background, Blending blending = Blending::srgb);

}  // namespace quarry::hud
