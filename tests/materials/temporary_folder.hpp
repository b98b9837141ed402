// SPDX-License-Identifier: MIT
// A folder that lives as long as a test, and whole files in one call.
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

namespace quarry::materials::testing {

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(make_path()) { std::filesystem::create_directories(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// Files in the folder, whatever their depth.
  std::size_t file_count() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }

 private:
  static std::filesystem::path make_path() {
    static std::atomic<int> counter{0};
    return std::filesystem::temp_directory_path() /
           ("quarry-test-" + std::to_string(::getpid()) + "-" + std::to_string(counter++));
  }

  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  // Some file systems wait for the disk when a file is overwritten in place.
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace quarry::materials::testing
