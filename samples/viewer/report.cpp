// SPDX-License-Identifier: MIT
// JSON and text of a report.
#include "viewer/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <sstream>

namespace quarry::viewer {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      (void)std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

template <class T, class Write>
std::string list(const std::vector<T>& values, const char* separator, Write write) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += separator;
    out += write(values[i]);
  }
  return out + ']';
}

std::string number(double value, const char* format = "%.3f") {
  char text[40];
  (void)std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string mebibytes(std::uint64_t bytes) {
  return number(static_cast<double>(bytes) / (1024.0 * 1024.0), "%.1f MiB");
}

std::uint64_t sum_of(const std::vector<FrameRecord>& frames, std::uint64_t FrameRecord::*member) {
  return std::accumulate(
      frames.begin(), frames.end(), std::uint64_t{0},
      [member](std::uint64_t sum, const FrameRecord& frame) { return sum + frame.*member; });
}

double percentile(std::vector<FrameRecord> frames, double share) {
  if (frames.empty()) return 0.0;
  const auto index =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(frames.size()))) - 1;
  const auto nth = frames.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(
      frames.begin(), nth, frames.end(),
      [](const FrameRecord& a, const FrameRecord& b) { return a.milliseconds < b.milliseconds; });
  return nth->milliseconds;
}

}  // namespace

double median_milliseconds(const std::vector<FrameRecord>& frames) {
  return percentile(frames, 0.5);
}

std::vector<std::uint32_t> hitches(const std::vector<FrameRecord>& frames) {
  const double limit = 2.0 * median_milliseconds(frames);
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].milliseconds > limit) found.push_back(static_cast<std::uint32_t>(i));
  }
  return found;
}

std::uint64_t driver_allocations_last_100(const std::vector<FrameRecord>& frames) {
  const std::size_t count = std::min<std::size_t>(frames.size(), 100);
  return std::accumulate(
      frames.end() - static_cast<std::ptrdiff_t>(count), frames.end(), std::uint64_t{0},
      [](std::uint64_t sum, const FrameRecord& frame) { return sum + frame.driver_allocations; });
}

std::vector<BudgetChange> budget_changes(const std::vector<FrameRecord>& frames) {
  std::vector<BudgetChange> changes;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const FrameRecord& frame = frames[i];
    if (frame.budget_bytes != frames[i - 1].budget_bytes)
      changes.push_back({.frame = static_cast<std::uint32_t>(i), .bytes = frame.budget_bytes});
    if (changes.empty()) continue;
    BudgetChange& change = changes.back();
    change.worst_milliseconds = std::max(change.worst_milliseconds, frame.milliseconds);
    if (frame.reserved_bytes <= frame.budget_bytes) continue;
    change.frames_above = static_cast<std::uint32_t>(i) - change.frame + 1;
    change.seconds_above = frame.seconds - frames[change.frame - 1].seconds;
  }
  return changes;
}

double reserved_over_live(const std::vector<FrameRecord>& frames) {
  const std::size_t first = frames.size() / 2;
  double sum = 0.0;
  for (std::size_t i = first; i < frames.size(); ++i)
    sum += static_cast<double>(frames[i].reserved_bytes) /
           static_cast<double>(std::max<std::uint64_t>(frames[i].live_bytes, 1));
  return frames.empty() ? 0.0 : sum / static_cast<double>(frames.size() - first);
}

