// SPDX-License-Identifier: MIT
// The project's own text files in memory, for the rules that look at them. Not a parser: lines, and
// #include lines.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::structure {

struct Include {
  std::string target;   ///< between the quotes or angle brackets
  bool quoted = false;  ///< "..." rather than <...>
  std::size_t line = 0;
};

struct SourceFile {
  std::string path;  ///< from the project's root, with slashes
  std::vector<std::string> lines;

  std::string folder() const;     ///< "src/base" of "src/base/bits.hpp"
  std::string extension() const;  ///< ".hpp"; "" for none
  bool in(std::string_view top) const;
  bool is_cpp() const;
};

using SourceTree = std::vector<SourceFile>;

/// Makes a file from its text, for trees that are written in a test.
SourceFile make_file(std::string path, std::string_view text);

/// Reads what is ours below `root`: include, src, samples, tests, shaders, tools, cmake and the
/// files of the root itself. Sorted by path. Throws std::filesystem::filesystem_error where a
/// folder cannot be read.
SourceTree read_tree(const std::filesystem::path& root);

std::vector<Include> includes_of(const SourceFile& file);

/// The line without comments and without the contents of string literals. `in_comment` carries a
/// block comment over.
std::string code_of(std::string_view line, bool& in_comment);

}  // namespace quarry::structure
