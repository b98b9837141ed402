// SPDX-License-Identifier: MIT
// The project's structure as rules. Each takes a tree of files and returns what breaks it; none
// reads the disk. Layers: base <- offset <- plan (no Vulkan) | device <- memory <- heap <- observe;
// volk stands on device; hud, samples, tools and benchmarks use public headers only.
#pragma once

#include <string>
#include <vector>

#include "structure/source_tree.hpp"

namespace quarry::structure {

struct Breach {
  std::string path;
  std::size_t line = 0;  ///< 0: the file as a whole
  std::string what;
};

using Rule = std::vector<Breach> (*)(const SourceTree& tree);

// ---- Rules on includes (include_rules.cpp) ------------------------------------------------------
/// A folder of src includes only what stands before it; no path with "..".
std::vector<Breach> includes_point_one_way(const SourceTree& tree);
/// base, offset, plan and the public headers they use reach no Vulkan header, directly or through
/// others.
std::vector<Breach> core_knows_no_vulkan(const SourceTree& tree);
/// In the library only src/volk includes volk.
std::vector<Breach> volk_stays_in_its_adapter(const SourceTree& tree);
/// hud, samples and tools include nothing internal; public headers include public headers only.
std::vector<Breach> programs_use_public_headers(const SourceTree& tree);
/// No header includes itself through others.
std::vector<Breach> includes_have_no_cycle(const SourceTree& tree);
/// quarry.hpp includes every public header but those of quarry::volk and quarry::hud.
std::vector<Breach> umbrella_is_complete(const SourceTree& tree);

// ---- Rules on text (text_rules.cpp) -------------------------------------------------------------
/// No standard container, stream or std::function below observe, and no host memory but through
/// HostMemory.
std::vector<Breach> host_memory_goes_through_callbacks(const SourceTree& tree);
/// No file is longer than 500 lines.
std::vector<Breach> files_are_short(const SourceTree& tree);
/// The licence line stands first (second below a #! line).
std::vector<Breach> licence_line_is_first(const SourceTree& tree);
/// Headers have #pragma once.
std::vector<Breach> headers_are_guarded(const SourceTree& tree);
/// CMake lists its files; it does not search for them.
std::vector<Breach> cmake_lists_files(const SourceTree& tree);
/// No marks of unfinished work, and no file named for no idea.
std::vector<Breach> nothing_is_left_for_later(const SourceTree& tree);

}  // namespace quarry::structure
