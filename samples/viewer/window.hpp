// SPDX-License-Identifier: MIT
// The window, through its module.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <volk.h>

#include "viewer/outcome.hpp"
#include "viewer/window/window_api.h"

namespace quarry::viewer {

class Window {
 public:
  /// Loads the module and opens the window. The reason of a failure is for the user.
  static Outcome<std::unique_ptr<Window>> open(int width, int height);
  Window(const QuarryWindowApi* api, QuarryWindow* window) : api_(api), window_(window) {}
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window();

  std::vector<std::string> instance_extensions() const;
  Outcome<VkSurfaceKHR> surface(VkInstance instance);
  QuarryWindowState poll();
  void wait(double seconds) { api_->wait(window_, seconds); }

 private:
  const QuarryWindowApi* api_;
  QuarryWindow* window_;
};

}  // namespace quarry::viewer
