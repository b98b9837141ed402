// SPDX-License-Identifier: MIT
// KTX2 files of one 2D texture each: validated when opened, single mips read at random, written
// whole. No supercompression, arrays, cube maps or volumes: those are refused by name. Reading
// costs one pread per mip or slice; nothing but the header is kept in memory. Format: Khronos
// Texture Specification, KTX File Format 2.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "materials/problem.hpp"
#include "materials/texture_format.hpp"

namespace quarry::materials {

struct TextureInfo {
  VkFormat format = VK_FORMAT_UNDEFINED;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t mips = 0;  ///< levels in the file, from mip 0 (the finest) down; at least 1
  std::vector<std::uint64_t> mip_bytes;  ///< of each level, tightly packed rows of blocks
};

/// An open texture file. Movable; closes itself. Every const member may be called by several
/// threads at once.
class TextureFile {
 public:
  /// Checks the header, the level index and the key/value data against the file's size, the format
  /// and the extent.
  static Result<TextureFile> open(const std::filesystem::path& path);

  TextureFile(TextureFile&& other) noexcept;
  TextureFile& operator=(TextureFile&& other) noexcept;
  TextureFile(const TextureFile&) = delete;
  TextureFile& operator=(const TextureFile&) = delete;
  ~TextureFile();

  const std::filesystem::path& path() const { return path_; }
  const TextureInfo& info() const { return info_; }

  /// The value of a key in the file's key/value data, without its terminating zero; empty if
  /// absent.
  std::string_view metadata(std::string_view key) const;

  /// Reads one whole level. `destination` must be exactly mip_bytes[level] long.
  Status read_mip(std::uint32_t level, std::span<std::byte> destination) const;

  /// Reads `destination.size()` bytes of a level from byte `offset` on, for uploads in slices.
  Status read_slice(std::uint32_t level, std::uint64_t offset,
                    std::span<std::byte> destination) const;

 private:
  using KeyValue = std::pair<std::string, std::string>;

  TextureFile(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  void close();
  /// Fills info_, mip_offsets_ and metadata_. Empty on success, else the reason.
  std::string read_structure();
  Problem problem(std::string reason) const { return {path_, std::move(reason)}; }

  std::filesystem::path path_;
  int descriptor_ = -1;
  TextureInfo info_;
  std::vector<std::uint64_t> mip_offsets_;
  std::vector<KeyValue> metadata_;
};

/// What is written into one file. `mips[i]` are the tightly packed bytes of level i.
struct TextureContent {
  VkFormat format = VK_FORMAT_UNDEFINED;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::span<const std::byte>> mips;
  /// Keys in ascending order, beside KTXwriter, which is added. Values are strings.
  std::vector<std::pair<std::string, std::string>> metadata;
};

/// Writes a file beside `path` and renames it onto `path` when all is there: readers see the old
/// file, the new one or none. On an error (a full disk, say) nothing is left behind.
Status write_texture(const std::filesystem::path& path, const TextureContent& content);

}  // namespace quarry::materials
