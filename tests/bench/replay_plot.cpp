// SPDX-License-Identifier: MIT
#include "bench/replay_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace quarry::bench {

namespace {

constexpr double kWidth = 960;
constexpr double kLeft = 70;
constexpr double kRight = 20;
constexpr std::array<const char*, 3> kColours = {"#1f5fa8", "#c0561d", "#3d7a35"};
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

[[gnu::format(printf, 2, 3)]] void append(std::string& svg, const char* format, ...) {
  std::array<char, 512> text{};
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  if (length > 0)
    svg.append(text.data(),
               std::min<std::size_t>(text.size() - 1, static_cast<std::size_t>(length)));
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char character : text) {
    if (character == '<') {
      result += "&lt;";
    } else if (character == '&') {
      result += "&amp;";
    } else {
      result += character;
    }
  }
  return result;
}

/// 1, 2 or 5 times a power of ten, so that about five of them reach `highest`.
double tick_step(double highest) {
  const double rough = std::max(highest, 1e-9) / 5;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor >= rough) return power * factor;
  }
  return power * 10;
}

/// One diagram: frames to the right, values upward from 0.
struct Panel {
  double top = 0;
  double height = 0;
  double frames = 1;
  double highest = 1;

  double x(double frame) const { return kLeft + (kWidth - kLeft - kRight) * frame / frames; }
  double y(double value) const { return top + height - height * value / highest; }

  void axes(std::string& svg, const std::string& label) const {
    append(svg, "<text x=\"%.0f\" y=\"%.0f\" font-weight=\"bold\">%s</text>\n", kLeft, top - 8,
           label.c_str());
    const double step = tick_step(highest);
    for (double value = 0; value <= highest * 1.0001; value += step) {
      append(svg,
             "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n<text "
             "x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
             kLeft, y(value), kWidth - kRight, y(value), kLeft - 6, y(value) + 4, value);
    }
    const double frame_step = tick_step(frames);
    for (double frame = 0; frame <= frames; frame += frame_step)
      append(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n", x(frame),
             top + height + 16, frame);
  }

  template <class Value>
  void points(std::string& svg, const std::vector<ReplaySample>& samples, Value&& value) const {
    for (const ReplaySample& sample : samples)
      append(svg, "%.1f,%.1f ", x(static_cast<double>(sample.frame)), y(value(sample)));
  }

  template <class Value>
  void line(std::string& svg, const std::vector<ReplaySample>& samples, const char* colour,
            Value&& value) const {
    append(svg, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"", colour);
    points(svg, samples, value);
    svg += "\"/>\n";
  }
};

double reserved(const ReplaySample& sample) {
  return static_cast<double>(sample.reserved_bytes) / kGiB;
}
double live(const ReplaySample& sample) {
  return static_cast<double>(sample.live_bytes) / kGiB;
}

void draw_bytes(std::string& svg, const Panel& panel, const std::vector<NamedReplay>& replays) {
  panel.axes(svg, "GiB");
  const std::vector<ReplaySample>& samples = replays.front().result.samples;
  svg += "<polygon fill=\"#d5d9de\" points=\"";
  append(svg, "%.1f,%.1f ", panel.x(static_cast<double>(samples.front().frame)), panel.y(0));
  panel.points(svg, samples, live);
  append(svg, "%.1f,%.1f\"/>\n", panel.x(static_cast<double>(samples.back().frame)), panel.y(0));
  for (std::size_t i = 0; i < replays.size(); ++i)
    panel.line(svg, replays[i].result.samples, kColours[i % kColours.size()], reserved);
}

void draw_legend(std::string& svg, const std::vector<NamedReplay>& replays) {
  double x = kLeft;
  const auto entry = [&](const char* colour, const std::string& text) {
    append(svg, "<rect x=\"%.0f\" y=\"44\" width=\"14\" height=\"10\" fill=\"%s\"/>\n", x, colour);
    append(svg, "<text x=\"%.0f\" y=\"53\">%s</text>\n", x + 20, text.c_str());
    x += 60 + 7.0 * static_cast<double>(text.size());
  };
  entry("#d5d9de", "live, as asked for");
  for (std::size_t i = 0; i < replays.size(); ++i) {
    std::array<char, 96> text{};
    (void)std::snprintf(text.data(), text.size(), "reserved by %s, mean %.3f of live",
                        replays[i].name.c_str(), replays[i].result.mean_reserved_over_live);
    entry(kColours[i % kColours.size()], text.data());
  }
}

}  // namespace

std::string plot_svg(const std::string& title, const std::vector<NamedReplay>& replays) {
  Panel bytes{90, 260, 1, 0.001};
  Panel fragmentation{400, 110, 1, 1};
  for (const NamedReplay& replay : replays) {
    for (const ReplaySample& sample : replay.result.samples) {
      bytes.highest = std::max({bytes.highest, reserved(sample), live(sample)});
      bytes.frames = std::max(bytes.frames, static_cast<double>(sample.frame));
    }
  }
  fragmentation.frames = bytes.frames;
  std::string svg;
  append(svg,
         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"550\" "
         "viewBox=\"0 0 %.0f 550\" font-family=\"sans-serif\" font-size=\"12\">\n"
         "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
         kWidth, kWidth);
  append(svg, "<text x=\"%.0f\" y=\"28\" font-size=\"16\">%s</text>\n", kLeft,
         escaped(title).c_str());
  draw_legend(svg, replays);
  draw_bytes(svg, bytes, replays);
  fragmentation.axes(svg, "fragmentation: 1 - largest free range / free bytes");
  for (std::size_t i = 0; i < replays.size(); ++i)
    fragmentation.line(svg, replays[i].result.samples, kColours[i % kColours.size()],
                       [](const ReplaySample& sample) { return sample.fragmentation; });
  append(svg, "<text x=\"%.0f\" y=\"543\" text-anchor=\"end\">frames</text>\n</svg>\n",
         kWidth - kRight);
  return svg;
}

}  // namespace quarry::bench
