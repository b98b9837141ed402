// SPDX-License-Identifier: MIT
#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace quarry::base {

void promise_broken(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "quarry: internal error at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace quarry::base
