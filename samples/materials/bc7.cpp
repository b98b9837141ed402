// SPDX-License-Identifier: MIT
// Mode 6: principal axis, quantised endpoints, nearest of 16 steps, one least-squares refinement.
#include "materials/bc7.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace quarry::materials::bc7 {
namespace {

constexpr std::size_t kPixels = 16;
constexpr std::size_t kChannels = 4;
constexpr std::array<std::uint32_t, 16> kWeights = {0,  4,  9,  13, 17, 21, 26, 30,
                                                    34, 38, 43, 47, 51, 55, 60, 64};

using Color = std::array<float, kChannels>;

/// One endpoint as the block stores it: seven bits a channel and a low bit that all channels share.
struct Endpoint {
  std::array<std::uint32_t, kChannels> high;
  std::uint32_t low;

  std::uint32_t value(std::size_t channel) const { return high[channel] << 1 | low; }
};

struct Block {
  Endpoint from;
  Endpoint to;
  std::array<std::uint8_t, kPixels> steps;
  float error;
};

Endpoint quantize(const Color& color) {
  Endpoint best{};
  float best_error = INFINITY;
  for (std::uint32_t low = 0; low < 2; ++low) {
    Endpoint endpoint{{}, low};
    float error = 0.0f;
    for (std::size_t c = 0; c < kChannels; ++c) {
      const float wanted = (color[c] - static_cast<float>(low)) * 0.5f;
      endpoint.high[c] = static_cast<std::uint32_t>(std::clamp(wanted + 0.5f, 0.0f, 127.0f));
      const float miss = static_cast<float>(endpoint.value(c)) - color[c];
      error += miss * miss;
    }
    // Opaque pixels must stay opaque: 255 needs the low bit.
    if (color[3] >= 254.5f && low == 0) error += 1e6f;
    if (error < best_error) {
      best_error = error;
      best = endpoint;
    }
  }
  return best;
}

/// Picks each pixel's step along the line between the quantised endpoints.
Block fit_steps(const std::uint8_t* rgba, const Endpoint& from, const Endpoint& to) {
  Block block{from, to, {}, 0.0f};
  Color start{};
  Color axis{};
  float length = 0.0f;
  for (std::size_t c = 0; c < kChannels; ++c) {
    start[c] = static_cast<float>(from.value(c));
    axis[c] = static_cast<float>(to.value(c)) - start[c];
    length += axis[c] * axis[c];
  }
  const float scale = length > 0.0f ? 15.0f / length : 0.0f;
  for (std::size_t p = 0; p < kPixels; ++p) {
    Color offset{};
    float along = 0.0f;
    for (std::size_t c = 0; c < kChannels; ++c) {
      offset[c] = static_cast<float>(rgba[kChannels * p + c]) - start[c];
      along += offset[c] * axis[c];
    }
    const auto step = static_cast<std::uint8_t>(std::clamp(along * scale + 0.5f, 0.0f, 15.0f));
    const float position = static_cast<float>(kWeights[step]) / 64.0f;
    for (std::size_t c = 0; c < kChannels; ++c) {
      const float miss = offset[c] - axis[c] * position;
      block.error += miss * miss;
    }
    block.steps[p] = step;
  }
  return block;
}

/// The extreme points of the pixels along their principal axis (three power iterations).
std::array<Color, 2> principal_line(const std::uint8_t* rgba) {
  Color mean{};
  for (std::size_t i = 0; i < kPixels * kChannels; ++i)
    mean[i % kChannels] += static_cast<float>(rgba[i]) / kPixels;
  std::array<Color, kChannels> covariance{};
  for (std::size_t p = 0; p < kPixels; ++p)
    for (std::size_t a = 0; a < kChannels; ++a)
      for (std::size_t b = 0; b < kChannels; ++b)
        covariance[a][b] += (static_cast<float>(rgba[kChannels * p + a]) - mean[a]) *
                            (static_cast<float>(rgba[kChannels * p + b]) - mean[b]);
  // The row with the largest variance is never orthogonal to the axis wanted.
  std::size_t widest = 0;
  for (std::size_t c = 1; c < kChannels; ++c)
    if (covariance[c][c] > covariance[widest][widest]) widest = c;
  Color axis = covariance[widest];
  for (int iteration = 0; iteration < 3; ++iteration) {
    Color next{};
    float largest = 1e-6f;
    for (std::size_t a = 0; a < kChannels; ++a) {
      for (std::size_t b = 0; b < kChannels; ++b)
        next[a] += covariance[a][b] * axis[b];
      largest = std::max(largest, std::abs(next[a]));
    }
    for (std::size_t c = 0; c < kChannels; ++c)
      axis[c] = next[c] / largest;
  }
  float square = 1e-12f;
  for (const float part : axis)
    square += part * part;
  float least = 0.0f;
  float most = 0.0f;
  for (std::size_t p = 0; p < kPixels; ++p) {
    float along = 0.0f;
    for (std::size_t c = 0; c < kChannels; ++c)
      along += (static_cast<float>(rgba[kChannels * p + c]) - mean[c]) * axis[c];
    least = std::min(least, along / square);
    most = std::max(most, along / square);
  }
  std::array<Color, 2> ends{};
  for (std::size_t c = 0; c < kChannels; ++c) {
    ends[0][c] = std::clamp(mean[c] + least * axis[c], 0.0f, 255.0f);
    ends[1][c] = std::clamp(mean[c] + most * axis[c], 0.0f, 255.0f);
  }
  return ends;
}

/// Endpoints that minimise the squared error for given steps; false when all pixels share one step.
bool solve_endpoints(const std::uint8_t* rgba, const Block& block, std::array<Color, 2>& ends) {
  float aa = 0.0f;
  float ab = 0.0f;
  float bb = 0.0f;
  Color a_sum{};
  Color b_sum{};
  for (std::size_t p = 0; p < kPixels; ++p) {
    const float b = static_cast<float>(kWeights[block.steps[p]]) / 64.0f;
    const float a = 1.0f - b;
    aa += a * a;
    ab += a * b;
    bb += b * b;
    for (std::size_t c = 0; c < kChannels; ++c) {
      a_sum[c] += a * static_cast<float>(rgba[kChannels * p + c]);
      b_sum[c] += b * static_cast<float>(rgba[kChannels * p + c]);
    }
  }
  const float determinant = aa * bb - ab * ab;
  if (std::abs(determinant) < 1e-4f) return false;
  for (std::size_t c = 0; c < kChannels; ++c) {
    ends[0][c] = std::clamp((bb * a_sum[c] - ab * b_sum[c]) / determinant, 0.0f, 255.0f);
    ends[1][c] = std::clamp((aa * b_sum[c] - ab * a_sum[c]) / determinant, 0.0f, 255.0f);
  }
  return true;
}

/// Fields of a block, from the lowest bit on.
class BitWriter {
 public:
  void put(std::uint32_t value, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i, ++at_)
      words_[at_ / 64] |= std::uint64_t{value >> i & 1} << (at_ % 64);
  }
  void store(std::byte* block) const {
    for (std::size_t i = 0; i < 16; ++i)
      block[i] = static_cast<std::byte>(words_[i / 8] >> (8 * (i % 8)));
  }

