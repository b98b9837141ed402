// SPDX-License-Identifier: MIT
// Draws on stderr, at most twenty times a second.
#include "materials/progress_bar.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <unistd.h>

namespace quarry::materials {
namespace {

constexpr int kWidth = 32;
constexpr std::chrono::milliseconds kRedraw{50};

}  // namespace

ProgressBar::ProgressBar() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressBar::show(double done, const std::string& what) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - started_).count();
  if (!terminal_) {
    const int tenth = static_cast<int>(done * 10.0);
    if (tenth <= tenth_shown_) return;
    tenth_shown_ = tenth;
    std::fprintf(stderr, "%3d %%  %s  (%.0f s)\n", tenth * 10, what.c_str(), seconds);
    return;
  }
  if (done < 1.0 && now - redrawn_ < kRedraw) return;
  redrawn_ = now;
  line_open_ = true;
  const int filled = std::clamp(static_cast<int>(std::lround(done * kWidth)), 0, kWidth);
  std::string bar(static_cast<std::size_t>(filled), '#');
  bar.resize(kWidth, '.');
  std::fprintf(stderr, "\r[%s] %3d %%  %.0f s  %-28.28s", bar.c_str(),
               static_cast<int>(done * 100.0), seconds, what.c_str());
  std::fflush(stderr);
}

void ProgressBar::finish() {
  if (line_open_) std::fputc('\n', stderr);
  line_open_ = false;
}

}  // namespace quarry::materials
