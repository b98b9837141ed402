// SPDX-License-Identifier: MIT
// Collects files, groups them into materials, and picks the best file where several hold the same
// map.
#include "materials/material_set.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

namespace quarry::materials {
namespace {

namespace fs = std::filesystem;

/// Folders below a material's folder that are looked into ("textures" in Poly Haven's archives).
constexpr int kDeepestFolder = 4;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Order in which file types are preferred for the same map; -1 for files that are no images at
/// all. Types that cannot be read come last: the map exists, and reading it says what is wrong.
int type_rank(const fs::path& path) {
  const std::string ending = lower(path.extension().string());
  if (ending == ".ktx2") return 4;
  if (ending == ".png") return 3;
  if (ending == ".tga") return 2;
  if (ending == ".jpg" || ending == ".jpeg") return 1;
  for (const char* other :
       {".exr", ".tif", ".tiff", ".webp", ".bmp", ".dds", ".ktx", ".psd", ".hdr", ".jp2"})
    if (ending == other) return 0;
  return -1;
}

/// The number in front of a "k" that stands as a word of its own: 8 for "bricks_8k"; 0 without one.
unsigned resolution_of(const fs::path& path) {
  const std::string name = lower(path.stem().string());
  unsigned best = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool word_begins = i == 0 || std::isalnum(static_cast<unsigned char>(name[i - 1])) == 0;
    std::size_t end = i;
    unsigned value = 0;
    while (word_begins && end < name.size() && end < i + 3 && name[end] >= '0' && name[end] <= '9')
      value = value * 10 + static_cast<unsigned>(name[end++] - '0');
    const bool word_ends =
        end + 1 >= name.size() || std::isalnum(static_cast<unsigned char>(name[end + 1])) == 0;
    if (end > i && end < name.size() && name[end] == 'k' && word_ends) best = std::max(best, value);
  }
  return best;
}

struct File {
  fs::path path;
  NameParts parts;
};

/// True when `a` is to be preferred to `b` for the same map.
bool better(const fs::path& a, const fs::path& b) {
  const auto key = [](const fs::path& path) {
    const int rank = type_rank(path);
    return std::tuple(rank > 0, rank == 4, resolution_of(path), rank);
  };
  return key(a) != key(b) ? key(a) > key(b) : a < b;
}

void prefer(fs::path& slot, const fs::path& candidate) {
  if (slot.empty() || better(candidate, slot)) slot = candidate;
}

Material assemble(std::string name, const std::vector<File>& files) {
  std::map<FileRole, fs::path> best;
  for (const File& file : files)
    if (file.parts.role != FileRole::ignored) prefer(best[file.parts.role], file.path);
  Material material;
  material.name = std::move(name);
  auto& [albedo, normal, surface] = material.maps;
  albedo.main = best[FileRole::albedo];
  normal.main = best[FileRole::normal];
  const fs::path& flipped = best[FileRole::normal_flipped];
  if (normal.main.empty() || (type_rank(normal.main) == 0 && type_rank(flipped) > 0)) {
    normal.main = flipped;
    normal.flip_green = !flipped.empty();
  }
  surface.main = best[FileRole::surface];
  if (surface.main.empty()) {
    surface.occlusion = best[FileRole::occlusion];
    surface.roughness = best[FileRole::roughness];
    surface.metalness = best[FileRole::metalness];
  }
  return material;
}

/// Collects the map files of one folder and of the folders below it.
void collect(const fs::path& folder, int depth, std::vector<File>& files,
             std::vector<Problem>& problems, std::vector<fs::path>* folders) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path& path = entries->path();
    std::error_code type_error;
    if (path.filename().string().front() == '.') continue;
    if (entries->is_directory(type_error)) {
      if (folders != nullptr)
        folders->push_back(path);
      else if (depth < kDeepestFolder)
        collect(path, depth + 1, files, problems, nullptr);
      continue;
    }
    if (type_rank(path) < 0) continue;
    if (auto parts = parse_file_name(path.filename().string()))
      files.push_back({path, std::move(*parts)});
    else
      problems.push_back(
          {path, "is passed over: its name does not end like a map's (Color, Normal, ...)"});
  }
  // Folders list their files in any order; names and choices must not depend on it.
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  if (error) problems.push_back({folder, "cannot be read: " + error.message()});
}

bool has_maps(const std::vector<File>& files) {
  return std::any_of(files.begin(), files.end(),
                     [](const File& file) { return file.parts.role != FileRole::ignored; });
}

using Groups = std::map<std::string, std::vector<File>>;  // by material name in lower case

Groups group_by_name(std::vector<File> files) {
  Groups groups;
  for (File& file : files) {
    std::string key = lower(file.parts.material);
    groups[std::move(key)].push_back(std::move(file));
  }
  return groups;
}

/// Whether two groups hold the same map: then they are two materials that share a folder.
bool collide(const Groups& groups) {
  std::map<FileRole, std::size_t> owners;
  for (const auto& [name, files] : groups) {
    std::map<FileRole, bool> seen;
    for (const File& file : files)
      if (file.parts.role != FileRole::ignored && !std::exchange(seen[file.parts.role], true) &&
          ++owners[file.parts.role] > 1)
        return true;
  }
  return false;
}

void add_groups(const Groups& groups, const std::string& prefix, const std::string& nameless,
                MaterialSet& set) {
  for (const auto& [key, files] : groups)
    if (has_maps(files)) {
      const std::string& name = files.front().parts.material;
      set.materials.push_back(assemble(name.empty() ? nameless : prefix + name, files));
    }
}

/// A sub-folder is one material, unless it evidently holds several.
void add_folder(const fs::path& folder, MaterialSet& set) {
  std::vector<File> files;
  collect(folder, 0, files, set.problems, nullptr);
  if (!has_maps(files)) return;
  const std::string name = folder.filename().string();
  const Groups groups = group_by_name(files);
  if (collide(groups))
    add_groups(groups, name + "/", name, set);
  else
    set.materials.push_back(assemble(name, files));
}

}  // namespace

const char* to_string(MapKind kind) {
  switch (kind) {
    case MapKind::albedo:
      return "albedo";
    case MapKind::normal:
      return "normal";
    case MapKind::surface:
      return "surface";
  }
  return "unknown";
}

std::array<std::uint8_t, 4> neutral_texel(MapKind kind) {
  switch (kind) {
    case MapKind::albedo:
      return {188, 188, 188, 255};
    case MapKind::normal:
      return {128, 128, 255, 255};
    case MapKind::surface:
      return {255, 160, 0, 255};
  }
  return {};
}

Result<MaterialSet> scan_materials(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return Unexpected(Problem{folder, "does not exist"});
  if (!fs::is_directory(folder, error)) return Unexpected(Problem{folder, "is not a folder"});

  MaterialSet set;
  std::vector<File> files;
  std::vector<fs::path> folders;
  collect(folder, 0, files, set.problems, &folders);
  if (!set.problems.empty() && set.problems.back().file == folder)
    return Unexpected(set.problems.back());
  add_groups(group_by_name(std::move(files)), "", fs::absolute(folder).filename().string(), set);
  for (const fs::path& sub_folder : folders)
    add_folder(sub_folder, set);
  if (set.materials.empty())
    return Unexpected(
        Problem{folder,
                "holds no material: no PNG, JPEG, TGA or KTX2 file in it is named as a map "
                "(..._Color, ..._NormalGL, ..._Roughness, ..._diff, ..._nor_gl, ...)"});
  std::sort(set.materials.begin(), set.materials.end(),
            [](const Material& a, const Material& b) { return a.name < b.name; });
  return set;
}

}  // namespace quarry::materials
