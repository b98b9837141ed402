// SPDX-License-Identifier: MIT
// Decides by the first bytes what a file is, checks sizes, decodes, and brings everything to RGBA8.
#include "materials/image_file.hpp"

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "materials/block_decode.hpp"
#include "materials/jpeg_check.hpp"
#include "materials/ktx2.hpp"
#include "materials/ktx2_layout.hpp"
#include "materials/stb_image.hpp"

namespace quarry::materials {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

enum class FileType : std::uint8_t { ktx2, png, jpeg, tga, unknown };

std::string ending_of(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

/// TGA has no signature: there the name decides.
FileType detect_type(std::FILE* file, const std::filesystem::path& path) {
  std::array<unsigned char, 12> first{};
  const std::size_t got = std::fread(first.data(), 1, first.size(), file);
  std::rewind(file);
  constexpr std::array<unsigned char, 8> kPng = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  if (got >= kPng.size() && std::memcmp(first.data(), kPng.data(), kPng.size()) == 0)
    return FileType::png;
  if (got >= 3 && first[0] == 0xFF && first[1] == 0xD8 && first[2] == 0xFF) return FileType::jpeg;
  if (got == first.size() && std::memcmp(first.data(), ktx2::kIdentifier.data(), first.size()) == 0)
    return FileType::ktx2;
  return ending_of(path) == ".tga" ? FileType::tga : FileType::unknown;
}

std::string unknown_type(std::FILE* file, const std::filesystem::path& path) {
  if (std::fgetc(file) == EOF) return "is empty";
  const std::string ending = ending_of(path);
  if (ending == ".png" || ending == ".jpg" || ending == ".jpeg" || ending == ".ktx2")
    return "is damaged: its content is not that of a " + ending.substr(1) + " file";
  return "is of an unknown format; supported are PNG, JPEG, TGA and KTX2";
}

Result<File> open_file(const std::filesystem::path& path) {
  File file(std::fopen(path.c_str(), "rbe"));
  if (!file)
    return Unexpected(Problem{path, "cannot be opened: " + std::generic_category().message(errno)});
  // fopen succeeds on a folder; reading is what fails.
  if (std::fgetc(file.get()) == EOF && std::ferror(file.get()) != 0)
    return Unexpected(Problem{path, "cannot be read: " + std::generic_category().message(errno)});
  std::rewind(file.get());
  return file;
}

/// Channels that are asked of the decoder: grey stays grey while 16-bit data is about, all else is
/// RGBA.
std::uint32_t decoded_channels(const stb::Header& header) {
  return header.sixteen_bit ? header.channels : 4;
}

/// Empty when the pixels can be decoded.
std::string check_size(const stb::Header& header) {
  const std::string extent = std::to_string(header.width) + "x" + std::to_string(header.height);
  if (header.width == 0 || header.height == 0 || header.width > kLargestExtent ||
      header.height > kLargestExtent)
    return "has an extent of " + extent + "; supported are 1 to " + std::to_string(kLargestExtent);
  const std::uint64_t bytes = std::uint64_t{header.width} * header.height *
                              decoded_channels(header) * (header.sixteen_bit ? 2u : 1u);
  if (bytes > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    return "is too large to decode: " + extent + " with " + std::to_string(header.channels) +
           " channels of " + (header.sixteen_bit ? "16" : "8") + " bits is beyond 2 GiB; " +
           (header.sixteen_bit ? "save it with 8 bits" : "make it smaller");
  return {};
}

Result<ImageInfo> inspect_ktx2(const std::filesystem::path& path) {
  auto texture = TextureFile::open(path);
  if (!texture) return Unexpected(texture.error());
  const TextureInfo& info = texture->info();
  const std::uint64_t pixels = std::uint64_t{info.width} * info.height;
  return ImageInfo{info.width, info.height, find_format(info.format)->channels, false,
                   kPixelBytes * pixels + info.mip_bytes.front()};
}

Result<Image> load_ktx2(const std::filesystem::path& path) {
  auto texture = TextureFile::open(path);
  if (!texture) return Unexpected(texture.error());
  const TextureInfo& info = texture->info();
  std::vector<std::byte> blocks(static_cast<std::size_t>(info.mip_bytes.front()));
  if (Status status = texture->read_mip(0, blocks); !status) return Unexpected(status.error());
  auto image = decode_blocks(*find_format(info.format), info.width, info.height, blocks);
  if (!image)
    return Unexpected(
        Problem{path, "holds BC7 blocks that can be drawn but not decoded for conversion"});
  if (find_format(info.format)->channels == 1) {
    const MutablePixelView view = image->view();
    for (std::size_t i = 0; i < kPixelBytes * view.width * view.height; i += kPixelBytes)
      view.pixels[i + 1] = view.pixels[i + 2] = view.pixels[i];
  }
  return std::move(*image);
}

struct OpenImage {
  File file;
  FileType type = FileType::unknown;
  stb::Header header;  // not for KTX2
};

Result<OpenImage> open_image(const std::filesystem::path& path) {
  auto file = open_file(path);
  if (!file) return Unexpected(file.error());
  OpenImage image{std::move(*file), FileType::unknown, {}};
  image.type = detect_type(image.file.get(), path);
  if (image.type == FileType::ktx2) return image;
  std::string reason;
  if (image.type == FileType::unknown)
    reason = unknown_type(image.file.get(), path);
  else if (stb::read_header(image.file.get(), image.header, reason))
    reason = check_size(image.header);
  if (reason.empty() && image.type == FileType::jpeg) reason = check_jpeg(image.file.get());
  if (!reason.empty()) return Unexpected(Problem{path, std::move(reason)});
  return image;
}

std::uint8_t round_to_byte(std::uint16_t value) {
  return static_cast<std::uint8_t>((value * 255u + 32767u) / 65535u);
}

/// 16-bit pixels of 1 to 4 channels to RGBA8.
void expand_sixteen_bit(const std::uint8_t* decoded, std::uint32_t channels, MutablePixelView out) {
  const bool grey = channels <= 2;
  const bool alpha = channels == 2 || channels == 4;
  const std::size_t count = std::size_t{out.width} * out.height;
  std::array<std::uint16_t, 4> pixel{};
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(pixel.data(), decoded + i * channels * 2, channels * 2);
    std::uint8_t* to = out.pixels + kPixelBytes * i;
    to[0] = round_to_byte(pixel[0]);
    to[1] = grey ? to[0] : round_to_byte(pixel[1]);
    to[2] = grey ? to[0] : round_to_byte(pixel[2]);
    to[3] = alpha ? round_to_byte(pixel[channels - 1]) : 255;
  }
}

}  // namespace

Result<ImageInfo> inspect_image(const std::filesystem::path& path) {
  auto image = open_image(path);
  if (!image) return Unexpected(image.error());
  if (image->type == FileType::ktx2) return inspect_ktx2(path);
  const stb::Header& header = image->header;
  const std::uint64_t pixels = std::uint64_t{header.width} * header.height;
  // The decoder holds its raw and its converted pixels at once; then our RGBA8 comes on top.
  const std::uint64_t decoded = pixels * 4 * (header.sixteen_bit ? 2 : 1);
  return ImageInfo{header.width, header.height, header.channels, header.sixteen_bit,
                   2 * decoded + kPixelBytes * pixels};
}

Result<Image> load_image(const std::filesystem::path& path) {
  auto opened = open_image(path);
  if (!opened) return Unexpected(opened.error());
  if (opened->type == FileType::ktx2) return load_ktx2(path);
  const stb::Header& header = opened->header;
  const std::uint32_t channels = decoded_channels(header);
  std::string reason;
  PixelMemory decoded = stb::read_pixels(opened->file.get(), channels, header.sixteen_bit, reason);
  if (!decoded) return Unexpected(Problem{path, std::move(reason)});
  if (!header.sixteen_bit) return Image(header.width, header.height, std::move(decoded));
  Image image(header.width, header.height);
  expand_sixteen_bit(decoded.get(), channels, image.view());
  return image;
}

}  // namespace quarry::materials
