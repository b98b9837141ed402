// SPDX-License-Identifier: MIT
// A program without ImGui has no overlay.
#include "viewer/overlay.hpp"

namespace quarry::viewer {

Outcome<std::unique_ptr<Overlay>> Overlay::create(Gpu&, Memory&) {
  return std::unique_ptr<Overlay>();
}

}  // namespace quarry::viewer
