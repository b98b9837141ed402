// SPDX-License-Identifier: MIT
// Writing a file so that nobody ever sees half of it: into a temporary file beside it, then a
// rename. There is no fsync: after a power cut a file may be short, which every reader here
// notices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "materials/problem.hpp"

namespace quarry::materials {

class AtomicFile {
 public:
  /// Reserves `bytes` on the disk at once where the file system can, so that a full disk is known
  /// early.
  static Result<AtomicFile> create(const std::filesystem::path& path, std::uint64_t bytes);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Removes the temporary file unless commit() succeeded.
  ~AtomicFile();

  Status append(std::span<const std::byte> bytes);

  /// Closes and renames. The object is of no further use.
  Status commit();

 private:
  AtomicFile(std::filesystem::path path, std::filesystem::path temporary, int descriptor);
  Problem failure(int error) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty: nothing to remove
  int descriptor_ = -1;
};

}  // namespace quarry::materials
