// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "copy/driver_rig.hpp"

namespace quarry::copy {

namespace {

std::unique_ptr<CopyDevice>& held_device() {
  static std::unique_ptr<CopyDevice> device;
  return device;
}

}  // namespace

CopyDevice& the_device() {
  return *held_device();
}

int run(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* validation = std::getenv("QUARRY_TEST_VALIDATION");
  try {
    held_device() = std::make_unique<CopyDevice>(
        CopyDeviceDesc{.validation = validation != nullptr && std::string_view(validation) == "1"});
  } catch (const std::exception& failure) {
    (void)std::fprintf(stderr, "no device for the copy tests: %s\n", failure.what());
    return 2;
  }
  (void)std::printf("device: %s\n", the_device().properties().deviceName);
  const int result = RUN_ALL_TESTS();
  held_device().reset();
  return result;
}

}  // namespace quarry::copy

int main(int argc, char** argv) {
  return quarry::copy::run(argc, argv);
}
