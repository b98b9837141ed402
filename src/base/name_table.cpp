// SPDX-License-Identifier: MIT
#include "base/name_table.hpp"

#include <utility>

#include "base/host_string.hpp"

namespace quarry::base {

namespace {

// FNV-1a, 64 bits.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char character : text) {
    hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace

NameTable::~NameTable() {
  for (std::uint32_t i = 0; i < names_.size(); ++i) {
    release_string(names_.host(), names_[i].text);
  }
}

std::uint32_t NameTable::add(std::string_view name) {
  const std::uint64_t hash = hash_of(name);
  if (names_.size() * std::size_t{2} >= cells_.size() && !grow()) return 0;
  const std::size_t cell = cell_of(name, hash);
  if (cells_[cell] != 0) return cells_[cell];
  char* copy = copy_string(names_.host(), name);
  if (copy == nullptr) return 0;
  if (names_.emplace_back(Name{copy, hash}) == nullptr) {
    release_string(names_.host(), copy);
    return 0;
  }
  cells_[cell] = names_.size();
  return names_.size();
}

std::uint32_t NameTable::find(std::string_view name) const {
  return cells_.empty() ? 0 : cells_[cell_of(name, hash_of(name))];
}

const char* NameTable::name(std::uint32_t number) const {
  return number == 0 || number > names_.size() ? "" : names_[number - 1].text;
}

// The cell that holds `name`, or the empty one where it belongs. At least one cell is empty.
std::size_t NameTable::cell_of(std::string_view name, std::uint64_t hash) const {
  const std::size_t mask = cells_.size() - 1;
  std::size_t cell = static_cast<std::size_t>(hash) & mask;
  while (cells_[cell] != 0) {
    const Name& held = names_[cells_[cell] - 1];
    if (held.hash == hash && name == held.text) break;
    cell = (cell + 1) & mask;
  }
  return cell;
}

bool NameTable::grow() {
  HostArray<std::uint32_t> larger(names_.host());
  if (!larger.resize(cells_.empty() ? 16 : cells_.size() * 2)) return false;
  const std::size_t mask = larger.size() - 1;
  for (std::uint32_t number = 1; number <= names_.size(); ++number) {
    std::size_t cell = static_cast<std::size_t>(names_[number - 1].hash) & mask;
    while (larger[cell] != 0) {
      cell = (cell + 1) & mask;
    }
    larger[cell] = number;
  }
  cells_ = std::move(larger);
  return true;
}

}  // namespace quarry::base
