// SPDX-License-Identifier: MIT
// A script of budgets: lines of "FRAME MIB", frames rising; '#' begins a comment. Pure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "viewer/outcome.hpp"

namespace quarry::viewer {

class BudgetScript {
 public:
  /// Fails with the number of the first line that is none.
  static Outcome<BudgetScript> parse(const std::string& text);
  static Outcome<BudgetScript> read(const std::filesystem::path& file);

  /// The budget in MiB that begins with this frame; empty: it goes on as it is.
  std::optional<std::uint64_t> change_at(std::uint64_t frame) const;
  std::size_t size() const { return changes_.size(); }

 private:
  struct Change {
    std::uint64_t frame = 0;
    std::uint64_t mib = 0;
  };
  std::vector<Change> changes_;
};

}  // namespace quarry::viewer
