// SPDX-License-Identifier: MIT
// Files and terminal.
#include "viewer/run_output.hpp"

#include <cstdio>
#include <fstream>
#include <system_error>

namespace quarry::viewer {

void say_error(const std::string& text) {
  (void)std::fprintf(stderr, "quarry-viewer: error: %s\n", text.c_str());
}

Outcome<void> make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return failure("--out " + folder.string() + ": " + error.message());
  return {};
}

Outcome<void> publish(const Report& report, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "report.json";
  std::ofstream file(path);
  file << to_json(report);
  file.close();
  if (!file) return failure(path.string() + ": cannot be written");
  (void)std::fputs(to_table(report).c_str(), stdout);
  for (const std::string& picture : report.pictures) {
    (void)std::printf("  picture %s\n", (folder / picture).c_str());
  }
  (void)std::printf("  report  %s\n", path.c_str());
  return {};
}

}  // namespace quarry::viewer
