// SPDX-License-Identifier: MIT
#include "hud/picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb/stb_image_write.h>

namespace quarry::hud {
namespace {

using Color = std::array<float, 4>;

float to_linear(float value) {
  return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

float to_srgb(float value) {
  return value <= 0.0031308f ? value * 12.92f : 1.055f * std::pow(value, 1.0f / 2.4f) - 0.055f;
}

Color unpack(ImU32 color, Blending blending) {
  Color result{};
  for (std::size_t i = 0; i < 4; ++i) {
    result[i] = static_cast<float>((color >> (8 * i)) & 255) / 255.0f;
    if (blending == Blending::linear && i < 3) result[i] = to_linear(result[i]);
  }
  return result;
}

Pixel pack(const Color& color, Blending blending) {
  Pixel result{};
  for (std::size_t i = 0; i < 4; ++i) {
    const float value = blending == Blending::linear && i < 3 ? to_srgb(color[i]) : color[i];
    result[i] = static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * 255.0f));
  }
  return result;
}

/// The coverage in the font atlas, which holds one channel, bilinear and clamped to the edge.
class Atlas {
 public:
  Atlas() { ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&texels_, &width_, &height_); }
  float sample(ImVec2 uv) const {
    const float x = uv.x * static_cast<float>(width_) - 0.5f;
    const float y = uv.y * static_cast<float>(height_) - 0.5f;
    const int column = static_cast<int>(std::floor(x));
    const int row = static_cast<int>(std::floor(y));
    const float fx = x - static_cast<float>(column);
    const float fy = y - static_cast<float>(row);
    const float top = texel(column, row) * (1 - fx) + texel(column + 1, row) * fx;
    const float bottom = texel(column, row + 1) * (1 - fx) + texel(column + 1, row + 1) * fx;
    return top * (1 - fy) + bottom * fy;
  }

 private:
  float texel(int x, int y) const {
    x = std::clamp(x, 0, width_ - 1);
    y = std::clamp(y, 0, height_ - 1);
    return static_cast<float>(texels_[y * width_ + x]) / 255.0f;
  }
  unsigned char* texels_ = nullptr;
  int width_ = 0;
  int height_ = 0;
};

double edge(ImVec2 a, ImVec2 b, double x, double y) {
  return (static_cast<double>(b.x) - a.x) * (y - a.y) -
         (static_cast<double>(b.y) - a.y) * (x - a.x);
}

/// Whether points exactly on the edge a-b belong to the triangle left of it (the top-left rule).
bool owns_edge(ImVec2 a, ImVec2 b) {
  return (a.y == b.y && b.x > a.x) || b.y < a.y;
}

class Canvas {
 public:
  Canvas(int width, int height, ImU32 background, Blending blending)
      : width_(width),
        height_(height),
        blending_(blending),
        colors_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                unpack(background, blending)) {}

  void triangle(std::array<ImDrawVert, 3> v, const ImVec4& clip) {
    double area = edge(v[0].pos, v[1].pos, v[2].pos.x, v[2].pos.y);
    if (area == 0) return;
    if (area < 0) {
      std::swap(v[1], v[2]);
      area = -area;
    }
    const auto [low_x, high_x] = std::minmax({v[0].pos.x, v[1].pos.x, v[2].pos.x});
    const auto [low_y, high_y] = std::minmax({v[0].pos.y, v[1].pos.y, v[2].pos.y});
    const int left = std::max({0, static_cast<int>(clip.x), static_cast<int>(std::floor(low_x))});
    const int right =
        std::min({width_, static_cast<int>(clip.z), static_cast<int>(std::ceil(high_x))});
    const int top = std::max({0, static_cast<int>(clip.y), static_cast<int>(std::floor(low_y))});
    const int bottom =
        std::min({height_, static_cast<int>(clip.w), static_cast<int>(std::ceil(high_y))});
    std::array<Color, 3> colors{};
    for (std::size_t i = 0; i < 3; ++i)
      colors[i] = unpack(v[i].col, blending_);
    for (int y = top; y < bottom; ++y) {
      for (int x = left; x < right; ++x) {
        std::array<float, 3> weight{};
        if (covers(v, area, x + 0.5, y + 0.5, weight)) blend(x, y, v, colors, weight);
      }
    }
  }

  Picture picture() const {
    Picture result{width_, height_, {}};
    for (const Color& color : colors_)
      result.pixels.push_back(pack(color, blending_));
    return result;
  }

 private:
  static bool covers(const std::array<ImDrawVert, 3>& v, double area, double x, double y,
                     std::array<float, 3>& weight) {
    for (std::size_t i = 0; i < 3; ++i) {
      const ImVec2 a = v[(i + 1) % 3].pos;
      const ImVec2 b = v[(i + 2) % 3].pos;
      const double value = edge(a, b, x, y);
      if (value < 0 || (value == 0 && !owns_edge(a, b))) return false;
      weight[i] = static_cast<float>(value / area);
    }
    return true;
  }

  void blend(int x, int y, const std::array<ImDrawVert, 3>& v, const std::array<Color, 3>& colors,
             const std::array<float, 3>& weight) {
    ImVec2 uv(0, 0);
    Color color{};
    for (std::size_t i = 0; i < 3; ++i) {
      uv.x += v[i].uv.x * weight[i];
      uv.y += v[i].uv.y * weight[i];
      for (std::size_t c = 0; c < 4; ++c)
        color[c] += colors[i][c] * weight[i];
    }
    const float alpha = color[3] * atlas_.sample(uv);
    Color& target = colors_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                            static_cast<std::size_t>(x)];
    for (std::size_t c = 0; c < 3; ++c)
      target[c] += (color[c] - target[c]) * alpha;
    target[3] += (1.0f - target[3]) * alpha;
  }

  int width_;
  int height_;
  Blending blending_;
  std::vector<Color> colors_;
  Atlas atlas_;
};

}  // namespace

std::size_t Picture::count(ImU32 color, int tolerance) const {
  return static_cast<std::size_t>(std::count_if(pixels.begin(), pixels.end(), [&](const Pixel& p) {
    for (std::size_t i = 0; i < 4; ++i) {
      const int wanted = static_cast<int>((color >> (8 * i)) & 255);
      if (std::abs(static_cast<int>(p[i]) - wanted) > tolerance) return false;
    }
    return true;
  }));
}

void Picture::show(const std::string& name) const {
  const char* folder = std::getenv("QUARRY_TEST_PICTURES");
  if (folder == nullptr) return;
  stbi_write_png((std::string(folder) + "/" + name).c_str(), width, height, 4, pixels.data(),
                 width * 4);
}

Picture rasterize(const ImDrawData& data, ImU32 background, Blending blending) {
  Canvas canvas(static_cast<int>(data.DisplaySize.x), static_cast<int>(data.DisplaySize.y),
                background, blending);
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      for (unsigned j = 0; j + 2 < command.ElemCount; j += 3) {
        const auto vertex = [&](unsigned k) {
          const ImDrawIdx index = list.IdxBuffer[static_cast<int>(command.IdxOffset + j + k)];
          return list.VtxBuffer[static_cast<int>(command.VtxOffset + index)];
        };
        canvas.triangle({vertex(0), vertex(1), vertex(2)}, command.ClipRect);
      }
    }
  }
  return canvas.picture();
}

}  // namespace quarry::hud
