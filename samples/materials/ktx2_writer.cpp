// SPDX-License-Identifier: MIT
// Writing KTX2 files: header, level index, data format descriptor, key/value data, then the levels
// from the smallest to the largest, as the format wants it.
#include <algorithm>
#include <cstring>

#include "materials/atomic_file.hpp"
#include "materials/data_format_descriptor.hpp"
#include "materials/ktx2.hpp"
#include "materials/ktx2_layout.hpp"

namespace quarry::materials {
namespace {

using Metadata = std::vector<std::pair<std::string, std::string>>;

std::size_t round_up(std::size_t value, std::size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::vector<std::byte> metadata_bytes(Metadata entries) {
  entries.emplace_back("KTXorientation", "rd");
  entries.emplace_back("KTXwriter", "quarry-materials");
  std::sort(entries.begin(), entries.end());
  std::vector<std::byte> bytes;
  for (const auto& [key, value] : entries) {
    const std::size_t length = key.size() + 1 + value.size() + 1;
    const std::size_t at = bytes.size();
    bytes.resize(at + 4 + round_up(length, 4));  // zero-filled: terminators and padding
    ktx2::store_u32(bytes, at, static_cast<std::uint32_t>(length));
    std::memcpy(bytes.data() + at + 4, key.data(), key.size());
    std::memcpy(bytes.data() + at + 4 + key.size() + 1, value.data(), value.size());
  }
  return bytes;
}

/// Empty when the content can be written, else the reason.
std::string check_content(const TextureContent& content) {
  const FormatInfo* format = find_format(content.format);
  if (format == nullptr) return "cannot be written: unsupported format";
  if (content.width == 0 || content.height == 0 || content.width > kLargestExtent ||
      content.height > kLargestExtent)
    return "cannot be written: unsupported extent";
  if (content.mips.empty() || content.mips.size() > full_mip_count(content.width, content.height))
    return "cannot be written: wrong number of mip levels";
  for (std::uint32_t level = 0; level < content.mips.size(); ++level)
    if (content.mips[level].size() !=
        image_bytes(*format, mip_extent(content.width, level), mip_extent(content.height, level)))
      return "cannot be written: mip level " + std::to_string(level) + " has the wrong size";
  return {};
}

/// Everything in front of the levels, padded so that the smallest level can follow at once.
std::vector<std::byte> build_front(const TextureContent& content, const FormatInfo& format) {
  using namespace ktx2;
  const auto levels = static_cast<std::uint32_t>(content.mips.size());
  const std::vector<std::uint32_t> descriptor = data_format_descriptor(format);
  const std::vector<std::byte> metadata = metadata_bytes(content.metadata);
  const std::size_t descriptor_at = kHeaderBytes + kLevelEntryBytes * levels;
  const std::size_t metadata_at = descriptor_at + 4 * descriptor.size();

  std::vector<std::byte> front(round_up(metadata_at + metadata.size(), level_alignment(format)));
  std::memcpy(front.data(), kIdentifier.data(), kIdentifier.size());
  store_u32(front, kVkFormat, static_cast<std::uint32_t>(format.format));
  store_u32(front, kTypeSize, 1);
  store_u32(front, kWidth, content.width);
  store_u32(front, kHeight, content.height);
  store_u32(front, kFaces, 1);
  store_u32(front, kLevels, levels);
  store_u32(front, kDescriptorOffset, static_cast<std::uint32_t>(descriptor_at));
  store_u32(front, kDescriptorLength, static_cast<std::uint32_t>(4 * descriptor.size()));
  store_u32(front, kMetadataOffset, static_cast<std::uint32_t>(metadata_at));
  store_u32(front, kMetadataLength, static_cast<std::uint32_t>(metadata.size()));
  for (std::size_t i = 0; i < descriptor.size(); ++i)
    store_u32(front, descriptor_at + 4 * i, descriptor[i]);
  std::copy(metadata.begin(), metadata.end(),
            front.begin() + static_cast<std::ptrdiff_t>(metadata_at));

  // Every level is a whole number of blocks, so each starts aligned when the first one does.
  std::uint64_t offset = front.size();
  for (std::uint32_t level = levels; level-- > 0;) {
    const std::size_t entry = kHeaderBytes + kLevelEntryBytes * level;
    store_u64(front, entry, offset);
    store_u64(front, entry + 8, content.mips[level].size());
    store_u64(front, entry + 16, content.mips[level].size());
    offset += content.mips[level].size();
  }
  return front;
}

}  // namespace

Status write_texture(const std::filesystem::path& path, const TextureContent& content) {
  if (std::string reason = check_content(content); !reason.empty())
    return Unexpected(Problem{path, std::move(reason)});
  const std::vector<std::byte> front = build_front(content, *find_format(content.format));
  std::uint64_t total = front.size();
  for (const auto& mip : content.mips)
    total += mip.size();

  auto file = AtomicFile::create(path, total);
  if (!file) return Unexpected(file.error());
  Status status = file->append(front);
  for (std::size_t level = content.mips.size(); level-- > 0 && status;)
    status = file->append(content.mips[level]);
  return status ? file->commit() : std::move(status);
}

}  // namespace quarry::materials
