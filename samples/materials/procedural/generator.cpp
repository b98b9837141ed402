// SPDX-License-Identifier: MIT
// Tiles of 128 pixels: seven fields of floats and three images of one fit into a core's
// second-level cache.
#include "materials/procedural/generator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <mutex>
#include <utility>

#include "materials/mip_chain.hpp"
#include "materials/parallel.hpp"
#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe.hpp"
#include "materials/srgb.hpp"

namespace quarry::materials {
namespace {

constexpr std::uint32_t kTileEdge = 128;
constexpr std::array kMeanings = {Meaning::color, Meaning::normal, Meaning::linear};

std::uint8_t to_byte(float unit) {
  const float code = saturate(unit) * 255.0f + 0.5f;  // never negative: cutting off rounds
  return static_cast<std::uint8_t>(code);
}

/// The tile of pixels behind a surface's border of one pixel.
struct TileImages {
  explicit TileImages(std::uint32_t edge)
      : maps{Image(edge, edge), Image(edge, edge), Image(edge, edge)} {}
  std::array<Image, kMapKinds> maps;
};

void write_albedo(const SurfaceTile& surface, std::size_t from, std::uint32_t count,
                  std::uint8_t* out) {
  const SrgbTables& tables = SrgbTables::instance();
  for (std::uint32_t x = 0; x < count; ++x, out += kPixelBytes) {
    out[0] = tables.encode(surface.red[from + x]);
    out[1] = tables.encode(surface.green[from + x]);
    out[2] = tables.encode(surface.blue[from + x]);
    out[3] = 255;
  }
}

/// Central differences; v runs down the rows while +Y of a normal points up.
void write_normals(const SurfaceTile& surface, std::size_t from, std::uint32_t count,
                   std::uint8_t* out) {
  const float scale = 0.5f * static_cast<float>(surface.window.size);
  const float* middle = surface.height.data() + from;
  const float* above = middle - surface.window.width;
  const float* below = middle + surface.window.width;
  for (std::uint32_t x = 0; x < count; ++x, out += kPixelBytes) {
    const float slope_u = (middle[x + 1] - middle[static_cast<std::ptrdiff_t>(x) - 1]) * scale;
    const float slope_v = (below[x] - above[x]) * scale;
    const float inverse = 0.5f / std::sqrt(slope_u * slope_u + slope_v * slope_v + 1.0f);
    out[0] = to_byte(0.5f - slope_u * inverse);
    out[1] = to_byte(0.5f + slope_v * inverse);
    out[2] = to_byte(0.5f + inverse);
    out[3] = 255;
  }
}

void write_surface(const SurfaceTile& surface, std::size_t from, std::uint32_t count,
                   std::uint8_t* out) {
  for (std::uint32_t x = 0; x < count; ++x, out += kPixelBytes) {
    out[0] = to_byte(surface.occlusion[from + x]);
    // Below 0.045 highlights become points that flicker.
    out[1] = to_byte(std::max(0.045f, surface.roughness[from + x]));
    out[2] = to_byte(surface.metalness[from + x]);
    out[3] = 255;
  }
}

TileImages render_tile(const Shader& shader, std::uint32_t size, std::uint32_t left,
                       std::uint32_t top, std::uint32_t edge) {
  SurfaceTile surface({size, static_cast<std::int32_t>(left) - 1,
                       static_cast<std::int32_t>(top) - 1, edge + 2, edge + 2});
  shader(surface);
  TileImages images(edge);
  for (std::uint32_t y = 0; y < edge; ++y) {
    const std::size_t from = std::size_t{y + 1} * surface.window.width + 1;
    write_albedo(surface, from, edge, images.maps[0].view().row(y));
    write_normals(surface, from, edge, images.maps[1].view().row(y));
    write_surface(surface, from, edge, images.maps[2].view().row(y));
  }
  return images;
}

/// Puts a tile and its mips down to one block; leaves its 2x2 pixels in `tail`, the image of the
/// level below.
void put_tile(TextureChain& chain, Image tile, Meaning meaning, std::uint32_t left,
              std::uint32_t top, MutablePixelView tail) {
  std::uint32_t level = 0;
  std::uint32_t edge = tile.width();
  for (; edge >= 4; edge /= 2, ++level) {
    chain.put(level, left >> level, top >> level, std::as_const(tile).view(), Effort::quick);
    Image smaller(edge / 2, edge / 2);
    downsample(std::as_const(tile).view(), smaller.view(), meaning);
    tile = std::move(smaller);
  }
  const MutablePixelView last = tile.view();
  for (std::uint32_t y = 0; y < edge; ++y)
    std::copy_n(last.row(y), kPixelBytes * edge,
                tail.row((top >> level) + y) + kPixelBytes * (left >> level));
}

}  // namespace

std::vector<ProceduralMaterial> procedural_materials(std::size_t count, std::uint32_t seed) {
  std::vector<ProceduralMaterial> materials;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t recipe = i % recipes().size();
    std::string number = std::to_string(i + 1);
    number.insert(0, number.size() < 2 ? 1 : 0, '0');
    materials.push_back({number + "-" + recipes()[recipe].name, recipe,
                         hash(static_cast<std::uint32_t>(i), 0x51ed270bu, seed),
                         static_cast<std::uint32_t>(i / recipes().size())});
  }
  return materials;
}

