// SPDX-License-Identifier: MIT
// NameTable: distinct names numbered 1, 2, 3... in the order of their arrival; finding is O(1)
// expected, names stay where they are as long as the table lives. Open addressing, at most half
// full. Not thread-safe, but name() of an index that the reader was given may run beside an add()
// elsewhere.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/chunked_array.hpp"
#include "base/host_array.hpp"

namespace quarry::base {

class NameTable {
 public:
  explicit NameTable(const HostMemory& host) : names_(host), cells_(host) {}
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;
  ~NameTable();

  /// The number of `name`, new or known; 0, with nothing changed, when there is no host memory.
  [[nodiscard]] std::uint32_t add(std::string_view name);
  /// The number of `name`; 0 when it is unknown.
  std::uint32_t find(std::string_view name) const;
  /// The name behind a number; "" for 0 and numbers not given out.
  const char* name(std::uint32_t number) const;
  std::uint32_t count() const { return names_.size(); }

 private:
  struct Name {
    char* text;
    std::uint64_t hash;
  };

  std::size_t cell_of(std::string_view name, std::uint64_t hash) const;
  bool grow();

  ChunkedArray<Name> names_;
  HostArray<std::uint32_t> cells_;  // a power of two of them; 0 is empty, else a name's number
};

}  // namespace quarry::base
