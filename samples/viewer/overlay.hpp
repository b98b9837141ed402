// SPDX-License-Identifier: MIT
// The memory display over the picture. Two implementations: with ImGui and quarry::hud, and without
// them, where there is nothing to show.
#pragma once

#include <array>
#include <memory>

#include "viewer/attachment.hpp"
#include "viewer/memory.hpp"

namespace quarry::viewer {

/// What the window knows of mouse and keys; nothing headless.
struct OverlayInput {
  float mouse_x = -1.0f;
  float mouse_y = -1.0f;
  float wheel = 0.0f;
  std::array<bool, 3> buttons{};
};

class Overlay {
 public:
  /// Null when this program was built without the display.
  static Outcome<std::unique_ptr<Overlay>> create(Gpu& gpu, Memory& memory);
  virtual ~Overlay() = default;

  /// Once a frame: builds what is to be drawn.
  virtual void update(VkExtent2D extent, double seconds, const OverlayInput& input) = 0;
  /// Draws it over targets.colour, which is in COLOR_ATTACHMENT_OPTIMAL and stays there. May be
  /// called several times after one update. Without room in the ring nothing is drawn.
  virtual void record(VkCommandBuffer commands, UploadRing& ring, const FrameTargets& targets) = 0;
  /// True when the mouse is over the display, not over the scene.
  virtual bool wants_mouse() const = 0;
};

}  // namespace quarry::viewer
