// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "structure/rules.hpp"

namespace quarry::structure {

namespace {

struct Layer {
  std::string_view name;
  std::vector<std::string_view> may_include;
};

const std::array<Layer, 10>& layers() {
  static const std::array<Layer, 10> all = {{
      {"base", {}},
      {"offset", {"base"}},
      {"plan", {"base", "offset"}},
      {"device", {"base", "offset", "plan"}},
      {"copy", {"base", "device"}},
      {"memory", {"base", "offset", "plan", "device"}},
      {"heap", {"base", "offset", "plan", "device", "copy", "memory"}},
      {"observe", {"base", "offset", "plan", "device", "copy", "memory", "heap"}},
      {"volk", {}},
      {"hud", {}},
  }};
  return all;
}

std::string first_part(std::string_view path) {
  return std::string(path.substr(0, path.find('/')));
}

bool is_layer(std::string_view name) {
  return std::any_of(layers().begin(), layers().end(),
                     [&](const Layer& layer) { return layer.name == name; });
}

// "base" of "src/base/bits.hpp", "" for what is not in src.
std::string layer_of(const SourceFile& file) {
  return file.in("src") ? first_part(std::string_view(file.path).substr(4)) : "";
}

bool is_vulkan(std::string_view target) {
  return target.starts_with("vulkan/") || target.starts_with("vk_") || target == "volk.h";
}

const SourceFile* find(const SourceTree& tree, const std::string& path) {
  const auto at = std::find_if(tree.begin(), tree.end(),
                               [&](const SourceFile& file) { return file.path == path; });
  return at == tree.end() ? nullptr : &*at;
}

// The project's file that an include names, as the include paths of the library resolve it; null:
// not ours.
const SourceFile* resolve(const SourceTree& tree, const SourceFile& from, const Include& include) {
  if (include.target.starts_with("quarry/")) return find(tree, "include/" + include.target);
  if (!include.quoted) return nullptr;
  if (const SourceFile* beside = find(tree, from.folder() + "/" + include.target)) return beside;
  if (const SourceFile* internal = find(tree, "src/" + include.target)) return internal;
  return find(tree, "tests/" + include.target);
}

// The Vulkan header that `file` reaches, "" for none.
std::string reached_vulkan(const SourceTree& tree, const SourceFile& file,
                           std::set<std::string>& seen) {
  if (!seen.insert(file.path).second) return "";
  for (const Include& include : includes_of(file)) {
    if (is_vulkan(include.target)) return include.target;
    const SourceFile* next = resolve(tree, file, include);
    if (next == nullptr) continue;
    std::string reached = reached_vulkan(tree, *next, seen);
    if (!reached.empty()) return reached;
  }
  return "";
}

enum class Mark { open, done };

void follow(const SourceTree& tree, const SourceFile& file, std::map<std::string, Mark>& marks,
            std::vector<Breach>& breaches) {
  marks[file.path] = Mark::open;
  for (const Include& include : includes_of(file)) {
    const SourceFile* next = resolve(tree, file, include);
    if (next == nullptr) continue;
    const auto mark = marks.find(next->path);
    if (mark == marks.end()) {
      follow(tree, *next, marks, breaches);
    } else if (mark->second == Mark::open) {
      breaches.push_back({file.path, include.line, "closes a cycle of includes at " + next->path});
    }
  }
  marks[file.path] = Mark::done;
}

}  // namespace

std::vector<Breach> includes_point_one_way(const SourceTree& tree) {
  std::vector<Breach> breaches;
  for (const SourceFile& file : tree) {
    const std::string own = layer_of(file);
    const auto layer = std::find_if(layers().begin(), layers().end(),
                                    [&](const Layer& each) { return each.name == own; });
    if (file.in("src") && file.is_cpp() && layer == layers().end()) {
      breaches.push_back({file.path, 0, "the folder " + own + " has no place in the layer order"});
    }
    for (const Include& include : includes_of(file)) {
      if (include.target.find("..") != std::string::npos) {
        breaches.push_back(
            {file.path, include.line, "climbs out of its folder: " + include.target});
        continue;
      }
      const std::string other = first_part(include.target);
      if (layer == layers().end() || !include.quoted || other == own || !is_layer(other)) continue;
      const std::vector<std::string_view>& may = layer->may_include;
      if (std::find(may.begin(), may.end(), other) == may.end()) {
        breaches.push_back({file.path, include.line, own + " must not include " + include.target});
      }
    }
  }
  return breaches;
}

std::vector<Breach> core_knows_no_vulkan(const SourceTree& tree) {
  std::vector<Breach> breaches;
  for (const SourceFile& file : tree) {
    const std::string own = layer_of(file);
    if (own != "base" && own != "offset" && own != "plan") continue;
    std::set<std::string> seen;
    const std::string reached = reached_vulkan(tree, file, seen);
    if (!reached.empty()) breaches.push_back({file.path, 0, "reaches <" + reached + ">"});
  }
  return breaches;
}

std::vector<Breach> volk_stays_in_its_adapter(const SourceTree& tree) {
  std::vector<Breach> breaches;
  for (const SourceFile& file : tree) {
    if (!(file.in("src") || file.in("include")) || file.in("src/volk")) continue;
    for (const Include& include : includes_of(file)) {
      if (include.target.find("volk.h") != std::string::npos &&
          include.target != "quarry/volk.hpp") {
        breaches.push_back({file.path, include.line, "includes volk"});
      }
    }
  }
  return breaches;
}

std::vector<Breach> programs_use_public_headers(const SourceTree& tree) {
  std::vector<Breach> breaches;
  for (const SourceFile& file : tree) {
    const bool program =
        file.in("samples") || file.in("tools") || file.in("src/hud") || file.in("tests/benchmarks");
    const bool is_public = file.in("include");
    if (!program && !is_public) continue;
    for (const Include& include : includes_of(file)) {
      const std::string other = first_part(include.target);
      const bool beside = find(tree, file.folder() + "/" + include.target) != nullptr;
      const bool own_hud = file.in("src/hud") && other == "hud";
      const bool internal = include.quoted && is_layer(other) && !beside && !own_hud;
      if (internal || include.target.starts_with("src/") || (is_public && include.quoted)) {
        breaches.push_back({file.path, include.line, include.target + " is not a public header"});
      }
    }
  }
  return breaches;
}

std::vector<Breach> includes_have_no_cycle(const SourceTree& tree) {
  std::vector<Breach> breaches;
  std::map<std::string, Mark> marks;
  for (const SourceFile& file : tree) {
    if (file.is_cpp() && !marks.contains(file.path)) follow(tree, file, marks, breaches);
  }
  return breaches;
}

std::vector<Breach> umbrella_is_complete(const SourceTree& tree) {
  const std::string umbrella = "include/quarry/quarry.hpp";
  std::set<std::string> named;
  if (const SourceFile* file = find(tree, umbrella)) {
    for (const Include& include : includes_of(*file))
      named.insert("include/" + include.target);
  }
  std::vector<Breach> breaches;
  for (const SourceFile& file : tree) {
    if (file.folder() != "include/quarry" || file.path == umbrella) continue;
    if (file.path == "include/quarry/volk.hpp" || file.path == "include/quarry/hud.hpp") continue;
    if (!named.contains(file.path)) breaches.push_back({file.path, 0, "missing in quarry.hpp"});
  }
  return breaches;
}

}  // namespace quarry::structure