 private:
  std::array<std::uint64_t, 2> words_{};
  unsigned at_ = 0;
};

class BitReader {
 public:
  explicit BitReader(const std::byte* block) : block_(block) {}
  std::uint32_t get(unsigned bits) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < bits; ++i, ++at_)
      value |= (std::to_integer<std::uint32_t>(block_[at_ / 8]) >> (at_ % 8) & 1) << i;
    return value;
  }

 private:
  const std::byte* block_;
  unsigned at_ = 0;
};

void pack(Block block, std::byte* out) {
  // The first step is stored without its top bit, so it must be in the lower half.
  if (block.steps[0] >= 8) {
    std::swap(block.from, block.to);
    for (std::uint8_t& step : block.steps)
      step = static_cast<std::uint8_t>(15 - step);
  }
  BitWriter bits;
  bits.put(1u << 6, 7);  // mode 6
  for (std::size_t c = 0; c < kChannels; ++c) {
    bits.put(block.from.high[c], 7);
    bits.put(block.to.high[c], 7);
  }
  bits.put(block.from.low, 1);
  bits.put(block.to.low, 1);
  for (std::size_t p = 0; p < kPixels; ++p)
    bits.put(block.steps[p], p == 0 ? 3 : 4);
  bits.store(out);
}

}  // namespace

void encode(const std::uint8_t* rgba, std::byte* block) {
  std::array<Color, 2> ends = principal_line(rgba);
  Block best = fit_steps(rgba, quantize(ends[0]), quantize(ends[1]));
  if (best.error > 0.0f && solve_endpoints(rgba, best, ends)) {
    const Block refined = fit_steps(rgba, quantize(ends[0]), quantize(ends[1]));
    if (refined.error < best.error) best = refined;
  }
  pack(best, block);
}

bool decode(const std::byte* block, std::uint8_t* rgba) {
  BitReader bits(block);
  if (bits.get(7) != 1u << 6) return false;
  std::array<std::uint32_t, kChannels> from{};
  std::array<std::uint32_t, kChannels> to{};
  for (std::size_t c = 0; c < kChannels; ++c) {
    from[c] = bits.get(7) << 1;
    to[c] = bits.get(7) << 1;
  }
  const std::uint32_t from_low = bits.get(1);
  const std::uint32_t to_low = bits.get(1);
  for (std::size_t p = 0; p < kPixels; ++p) {
    const std::uint32_t weight = kWeights[bits.get(p == 0 ? 3 : 4)];
    for (std::size_t c = 0; c < kChannels; ++c)
      rgba[kChannels * p + c] = static_cast<std::uint8_t>(
          ((64 - weight) * (from[c] | from_low) + weight * (to[c] | to_low) + 32) >> 6);
  }
  return true;
}

}  // namespace quarry::materials::bc7
