// SPDX-License-Identifier: MIT
// Walks from marker to marker. Coded data behind a start of scan is passed over byte by byte,
// without locking.
#include "materials/jpeg_check.hpp"

#include <array>

namespace quarry::materials {
namespace {

constexpr int kEndOfImage = 0xD9;
constexpr int kHuffmanTables = 0xC4;

/// Markers that stand alone: restarts, start of image, and the one for temporary use.
bool has_no_segment(int marker) {
  return (marker >= 0xD0 && marker <= 0xD8) || marker == 0x01;
}

/// Skips to the next marker that is neither stuffing nor a restart; EOF when there is none.
int next_marker(std::FILE* file) {
  int byte = ::getc_unlocked(file);
  while (byte != EOF) {
    if (byte != 0xFF) {
      byte = ::getc_unlocked(file);
      continue;
    }
    byte = ::getc_unlocked(file);
    if (byte != EOF && byte != 0x00 && byte != 0xFF && !has_no_segment(byte)) return byte;
  }
  return EOF;
}

/// The tables of one segment of `bytes` bytes.
bool huffman_tables_are_sound(std::FILE* file, int bytes) {
  while (bytes > 0) {
    std::array<unsigned char, 17> head{};  // class and number, then how many codes of each length
    if (bytes < static_cast<int>(head.size()) ||
        std::fread(head.data(), 1, head.size(), file) != head.size())
      return false;
    int codes = 0;
    for (std::size_t i = 1; i < head.size(); ++i)
      codes += head[i];
    bytes -= static_cast<int>(head.size()) + codes;
    if (codes > 256 || bytes < 0) return false;
    std::fseek(file, codes, SEEK_CUR);
  }
  return true;
}

std::string check_segments(std::FILE* file) {
  for (int marker = next_marker(file); marker != kEndOfImage; marker = next_marker(file)) {
    if (marker == EOF) return "is truncated: it has no end of image";
    const int high = ::getc_unlocked(file);
    const int low = ::getc_unlocked(file);
    if (low == EOF) return "is truncated";
    const int bytes = high * 256 + low - 2;
    if (bytes < 0) return "is damaged: a segment of a negative size";
    if (marker == kHuffmanTables) {
      if (!huffman_tables_are_sound(file, bytes)) return "is damaged: a bad Huffman table";
    } else {
      std::fseek(file, bytes, SEEK_CUR);
    }
  }
  return {};
}

}  // namespace

std::string check_jpeg(std::FILE* file) {
  std::rewind(file);
  std::string reason = check_segments(file);
  std::rewind(file);
  return reason;
}

}  // namespace quarry::materials
