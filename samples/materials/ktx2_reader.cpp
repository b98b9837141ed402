// SPDX-License-Identifier: MIT
// Opening and reading KTX2 files. Nothing in a file is believed before it was compared with the
// file's size; sums are formed so that they cannot wrap.
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "materials/ktx2.hpp"
#include "materials/ktx2_layout.hpp"

namespace quarry::materials {
namespace {

/// Key/value data beyond this is refused: it is read into memory.
constexpr std::uint32_t kLargestMetadata = 1u << 20;

std::string error_text(int error) {
  return std::generic_category().message(error);
}

bool fits(std::uint64_t offset, std::uint64_t length, std::uint64_t file_bytes) {
  return offset <= file_bytes && length <= file_bytes - offset;
}

/// Reads exactly `into.size()` bytes. Empty on success, else the reason.
std::string read_exactly(int descriptor, std::uint64_t offset, std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = ::pread(descriptor, into.data() + done, into.size() - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return "cannot be read: " + error_text(errno);
    if (got == 0)
      return "is truncated: it ends before byte " + std::to_string(offset + into.size());
    done += static_cast<std::size_t>(got);
  }
  return {};
}

std::string extent_text(std::uint32_t width, std::uint32_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

/// What the header says; empty when it is one plain 2D texture in a supported format.
std::string check_header(std::span<const std::byte> header, TextureInfo& info) {
  using namespace ktx2;
  if (std::memcmp(header.data(), kIdentifier.data(), kIdentifier.size()) != 0)
    return "is not a KTX2 file (wrong identifier)";
  const std::uint32_t scheme = load_u32(header, kSupercompression);
  if (scheme != 0)
    return "is supercompressed (scheme " + std::to_string(scheme) + "), which is not supported";
  const std::uint32_t number = load_u32(header, kVkFormat);
  const FormatInfo* format =
      number < VK_FORMAT_MAX_ENUM ? find_format(static_cast<VkFormat>(number)) : nullptr;
  if (format == nullptr)
    return "has VkFormat " + std::to_string(number) +
           "; supported are BC1, BC3, BC4, BC5, BC7 and RGBA8";
  info.format = format->format;
  if (load_u32(header, kTypeSize) != 1) return "has a type size that does not match its format";
  if (load_u32(header, kDepth) != 0) return "is a 3D texture; only 2D is supported";
  if (load_u32(header, kLayers) != 0)
    return "is an array texture; only single 2D textures are supported";
  if (load_u32(header, kFaces) != 1) return "is a cube map; only single 2D textures are supported";
  info.width = load_u32(header, kWidth);
  info.height = load_u32(header, kHeight);
  if (info.width != 0 && info.height == 0) return "is a 1D texture; only 2D is supported";
  if (info.width == 0 || info.width > kLargestExtent || info.height > kLargestExtent)
    return "has an extent of " + extent_text(info.width, info.height) + "; supported are 1 to " +
           std::to_string(kLargestExtent);
  info.mips = load_u32(header, kLevels);
  // 0 asks the loader to make the chain, which block-compressed data does not allow.
  if (info.mips == 0 && format->block_edge != 1) return "has no mip levels";
  if (info.mips == 0) info.mips = 1;
  if (info.mips > full_mip_count(info.width, info.height))
    return "claims " + std::to_string(info.mips) + " mip levels for an extent of " +
           extent_text(info.width, info.height);
  return {};
}

/// Checks one entry of the level index and takes its offset and length over.
std::string check_level(std::span<const std::byte> entry, std::uint32_t level,
                        std::uint64_t data_begin, std::uint64_t file_bytes, TextureInfo& info,
                        std::vector<std::uint64_t>& offsets) {
  const FormatInfo& format = *find_format(info.format);
  const std::uint64_t offset = ktx2::load_u64(entry, 0);
  const std::uint64_t length = ktx2::load_u64(entry, 8);
  const std::uint64_t expected =
      image_bytes(format, mip_extent(info.width, level), mip_extent(info.height, level));
  const std::string name = "mip level " + std::to_string(level);
  if (length != expected || ktx2::load_u64(entry, 16) != expected)
    return "has " + std::to_string(length) + " bytes in " + name +
           " where format and extent need " + std::to_string(expected);
  if (offset < data_begin || offset % ktx2::level_alignment(format) != 0)
    return "has " + name + " at a wrong offset";
  if (!fits(offset, length, file_bytes))
    return "is truncated: " + name + " ends behind the end of the file";
  info.mip_bytes.push_back(length);
  offsets.push_back(offset);
  return {};
}

/// Splits key/value data; false when an entry runs over the end or has no terminated key.
bool parse_metadata(std::span<const std::byte> data,
                    std::vector<std::pair<std::string, std::string>>& into) {
  std::size_t at = 0;
  while (data.size() - at >= 4) {
    const std::size_t length = ktx2::load_u32(data, at);
    at += 4;
    if (length > data.size() - at) return false;
    const std::string_view entry(reinterpret_cast<const char*>(data.data()) + at, length);
    const std::size_t key_end = entry.find('\0');
    if (key_end == std::string_view::npos) return false;
    std::string_view value = entry.substr(key_end + 1);
    if (!value.empty() && value.back() == '\0') value.remove_suffix(1);
    into.emplace_back(entry.substr(0, key_end), value);
    at = std::min(data.size(), at + (length + 3) / 4 * 4);
  }
  return true;
}

/// The data format descriptor repeats what vkFormat says; only its place and size are checked.
std::string check_descriptor(std::span<const std::byte> header, int descriptor,
                             std::uint64_t index_end, std::uint64_t file_bytes) {
  const std::uint64_t offset = ktx2::load_u32(header, ktx2::kDescriptorOffset);
  const std::uint64_t length = ktx2::load_u32(header, ktx2::kDescriptorLength);
  if (length < 4 || offset < index_end || !fits(offset, length, file_bytes))
    return "has a data format descriptor outside the file";
  std::array<std::byte, 4> total{};
  if (std::string reason = read_exactly(descriptor, offset, total); !reason.empty()) return reason;
  if (ktx2::load_u32(total, 0) != length) return "has a data format descriptor of the wrong size";
  return {};
}

std::string read_metadata(std::span<const std::byte> header, int descriptor,
                          std::uint64_t index_end, std::uint64_t file_bytes,
                          std::vector<std::pair<std::string, std::string>>& into) {
  const std::uint64_t offset = ktx2::load_u32(header, ktx2::kMetadataOffset);
  const std::uint32_t length = ktx2::load_u32(header, ktx2::kMetadataLength);
  if (length == 0) return {};
  if (offset < index_end || !fits(offset, length, file_bytes) || length > kLargestMetadata)
    return "has key/value data outside the file or above 1 MiB";
  std::vector<std::byte> data(length);
  if (std::string reason = read_exactly(descriptor, offset, data); !reason.empty()) return reason;
  return parse_metadata(data, into) ? std::string() : "has malformed key/value data";
}

}  // namespace

Result<TextureFile> TextureFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Unexpected(Problem{path, "cannot be opened: " + error_text(errno)});
  TextureFile file(path, descriptor);
  std::string reason = file.read_structure();
  if (!reason.empty()) return Unexpected(file.problem(std::move(reason)));
  return file;
}

std::string TextureFile::read_structure() {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return "cannot be examined: " + error_text(errno);
  if (!S_ISREG(status.st_mode)) return "is not a regular file";
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  if (file_bytes < ktx2::kHeaderBytes) return "is truncated: it is shorter than a KTX2 header";

  std::array<std::byte, ktx2::kHeaderBytes> header{};
  std::string reason = read_exactly(descriptor_, 0, header);
  if (reason.empty()) reason = check_header(header, info_);
  if (!reason.empty()) return reason;

  std::vector<std::byte> index(info_.mips * ktx2::kLevelEntryBytes);
  const std::uint64_t index_end = ktx2::kHeaderBytes + index.size();
  reason = read_exactly(descriptor_, ktx2::kHeaderBytes, index);
  for (std::uint32_t level = 0; level < info_.mips && reason.empty(); ++level)
    reason = check_level(std::span(index).subspan(level * ktx2::kLevelEntryBytes), level, index_end,
                         file_bytes, info_, mip_offsets_);
  if (reason.empty()) reason = check_descriptor(header, descriptor_, index_end, file_bytes);
  if (reason.empty()) reason = read_metadata(header, descriptor_, index_end, file_bytes, metadata_);
  return reason;
}

TextureFile::TextureFile(TextureFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      info_(std::move(other.info_)),
      mip_offsets_(std::move(other.mip_offsets_)),
      metadata_(std::move(other.metadata_)) {}

TextureFile& TextureFile::operator=(TextureFile&& other) noexcept {
  if (this != &other) {
    close();
    path_ = std::move(other.path_);
    descriptor_ = std::exchange(other.descriptor_, -1);
    info_ = std::move(other.info_);
    mip_offsets_ = std::move(other.mip_offsets_);
    metadata_ = std::move(other.metadata_);
  }
  return *this;
}

TextureFile::~TextureFile() {
  close();
}

void TextureFile::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

std::string_view TextureFile::metadata(std::string_view key) const {
  for (const auto& [name, value] : metadata_)
    if (name == key) return value;
  return {};
}

Status TextureFile::read_mip(std::uint32_t level, std::span<std::byte> destination) const {
  if (level >= info_.mips || destination.size() != info_.mip_bytes[level])
    return Unexpected(problem("was asked for a mip level or size that it does not have"));
  return read_slice(level, 0, destination);
}

Status TextureFile::read_slice(std::uint32_t level, std::uint64_t offset,
                               std::span<std::byte> destination) const {
  if (level >= info_.mips || !fits(offset, destination.size(), info_.mip_bytes[level]))
    return Unexpected(problem("was asked for a part of a mip level that it does not have"));
  std::string reason = read_exactly(descriptor_, mip_offsets_[level] + offset, destination);
  if (!reason.empty()) return Unexpected(problem(std::move(reason)));
  return {};
}

}  // namespace quarry::materials
