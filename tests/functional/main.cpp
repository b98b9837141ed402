// SPDX-License-Identifier: MIT
// Chooses the device before any test runs, and proves first that its complaints are heard.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string_view>

#include <gtest/gtest.h>

#include "functional/test_device.hpp"

namespace quarry::functional {

namespace {

std::unique_ptr<TestDevice>& the_device() {
  static std::unique_ptr<TestDevice> device;
  return device;
}

bool is_set(const char* name, std::string_view value) {
  const char* found = std::getenv(name);
  return found != nullptr && value == found;
}

}  // namespace

TestDevice& test_device() {
  return *the_device();
}

int run(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  try {
    const bool validation = is_set("QUARRY_TEST_VALIDATION", "1");
    the_device() = is_set("QUARRY_TEST_DEVICE", "driver") ? make_driver_device(validation)
                                                          : make_fake_device();
  } catch (const std::exception& failure) {
    (void)std::fprintf(stderr, "no device for the functional tests: %s\n", failure.what());
    return 2;
  }
  (void)std::printf("device: %s\n", test_device().description().c_str());
  const int result = RUN_ALL_TESTS();
  the_device().reset();
  return result;
}

}  // namespace quarry::functional

int main(int argc, char** argv) {
  return quarry::functional::run(argc, argv);
}
