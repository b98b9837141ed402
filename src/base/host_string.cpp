// SPDX-License-Identifier: MIT
#include "base/host_string.hpp"

#include <cstring>

#include "base/host_object.hpp"

namespace quarry::base {

char* copy_string(const HostMemory& host, std::string_view text) {
  char* copy = allocate_storage<char>(host, text.size() + 1);
  if (copy == nullptr) return nullptr;
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

void release_string(const HostMemory& host, char* text) {
  release_storage(host, text);
}

}  // namespace quarry::base
