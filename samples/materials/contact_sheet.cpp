// SPDX-License-Identifier: MIT
// Decodes pieces of mips and shades them with one light and a little sky.
#include "materials/contact_sheet.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "materials/block_decode.hpp"
#include "materials/ktx2.hpp"
#include "materials/srgb.hpp"

namespace quarry::materials {
namespace {

constexpr std::uint32_t kCell = 256;

using Vector = std::array<float, 3>;

float dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vector normalized(const Vector& v) {
  const float scale = 1.0f / std::sqrt(dot(v, v));
  return {v[0] * scale, v[1] * scale, v[2] * scale};
}

Image filled(std::array<std::uint8_t, 4> texel) {
  Image image(kCell, kCell);
  const MutablePixelView view = image.view();
  for (std::size_t i = 0; i < std::size_t{kCell} * kCell; ++i)
    std::memcpy(view.pixels + kPixelBytes * i, texel.data(), kPixelBytes);
  return image;
}

/// The upper left kCell x kCell pixels of a level, repeated where the level is smaller.
Result<Image> read_piece(const TextureFile& texture, std::uint32_t level) {
  const TextureInfo& info = texture.info();
  const FormatInfo& format = *find_format(info.format);
  const std::uint32_t width = mip_extent(info.width, level);
  const std::uint32_t height = std::min(kCell, mip_extent(info.height, level));
  std::vector<std::byte> blocks(static_cast<std::size_t>(image_bytes(format, width, height)));
  if (Status status = texture.read_slice(level, 0, blocks); !status)
    return Unexpected(status.error());
  auto image = decode_blocks(format, width, height, blocks);
  if (!image)
    return Unexpected(Problem{texture.path(), "holds BC7 blocks that cannot be decoded here"});
  Image piece(kCell, kCell);
  const MutablePixelView out = piece.view();
  const PixelView in = std::as_const(*image).view();
  for (std::uint32_t y = 0; y < kCell; ++y)
    for (std::uint32_t x = 0; x < kCell; ++x)
      std::memcpy(out.row(y) + kPixelBytes * x, in.row(y % height) + kPixelBytes * (x % width),
                  kPixelBytes);
  return piece;
}

/// `extent`: the width of the mip wanted; the nearest that the file has is taken.
Image read_map(const PreparedMap& map, MapKind kind, std::uint32_t extent) {
  if (!map.file) return filled(neutral_texel(kind));
  auto texture = TextureFile::open(*map.file);
  if (!texture) return filled(neutral_texel(kind));
  std::uint32_t level = 0;
  while (level + 1 < texture->info().mips && mip_extent(texture->info().width, level + 1) >= extent)
    ++level;
  auto piece = read_piece(*texture, level);
  return piece ? std::move(*piece) : filled(neutral_texel(kind));
}

Vector decode_normal(const std::uint8_t* texel) {
  const float x = static_cast<float>(texel[0]) / 127.5f - 1.0f;
  const float y = static_cast<float>(texel[1]) / 127.5f - 1.0f;
  return {x, y, std::sqrt(std::max(0.0f, 1.0f - x * x - y * y))};
}

/// GGX with one light from the upper left, seen from above, and a sky that is brighter upwards.
Vector shade(const std::uint8_t* albedo, const std::uint8_t* normal_texel,
             const std::uint8_t* surface) {
  const Vector light = normalized({-0.5f, 0.55f, 0.65f});
  const Vector view = {0.0f, 0.0f, 1.0f};
  const Vector half = normalized({light[0], light[1], light[2] + 1.0f});
  const Vector normal = decode_normal(normal_texel);
  const float occlusion = static_cast<float>(surface[0]) / 255.0f;
  const float roughness = std::max(0.045f, static_cast<float>(surface[1]) / 255.0f);
  const float metal = static_cast<float>(surface[2]) / 255.0f;

  const float n_l = std::max(0.0f, dot(normal, light));
  const float n_v = std::max(1e-3f, dot(normal, view));
  const float n_h = std::max(0.0f, dot(normal, half));
  const float alpha = roughness * roughness;
  const float d = n_h * n_h * (alpha * alpha - 1.0f) + 1.0f;
  const float distribution = alpha * alpha / (3.14159f * d * d);
  const float k = (roughness + 1.0f) * (roughness + 1.0f) / 8.0f;
  const float visibility = 1.0f / (4.0f * (n_l * (1.0f - k) + k) * (n_v * (1.0f - k) + k));
  // What a mirror would see: a bright band of sky, sharper the smoother the surface.
  const float up = 2.0f * normal[1] * normal[2];
  const float sky = 0.45f + 0.35f * std::tanh((up + 0.1f) * (4.0f - 3.2f * roughness));

  Vector color{};
  for (std::size_t c = 0; c < 3; ++c) {
    const float base = SrgbTables::instance().decode(albedo[c]);
    const float specular = 0.04f + (base - 0.04f) * metal;
    const float diffuse = base * (1.0f - metal);
    const float lit = (diffuse / 3.14159f + specular * distribution * visibility) * n_l * 2.6f;
    const float value = lit + occlusion * (diffuse * 0.32f + specular * sky);
    color[c] = value / (1.0f + 0.25f * value);
  }
  return color;
}

Image lit(const Image& albedo, const Image& normal, const Image& surface) {
  Image out(kCell, kCell);
  const MutablePixelView view = out.view();
  for (std::size_t i = 0; i < kPixelBytes * kCell * kCell; i += kPixelBytes) {
    const Vector color =
        shade(albedo.view().pixels + i, normal.view().pixels + i, surface.view().pixels + i);
    for (std::size_t c = 0; c < 3; ++c)
      view.pixels[i + c] = SrgbTables::instance().encode(color[c]);
    view.pixels[i + 3] = 255;
  }
  return out;
}

void make_opaque(Image& image) {
  const MutablePixelView view = image.view();
  for (std::size_t i = 0; i < kPixelBytes * kCell * kCell; i += kPixelBytes)
    view.pixels[i + 3] = 255;
}

void fill_blue(Image& normals) {
  const MutablePixelView view = normals.view();
  for (std::size_t i = 0; i < kPixelBytes * kCell * kCell; i += kPixelBytes)
    view.pixels[i + 2] =
        static_cast<std::uint8_t>(127.5f + 127.5f * decode_normal(view.pixels + i)[2]);
}

void paste(const Image& cell, std::uint32_t column, std::uint32_t row, MutablePixelView sheet) {
  for (std::uint32_t y = 0; y < kCell; ++y)
    std::memcpy(sheet.row(row * kCell + y) + kPixelBytes * kCell * column, cell.view().row(y),
                kPixelBytes * kCell);
}

}  // namespace

Image contact_sheet(const std::vector<PreparedMaterial>& materials) {
  const std::array<std::uint32_t, 3> extents = {kCell, 2048, kLargestExtent};
  Image sheet(5 * kCell, static_cast<std::uint32_t>(materials.size()) * kCell);
  for (std::uint32_t row = 0; row < materials.size(); ++row) {
    const auto read = [&](MapKind kind, std::uint32_t extent) {
      return read_map(materials[row].map(kind), kind, extent);
    };
    for (std::uint32_t column = 0; column < extents.size(); ++column)
      paste(lit(read(MapKind::albedo, extents[column]), read(MapKind::normal, extents[column]),
                read(MapKind::surface, extents[column])),
            column, row, sheet.view());
    Image albedo = read(MapKind::albedo, kCell);
    Image normal = read(MapKind::normal, kCell);
    make_opaque(albedo);
    fill_blue(normal);
    paste(albedo, 3, row, sheet.view());
    paste(normal, 4, row, sheet.view());
  }
  return sheet;
}

}  // namespace quarry::materials
