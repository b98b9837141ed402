// SPDX-License-Identifier: MIT
// A line on the terminal that fills up; without a terminal, one line for each tenth.
#pragma once

#include <chrono>
#include <string>

namespace quarry::materials {

class ProgressBar {
 public:
  ProgressBar();

  /// One thread at a time. `done` from 0 to 1; `what` is shown beside the bar.
  void show(double done, const std::string& what);

  /// Ends the line. The bar may be shown again on the next one.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  bool line_open_ = false;
  int tenth_shown_ = -1;
  Clock::time_point started_ = Clock::now();
  Clock::time_point redrawn_;
};

}  // namespace quarry::materials
