// SPDX-License-Identifier: MIT
#include "structure/source_tree.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>

namespace quarry::structure {

namespace fs = std::filesystem;

std::string SourceFile::folder() const {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string SourceFile::extension() const {
  return fs::path(path).extension().string();
}

bool SourceFile::in(std::string_view top) const {
  return path.size() > top.size() && path.compare(0, top.size(), top) == 0 &&
         path[top.size()] == '/';
}

bool SourceFile::is_cpp() const {
  const std::string kind = extension();
  return kind == ".hpp" || kind == ".cpp" || kind == ".h" || kind == ".c";
}

SourceFile make_file(std::string path, std::string_view text) {
  SourceFile file{std::move(path), {}};
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);)
    file.lines.push_back(line);
  return file;
}

SourceTree read_tree(const fs::path& root) {
  SourceTree tree;
  const auto add = [&](const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    tree.push_back(make_file(fs::relative(path, root).generic_string(), text));
  };
  for (const char* top : {"include", "src", "samples", "tests", "shaders", "tools", "cmake"}) {
    if (!fs::exists(root / top)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      if (entry.is_regular_file()) add(entry.path());
    }
  }
  add(root / "CMakeLists.txt");
  std::sort(tree.begin(), tree.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return tree;
}

std::vector<Include> includes_of(const SourceFile& file) {
  std::vector<Include> found;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string& line = file.lines[i];
    std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line[at] != '#') continue;
    at = line.find_first_not_of(" \t", at + 1);
    if (at == std::string::npos || line.compare(at, 7, "include") != 0) continue;
    const std::size_t open = line.find_first_of("<\"", at);
    if (open == std::string::npos) continue;
    const bool quoted = line[open] == '"';
    const std::size_t close = line.find(quoted ? '"' : '>', open + 1);
    if (close == std::string::npos) continue;
    found.push_back({line.substr(open + 1, close - open - 1), quoted, i + 1});
  }
  return found;
}

std::string code_of(std::string_view line, bool& in_comment) {
  std::string code;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string_view two = line.substr(i, 2);
    if (in_comment) {
      if (two == "*/") {
        in_comment = false;
        ++i;
      }
    } else if (quote != 0) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == quote) {
        quote = 0;
        code += line[i];
      }
    } else if (two == "//") {
      break;
    } else if (two == "/*") {
      in_comment = true;
      ++i;
    } else {
      // A quote between digits is a separator: 20'000.
      const bool separator =
          line[i] == '\'' && i > 0 && std::isxdigit(static_cast<unsigned char>(line[i - 1])) != 0;
      if (line[i] == '"' || (line[i] == '\'' && !separator)) quote = line[i];
      code += line[i];
    }
  }
  return code;
}

}  // namespace quarry::structure