VkFormat procedural_format(MapKind kind, bool bc7) {
  switch (kind) {
    case MapKind::albedo:
      return bc7 ? VK_FORMAT_BC7_SRGB_BLOCK : VK_FORMAT_BC1_RGB_SRGB_BLOCK;
    case MapKind::normal:
      return VK_FORMAT_BC5_UNORM_BLOCK;
    case MapKind::surface:
      return bc7 ? VK_FORMAT_BC7_UNORM_BLOCK : VK_FORMAT_BC1_RGB_UNORM_BLOCK;
  }
  return VK_FORMAT_UNDEFINED;
}

std::vector<TextureChain> render_material(const ProceduralMaterial& material,
                                          const RenderOptions& options) {
  const std::uint32_t size = options.size;
  const std::uint32_t edge = std::min(kTileEdge, size);
  const std::uint32_t tiles = size / edge;
  // A tile ends as 2x2 pixels of the level below its last whole block.
  const auto tail_level = static_cast<std::uint32_t>(std::countr_zero(edge)) - 1;
  std::vector<TextureChain> chains;
  std::vector<Image> tails;
  for (std::size_t kind = 0; kind < kMapKinds; ++kind) {
    chains.emplace_back(procedural_format(static_cast<MapKind>(kind), options.bc7), size, size);
    tails.emplace_back(size >> tail_level, size >> tail_level);
  }
  const Shader shader = recipes()[material.recipe].make(Dice(material.seed, material.variant));
  const std::size_t total = std::size_t{tiles} * tiles;
  std::mutex progress_mutex;
  std::size_t done = 0;
  parallel_for(total, thread_count(options.threads), [&](std::size_t i) {
    const std::uint32_t left = static_cast<std::uint32_t>(i % tiles) * edge;
    const std::uint32_t top = static_cast<std::uint32_t>(i / tiles) * edge;
    TileImages images = render_tile(shader, size, left, top, edge);
    for (std::size_t kind = 0; kind < kMapKinds; ++kind)
      put_tile(chains[kind], std::move(images.maps[kind]), kMeanings[kind], left, top,
               tails[kind].view());
    if (!options.progress) return;
    const std::lock_guard lock(progress_mutex);
    options.progress(static_cast<double>(++done) / static_cast<double>(total));
  });
  for (std::size_t kind = 0; kind < kMapKinds; ++kind)
    chains[kind].put_from(tail_level, std::move(tails[kind]), kMeanings[kind], Effort::quick,
                          thread_count(options.threads));
  return chains;
}

}  // namespace quarry::materials
