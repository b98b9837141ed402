// SPDX-License-Identifier: MIT
// GoogleTest expectations on a fake GPU.
#pragma once

#include <gtest/gtest.h>

#include "fakes/fake_gpu.hpp"

namespace quarry::fakes {

/// Fails the test, naming each breach.
inline void expect_no_violations(const FakeGpu& gpu) {
  for (const Violation& violation : gpu.violations()) {
    ADD_FAILURE() << gpu.profile().name << ": " << to_string(violation);
  }
}

/// Everything is destroyed and nothing was done wrong on the way.
inline void expect_clean_end(FakeGpu& gpu) {
  gpu.check_all_destroyed();
  expect_no_violations(gpu);
}

/// The rule was broken (and clears the record, so that what follows starts anew).
inline void expect_violation(FakeGpu& gpu, Rule rule) {
  bool found = false;
  for (const Violation& violation : gpu.violations())
    found |= violation.rule == rule;
  EXPECT_TRUE(found) << text_of(rule).id << " was not caught";
  gpu.forget_violations();
}

}  // namespace quarry::fakes
