// SPDX-License-Identifier: MIT
// The viewer's error type: one sentence for the person in front of it.
#pragma once

#include <string>
#include <utility>

#include <quarry/expected.hpp>

namespace quarry::viewer {

template <class T>
using Outcome = Expected<T, std::string>;

inline Unexpected<std::string> failure(std::string text) {
  return Unexpected<std::string>(std::move(text));
}

}  // namespace quarry::viewer
