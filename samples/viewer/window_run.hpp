// SPDX-License-Identifier: MIT
// A run in a window.
#pragma once

#include "viewer/options.hpp"

namespace quarry::viewer {

/// Returns the program's exit code; everything has been said by then.
int run_window(const Options& options);

}  // namespace quarry::viewer
