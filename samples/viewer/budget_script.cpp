// SPDX-License-Identifier: MIT
#include "viewer/budget_script.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace quarry::viewer {

namespace {

constexpr std::uint64_t kMostMib = std::uint64_t{1} << 24;

std::optional<std::uint64_t> number(std::istringstream& line) {
  std::string word;
  line >> word;
  std::uint64_t value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc{} || stop != end) return {};
  return value;
}

}  // namespace

Outcome<BudgetScript> BudgetScript::parse(const std::string& text) {
  BudgetScript script;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t at = 1; std::getline(lines, line); ++at) {
    std::istringstream words(line.substr(0, line.find('#')));
    if (words >> std::ws; words.eof()) continue;
    const auto frame = number(words);
    const auto mib = number(words);
    std::string rest;
    if (!frame || !mib || words >> rest || *mib == 0 || *mib > kMostMib)
      return failure("line " + std::to_string(at) + ": '" + line +
                     "' is not a frame and a budget in MiB (1 to 16777216)");
    if (!script.changes_.empty() && *frame <= script.changes_.back().frame)
      return failure("line " + std::to_string(at) + ": frame " + std::to_string(*frame) +
                     " does not come after the one before");
    script.changes_.push_back({*frame, *mib});
  }
  return script;
}

Outcome<BudgetScript> BudgetScript::read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) return failure(file.string() + ": cannot be read");
  auto script = parse(text.str());
  if (!script) return failure(file.string() + ": " + script.error());
  return script;
}

std::optional<std::uint64_t> BudgetScript::change_at(std::uint64_t frame) const {
  const auto found = std::lower_bound(
      changes_.begin(), changes_.end(), frame,
      [](const Change& change, std::uint64_t wanted) { return change.frame < wanted; });
  if (found == changes_.end() || found->frame != frame) return {};
  return found->mib;
}

}  // namespace quarry::viewer
