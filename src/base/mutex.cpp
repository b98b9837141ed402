// SPDX-License-Identifier: MIT
#include "base/mutex.hpp"

namespace quarry::base {

constinit thread_local std::uint64_t LockCount::count_ = 0;

}  // namespace quarry::base
