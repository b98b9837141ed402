// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <string_view>

#include "structure/rules.hpp"

namespace quarry::structure {

namespace {

constexpr std::size_t kLongestFile = 500;

bool below_observe(const SourceFile& file) {
  return file.in("src/base") || file.in("src/offset") || file.in("src/plan") ||
         file.in("src/device") || file.in("src/copy") || file.in("src/memory") ||
         file.in("src/heap");
}

bool is_cmake(const SourceFile& file) {
  return file.path == "CMakeLists.txt" || file.path.ends_with("/CMakeLists.txt") ||
         file.extension() == ".cmake";
}

bool is_shader(const SourceFile& file) {
  constexpr std::array<std::string_view, 7> kKinds = {".glsl", ".vert", ".frag", ".comp",
                                                      ".geom", ".tesc", ".tese"};
  return std::find(kKinds.begin(), kKinds.end(), file.extension()) != kKinds.end();
}

bool is_written_by_us(const SourceFile& file) {
  return file.is_cpp() || is_cmake(file) || is_shader(file) || file.extension() == ".sh";
}

bool has_word(std::string_view line, std::string_view word) {
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = line.find(word); at != std::string_view::npos;
       at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter(line[at - 1])) && (end == line.size() || !is_letter(line[end])))
      return true;
  }
  return false;
}

// `// SPDX...`, in headers that C reads too `/* SPDX... */`, elsewhere `# SPDX...`.
bool is_licence_line(const SourceFile& file, std::string_view line) {
  if (file.extension() == ".h" || file.extension() == ".c")
    return line.starts_with("/* SPDX-License-Identifier: MIT");
  const std::string mark = file.is_cpp() || is_shader(file) ? "//" : "#";
  return line == mark + " SPDX-License-Identifier: MIT";
}

}  // namespace

std::vector<Breach> host_memory_goes_through_callbacks(const SourceTree& tree) {
  constexpr std::array<std::string_view, 16> kForbidden = {
      "vector",        "string",        "map",        "set",
      "unordered_map", "unordered_set", "deque",      "list",
      "queue",         "stack",         "functional", "forward_list",
      "sstream",       "iostream",      "fstream",    "memory_resource"};
  const std::regex own_memory(
      R"(\bnew\s+[A-Za-z_:]|\bnew\s*\(\s*std::nothrow|\bdelete\s+[A-Za-z_]|\bdelete\s*\[|)"
      R"(\b(malloc|calloc|realloc|aligned_alloc|make_unique|make_shared)\s*[(<])");
  std::vector<Breach> breaches;
  for (const SourceFile& file : tree) {
    if (!below_observe(file) || !file.is_cpp()) continue;
    for (const Include& include : includes_of(file)) {
      if (std::find(kForbidden.begin(), kForbidden.end(), include.target) != kForbidden.end()) {
        breaches.push_back({file.path, include.line, "includes <" + include.target + ">"});
      }
    }
    bool in_comment = false;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string code = code_of(file.lines[i], in_comment);
      if (std::regex_search(code, own_memory)) {
        breaches.push_back({file.path, i + 1, "host memory not through HostMemory: " + code});
      }
    }
  }
  return breaches;
}

std::vector<Breach> files_are_short(const SourceTree& tree) {
  std::vector<Breach> breaches;
  for (const SourceFile& file : tree) {
    if (is_written_by_us(file) && file.lines.size() > kLongestFile) {
      breaches.push_back({file.path, 0, std::to_string(file.lines.size()) + " lines"});
    }
  }
  return breaches;
}

std::vector<Breach> licence_line_is_first(const SourceTree& tree) {
  std::vector<Breach> breaches;
  for (const SourceFile& file : tree) {
    if (!is_written_by_us(file)) continue;
    const std::size_t first = !file.lines.empty() && file.lines[0].starts_with("#!") ? 1 : 0;
    if (file.lines.size() <= first || !is_licence_line(file, file.lines[first])) {
      breaches.push_back({file.path, first + 1, "no SPDX line"});
    }
  }
  return breaches;
}

std::vector<Breach> headers_are_guarded(const SourceTree& tree) {
  std::vector<Breach> breaches;
  for (const SourceFile& file : tree) {
    if (file.extension() != ".hpp") continue;
    if (std::find(file.lines.begin(), file.lines.end(), "#pragma once") == file.lines.end()) {
      breaches.push_back({file.path, 0, "no #pragma once"});
    }
  }
  return breaches;
}

std::vector<Breach> cmake_lists_files(const SourceTree& tree) {
  const std::regex search(R"(\bfile\s*\(\s*GLOB|\baux_source_directory\s*\()", std::regex::icase);
  std::vector<Breach> breaches;
  for (const SourceFile& file : tree) {
    // Scripts that ctest runs may look at a folder: they decide what is checked, not what is built.
    if (!is_cmake(file) || file.path.ends_with("_script.cmake")) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (std::regex_search(file.lines[i], search)) {
        breaches.push_back({file.path, i + 1, "searches for files"});
      }
    }
  }
  return breaches;
}

std::vector<Breach> nothing_is_left_for_later(const SourceTree& tree) {
  // Written in pieces, so that this file passes its own rule.
  const std::array<std::string, 4> marks = {std::string("TO") + "DO", std::string("FIX") + "ME",
                                            std::string("XX") + "X", std::string("HA") + "CK"};
  const std::regex vague(R"((^|/|_)(utils?|helpers?|common|managers?|misc)(\.|_|/))");
  std::vector<Breach> breaches;
  for (const SourceFile& file : tree) {
    if (!is_written_by_us(file)) continue;
    if (std::regex_search(file.path, vague)) {
      breaches.push_back({file.path, 0, "a name that says no idea"});
    }
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string& line = file.lines[i];
      if (std::any_of(marks.begin(), marks.end(),
                      [&](const std::string& mark) { return has_word(line, mark); })) {
        breaches.push_back({file.path, i + 1, "left for later: " + line});
      }
    }
  }
  return breaches;
}

}  // namespace quarry::structure
