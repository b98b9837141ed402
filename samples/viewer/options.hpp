// SPDX-License-Identifier: MIT
// The command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "viewer/budget_script.hpp"
#include "viewer/camera.hpp"

namespace quarry::viewer {

struct Options {
  std::filesystem::path materials;
  std::filesystem::path cache;  ///< for converted image files; empty: the user's cache folder
  std::filesystem::path out = ".";
  bool headless = false;
  std::optional<std::uint32_t> frames;  ///< headless default 300; a window runs until it is closed
  std::vector<std::uint32_t> pictures;  ///< frames to write as PNG
  bool pictures_given = false;
  std::optional<std::uint64_t> budget_mib;
  BudgetScript budget_script;
  std::optional<std::uint32_t> width;
  std::optional<std::uint32_t> height;
  std::optional<float> anisotropy;
  double frame_rate = 60.0;  ///< headless pacing; 0: as fast as it goes
  CameraMode camera = CameraMode::fly;
  std::uint64_t seed = 1;
  std::string device;           ///< index, or part of the name
  std::filesystem::path trace;  ///< file for a recording of the allocations; empty: none
  bool list_devices = false;
  bool validation = false;
  bool hud = false;
  bool check_lod = false;
  bool defrag = false;  ///< keep the textures' blocks dense
};

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

/// The options, or the exit code of a program that has already said what there was to say.
std::variant<Options, int> parse_options(int argc, const char* const* argv);

/// The frames of a run of `total` that are written when nobody says which.
std::vector<std::uint32_t> default_pictures(std::uint32_t total);

}  // namespace quarry::viewer
