// SPDX-License-Identifier: MIT
// Copies of strings in host memory that comes through HostMemory.
#pragma once

#include <string_view>

#include <quarry/host_memory.hpp>

namespace quarry::base {

/// A null-terminated copy of `text`; null when there is no host memory. Give it back with
/// release_string.
[[nodiscard]] char* copy_string(const HostMemory& host, std::string_view text);

/// Null is allowed.
void release_string(const HostMemory& host, char* text);

}  // namespace quarry::base
