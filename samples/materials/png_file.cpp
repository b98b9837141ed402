// SPDX-License-Identifier: MIT
// PNG through stb_image_write.
#include "materials/png_file.hpp"

#include <span>
#include <string>

#include "materials/atomic_file.hpp"
#include "materials/stb_image.hpp"

namespace quarry::materials {

Status write_png(const std::filesystem::path& path, const Image& image) {
  std::string bytes;
  if (!stb::write_png(image.width(), image.height(), image.view().pixels, bytes))
    return Unexpected(Problem{path, "cannot be encoded as PNG"});
  auto file = AtomicFile::create(path, bytes.size());
  if (!file) return Unexpected(file.error());
  Status status = file->append(std::as_bytes(std::span(bytes)));
  return status ? file->commit() : std::move(status);
}

}  // namespace quarry::materials
