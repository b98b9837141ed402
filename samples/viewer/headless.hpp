// SPDX-License-Identifier: MIT
// A run without a window: pictures and report.json in a folder.
#pragma once

#include "viewer/options.hpp"

namespace quarry::viewer {

/// Returns the program's exit code; everything has been said by then.
int run_headless(const Options& options);

}  // namespace quarry::viewer
