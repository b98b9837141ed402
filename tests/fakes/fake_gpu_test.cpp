// SPDX-License-Identifier: MIT
#include "fakes/fake_gpu.hpp"

#include <gtest/gtest.h>

#include "fakes/expect.hpp"

namespace quarry::fakes {
namespace {

TEST(FakeGpu, ServesEveryFunctionOfTheTableByName) {
  const FakeGpu gpu(profiles::discrete());
  for (const FunctionText& text : functions()) {
    EXPECT_NE(FakeGpu::get_instance_proc_addr(gpu.instance(), text.name), nullptr) << text.name;
  }
}

}  // namespace
}  // namespace quarry::fakes
