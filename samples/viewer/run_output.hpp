// SPDX-License-Identifier: MIT
// What a run leaves behind: messages, the report's file and table.
#pragma once

#include <filesystem>
#include <string>

#include "viewer/outcome.hpp"
#include "viewer/report.hpp"

namespace quarry::viewer {

void say_error(const std::string& text);
Outcome<void> make_folder(const std::filesystem::path& folder);
/// Writes report.json into `folder` and prints the table and where the files are.
Outcome<void> publish(const Report& report, const std::filesystem::path& folder);

}  // namespace quarry::viewer
