// SPDX-License-Identifier: MIT
// PNG chunks with stored deflate blocks; the rest is stb_image_write's.
#include "materials/image_writers.hpp"

#include <algorithm>

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

namespace quarry::materials::testing {
namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes(4, '\0');
  for (std::size_t i = 0; i < 4; ++i)
    bytes[i] = static_cast<char>(value >> (24 - 8 * i));
  return bytes;
}

std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

std::string chunk(const std::string& type, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + type + data +
         big_endian(crc32(type + data));
}

std::string zlib_stored(const std::string& data) {
  std::string out("\x78\x01", 2);
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (std::size_t at = 0; at < data.size() || at == 0; at += 65535) {
    const std::size_t size = std::min<std::size_t>(65535, data.size() - at);
    const auto low = static_cast<std::uint16_t>(size);
    out += at + size == data.size() ? '\1' : '\0';
    for (const unsigned value : {unsigned{low}, ~unsigned{low} & 0xffffu}) {
      out += static_cast<char>(value & 0xff);
      out += static_cast<char>(value >> 8);
    }
    out.append(data, at, size);
  }
  for (const char c : data) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return out + big_endian(b << 16 | a);
}

void append(void* context, void* data, int size) {
  static_cast<std::string*>(context)->append(static_cast<const char*>(data),
                                             static_cast<std::size_t>(size));
}

}  // namespace

std::string png_header(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                       unsigned bits) {
  constexpr char kColorTypes[] = {0, 4, 2, 6};
  std::string header = big_endian(width) + big_endian(height);
  header += static_cast<char>(bits);
  header += kColorTypes[channels - 1];
  header += std::string(3, '\0');
  return std::string("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", header);
}

std::string encode_png(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                       unsigned bits, const std::vector<std::uint16_t>& samples) {
  std::string raw;
  std::size_t next = 0;
  for (std::uint32_t y = 0; y < height; ++y) {
    raw += '\0';  // no filter
    for (std::uint32_t i = 0; i < width * channels; ++i, ++next) {
      if (bits == 16) raw += static_cast<char>(samples[next] >> 8);
      raw += static_cast<char>(samples[next] & 0xff);
    }
  }
  return png_header(width, height, channels, bits) + chunk("IDAT", zlib_stored(raw)) +
         chunk("IEND", "");
}

std::string encode_jpeg(std::uint32_t width, std::uint32_t height,
                        const std::vector<std::uint8_t>& rgb) {
  std::string bytes;
  stbi_write_jpg_to_func(append, &bytes, static_cast<int>(width), static_cast<int>(height), 3,
                         rgb.data(), 95);
  return bytes;
}

std::string encode_tga(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                       const std::vector<std::uint8_t>& pixels) {
  std::string bytes;
  stbi_write_tga_to_func(append, &bytes, static_cast<int>(width), static_cast<int>(height),
                         static_cast<int>(channels), pixels.data());
  return bytes;
}

}  // namespace quarry::materials::testing
