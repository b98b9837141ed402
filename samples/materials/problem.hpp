// SPDX-License-Identifier: MIT
// What went wrong with which file: the error type of everything that reads or writes materials.
#pragma once

#include <filesystem>
#include <string>

#include <quarry/expected.hpp>

namespace quarry::materials {

struct Problem {
  std::filesystem::path file;  ///< the file or folder concerned
  std::string reason;          ///< one sentence without a full stop, for people

  std::string to_string() const { return file.string() + ": " + reason; }
};

template <class T>
using Result = Expected<T, Problem>;
using Status = Expected<void, Problem>;

}  // namespace quarry::materials
