// SPDX-License-Identifier: MIT
// Temporary file and rename.
#include "materials/atomic_file.hpp"

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace quarry::materials {
namespace {

/// Unique among the threads of this process and among processes.
std::filesystem::path temporary_beside(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  std::filesystem::path temporary = path;
  temporary += ".part-" + std::to_string(::getpid()) + "-" + std::to_string(counter.fetch_add(1));
  return temporary;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path, std::filesystem::path temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Problem AtomicFile::failure(int error) const {
  return {path_, "cannot be written: " + std::generic_category().message(error)};
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path, std::uint64_t bytes) {
  const std::filesystem::path temporary = temporary_beside(path);
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const int open_error = errno;
  AtomicFile file(path, descriptor < 0 ? std::filesystem::path() : temporary, descriptor);
  if (descriptor < 0) return Unexpected(file.failure(open_error));
  // Only a full disk or a size limit counts here: not every file system can reserve.
  if (bytes > 0 && ::fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
    return Unexpected(file.failure(errno));
  return file;
}

Status AtomicFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Unexpected(failure(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status AtomicFile::commit() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) return Unexpected(failure(errno));
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return Unexpected(failure(errno));
  temporary_.clear();
  return {};
}

}  // namespace quarry::materials
