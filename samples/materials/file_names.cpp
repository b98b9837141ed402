// SPDX-License-Identifier: MIT
// Reads file names: splits them into words and looks the last ones up among the words for maps.
#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "materials/material_set.hpp"

namespace quarry::materials {
namespace {

/// A word of a file name in lower case, and where it ends in the name.
struct Word {
  std::string text;
  std::size_t end;
};

struct MapWord {
  std::string_view text;  // two words are written with a blank between them
  FileRole role;
};

constexpr std::array kMapWords = {
    MapWord{"color", FileRole::albedo},
    MapWord{"colour", FileRole::albedo},
    MapWord{"col", FileRole::albedo},
    MapWord{"base color", FileRole::albedo},
    MapWord{"basecolor", FileRole::albedo},
    MapWord{"basecolour", FileRole::albedo},
    MapWord{"albedo", FileRole::albedo},
    MapWord{"diff", FileRole::albedo},
    MapWord{"diffuse", FileRole::albedo},
    MapWord{"normal", FileRole::normal},
    MapWord{"norm", FileRole::normal},
    MapWord{"nor", FileRole::normal},
    MapWord{"nrm", FileRole::normal},
    MapWord{"normalgl", FileRole::normal},
    MapWord{"normalogl", FileRole::normal},
    MapWord{"normal gl", FileRole::normal},
    MapWord{"normal ogl", FileRole::normal},
    MapWord{"normal opengl", FileRole::normal},
    MapWord{"nor gl", FileRole::normal},
    MapWord{"normaldx", FileRole::normal_flipped},
    MapWord{"normal dx", FileRole::normal_flipped},
    MapWord{"normal directx", FileRole::normal_flipped},
    MapWord{"nor dx", FileRole::normal_flipped},
    MapWord{"roughness", FileRole::roughness},
    MapWord{"rough", FileRole::roughness},
    MapWord{"metalness", FileRole::metalness},
    MapWord{"metallic", FileRole::metalness},
    MapWord{"metal", FileRole::metalness},
    MapWord{"ambientocclusion", FileRole::occlusion},
    MapWord{"ambient occlusion", FileRole::occlusion},
    MapWord{"occlusion", FileRole::occlusion},
    MapWord{"ao", FileRole::occlusion},
    MapWord{"arm", FileRole::surface},
    MapWord{"orm", FileRole::surface},
    MapWord{"surface", FileRole::surface},
    MapWord{"displacement", FileRole::ignored},
    MapWord{"disp", FileRole::ignored},
    MapWord{"height", FileRole::ignored},
    MapWord{"bump", FileRole::ignored},
    MapWord{"opacity", FileRole::ignored},
    MapWord{"alpha", FileRole::ignored},
    MapWord{"mask", FileRole::ignored},
    MapWord{"specular", FileRole::ignored},
    MapWord{"spec", FileRole::ignored},
    MapWord{"gloss", FileRole::ignored},
    MapWord{"glossiness", FileRole::ignored},
    MapWord{"emission", FileRole::ignored},
    MapWord{"emissive", FileRole::ignored},
    MapWord{"translucency", FileRole::ignored},
    MapWord{"preview", FileRole::ignored},
    MapWord{"thumbnail", FileRole::ignored},
    MapWord{"render", FileRole::ignored},
};

std::vector<Word> split(std::string_view stem) {
  std::vector<Word> words;
  std::string text;
  for (std::size_t i = 0; i <= stem.size(); ++i) {
    const bool separator =
        i == stem.size() || stem[i] == '_' || stem[i] == '-' || stem[i] == ' ' || stem[i] == '.';
    if (separator) {
      if (!text.empty()) words.push_back({std::move(text), i});
      text.clear();
    } else {
      text.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(stem[i]))));
    }
  }
  return words;
}

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// "8k", "16k", "jpg", "png": says how the download was packed, nothing about the material.
bool is_packing(std::string_view text) {
  if (text == "jpg" || text == "jpeg" || text == "png" || text == "tga" || text == "ktx2")
    return true;
  return text.size() >= 2 && text.back() == 'k' && all_digits(text.substr(0, text.size() - 1));
}

const MapWord* find_map_word(std::string_view text) {
  const auto found = std::find_if(kMapWords.begin(), kMapWords.end(),
                                  [&](const MapWord& word) { return word.text == text; });
  return found == kMapWords.end() ? nullptr : &*found;
}

}  // namespace

std::optional<NameParts> parse_file_name(std::string_view file_name) {
  const std::size_t dot = file_name.rfind('.');
  const std::string_view stem = file_name.substr(0, dot);
  std::vector<Word> words = split(stem);
  // Behind the map's word may stand a resolution, or a number ("col_01_8k").
  while (!words.empty() && (is_packing(words.back().text) || all_digits(words.back().text)))
    words.pop_back();
  if (words.empty()) return std::nullopt;

  std::size_t used = 2;
  const MapWord* map = words.size() < 2
                           ? nullptr
                           : find_map_word(words[words.size() - 2].text + " " + words.back().text);
  if (map == nullptr) {
    used = 1;
    map = find_map_word(words.back().text);
  }
  if (map == nullptr) return std::nullopt;
  words.resize(words.size() - used);
  while (!words.empty() && is_packing(words.back().text))
    words.pop_back();
  return NameParts{words.empty() ? std::string() : std::string(stem.substr(0, words.back().end)),
                   map->role};
}

}  // namespace quarry::materials