std::string to_json(const Report& report) {
  const double limit = 2.0 * median_milliseconds(report.frames);
  std::ostringstream out;
  out << "{\n  \"device\": " << quoted(report.device) << ",\n  \"frames\": " << report.frames.size()
      << ",\n  \"materials\": " << report.materials
      << ",\n  \"budget_bytes\": " << report.budget_bytes
      << ",\n  \"peak_reserved_bytes\": " << report.peak_reserved_bytes
      << ",\n  \"peak_live_bytes\": " << report.peak_live_bytes
      << ",\n  \"material_bytes_total\": " << report.material_bytes_total
      << ",\n  \"driver_allocations_last_100_frames\": "
      << driver_allocations_last_100(report.frames)
      << ",\n  \"validation\": " << (report.validation ? "true" : "false")
      << ",\n  \"validation_messages\": " << report.validation_messages
      << ",\n  \"textures_below_wanted_mip\": " << report.textures_below_wanted_mip
      << ",\n  \"smallest_upgrade_bytes\": " << report.smallest_upgrade_bytes
      << ",\n  \"budget_left_bytes\": " << report.budget_left_bytes
      << ",\n  \"reserved_over_live\": " << number(reserved_over_live(report.frames))
      << ",\n  \"moves\": " << sum_of(report.frames, &FrameRecord::moves)
      << ",\n  \"moved_bytes\": " << sum_of(report.frames, &FrameRecord::moved_bytes)
      << ",\n  \"bytes_freed_by_moves\": " << report.bytes_freed_by_moves
      << ",\n  \"budget_changes\": "
      << list(budget_changes(report.frames), ", ",
              [](const BudgetChange& change) {
                return "{\"frame\": " + std::to_string(change.frame) +
                       ", \"bytes\": " + std::to_string(change.bytes) +
                       ", \"frames_above\": " + std::to_string(change.frames_above) +
                       ", \"seconds_above\": " + number(change.seconds_above) +
                       ", \"worst_ms\": " + number(change.worst_milliseconds) + '}';
              })
      << ",\n  \"median_ms\": " << number(median_milliseconds(report.frames))
      << ",\n  \"hitches\": "
      << list(hitches(report.frames), ", ", [](std::uint32_t i) { return std::to_string(i); })
      << ",\n  \"interrupted\": " << (report.interrupted ? "true" : "false")
      << ",\n  \"problems\": " << list(report.problems, ", ", quoted)
      << ",\n  \"pictures\": " << list(report.pictures, ", ", quoted) << ",\n  \"per_frame\": ";
  out << list(report.frames, ",", [limit](const FrameRecord& frame) {
    std::ostringstream line;
    line << "\n    {\"ms\": " << number(frame.milliseconds)
         << ", \"seconds\": " << number(frame.seconds)
         << ", \"resident_bytes\": " << frame.resident_bytes
         << ", \"live_bytes\": " << frame.live_bytes
         << ", \"reserved_bytes\": " << frame.reserved_bytes
         << ", \"budget_bytes\": " << frame.budget_bytes
         << ", \"driver_allocations\": " << frame.driver_allocations
         << ", \"uploaded_bytes\": " << frame.uploaded_bytes << ", \"moves\": " << frame.moves
         << ", \"moved_bytes\": " << frame.moved_bytes
         << ", \"at_rest\": " << (frame.at_rest ? "true" : "false")
         << ", \"hitch\": " << (frame.milliseconds > limit ? "true" : "false") << '}';
    return line.str();
  });
  out << "\n}\n";
  return out.str();
}

std::string to_table(const Report& report) {
  std::ostringstream out;
  const auto row = [&out](const char* name, const std::string& value) {
    std::string label = name;
    label.resize(36, ' ');
    out << "  " << label << value << '\n';
  };
  row("device", report.device);
  row("frames", std::to_string(report.frames.size()));
  row("frame time, median / 99 % / worst",
      number(median_milliseconds(report.frames), "%.1f") + " / " +
          number(percentile(report.frames, 0.99), "%.1f") + " / " +
          number(percentile(report.frames, 1.0), "%.1f ms"));
  row("hitches (over twice the median)", std::to_string(hitches(report.frames).size()));
  row("materials",
      std::to_string(report.materials) + ", " + mebibytes(report.material_bytes_total));
  row("budget", mebibytes(report.budget_bytes));
  for (const BudgetChange& change : budget_changes(report.frames))
    row("  from frame / above it / worst", mebibytes(change.bytes) + " from " +
                                               std::to_string(change.frame) + " / " +
                                               number(change.seconds_above, "%.2f s") + " / " +
                                               number(change.worst_milliseconds, "%.1f ms"));
  row("peak reserved / live",
      mebibytes(report.peak_reserved_bytes) + " / " + mebibytes(report.peak_live_bytes));
  row("reserved over live, second half", number(reserved_over_live(report.frames)));
  if (const std::uint64_t moves = sum_of(report.frames, &FrameRecord::moves); moves > 0) {
    row("moved / given back in blocks",
        mebibytes(sum_of(report.frames, &FrameRecord::moved_bytes)) + " in " +
            std::to_string(moves) + " moves / " + mebibytes(report.bytes_freed_by_moves));
  }
  row("textures uploaded", mebibytes(sum_of(report.frames, &FrameRecord::uploaded_bytes)));
  row("driver allocations, all / last 100",
      std::to_string(sum_of(report.frames, &FrameRecord::driver_allocations)) + " / " +
          std::to_string(driver_allocations_last_100(report.frames)));
  row("textures below the wanted mip", std::to_string(report.textures_below_wanted_mip));
  if (report.textures_below_wanted_mip > 0) {
    row("smallest upgrade / budget left",
        mebibytes(report.smallest_upgrade_bytes) + " / " + mebibytes(report.budget_left_bytes));
  }
  row("validation messages", report.validation ? std::to_string(report.validation_messages)
                                               : std::string("validation was off"));
  if (!report.problems.empty()) row("problems", std::to_string(report.problems.size()));
  return out.str();
}

}  // namespace quarry::viewer
