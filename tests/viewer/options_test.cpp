// SPDX-License-Identifier: MIT
#include "viewer/options.hpp"

#include <gtest/gtest.h>

namespace quarry::viewer {
namespace {

std::variant<Options, int> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "quarry-viewer");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

int exit_code(std::vector<const char*> arguments) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const auto parsed = parse(std::move(arguments));
  testing::internal::GetCapturedStdout();
  testing::internal::GetCapturedStderr();
  return std::holds_alternative<int>(parsed) ? std::get<int>(parsed) : -1;
}

TEST(Options, AreReadFromTheCommandLine) {
  const auto parsed = parse({"--materials", "m", "--headless", "--frames", "20", "--out", "o",
                             "--pictures", "1,5", "--budget-mib", "341", "--window-size", "640x360",
                             "--camera", "orbit", "--seed", "9"});
  ASSERT_TRUE(std::holds_alternative<Options>(parsed));
  const auto& options = std::get<Options>(parsed);
  EXPECT_EQ(options.materials, "m");
  EXPECT_TRUE(options.headless);
  EXPECT_EQ(options.frames, 20u);
  EXPECT_EQ(options.pictures, (std::vector<std::uint32_t>{1, 5}));
  EXPECT_EQ(options.budget_mib, 341u);
  EXPECT_EQ(options.width, 640u);
  EXPECT_EQ(options.height, 360u);
  EXPECT_EQ(options.camera, CameraMode::orbit);
  EXPECT_EQ(options.seed, 9u);
}

TEST(Options, NonsenseIsAUsageError) {
  EXPECT_EQ(exit_code({}), kExitUsage);
  EXPECT_EQ(exit_code({"--materials", "m", "--frames", "0"}), kExitUsage);
  EXPECT_EQ(exit_code({"--materials", "m", "--frames", "many"}), kExitUsage);
  EXPECT_EQ(exit_code({"--materials", "m", "--window-size", "640"}), kExitUsage);
  EXPECT_EQ(exit_code({"--materials", "m", "--window-size", "640x360x2"}), kExitUsage);
  EXPECT_EQ(exit_code({"--materials", "m", "--window-size", "0x360"}), kExitUsage);
  EXPECT_EQ(exit_code({"--materials", "m", "--camera", "crane"}), kExitUsage);
  EXPECT_EQ(exit_code({"--materials", "m", "--budget-mib", "0"}), kExitUsage);
  EXPECT_EQ(exit_code({"--no-such-option"}), kExitUsage);
}

TEST(Options, HelpIsNoError) {
  EXPECT_EQ(exit_code({"--help"}), kExitOk);
}

TEST(Options, ListingDevicesNeedsNoMaterials) {
  EXPECT_TRUE(std::holds_alternative<Options>(parse({"--list-devices"})));
}

TEST(Options, DefaultPicturesLieWithinTheRun) {
  for (const std::uint32_t total : {1u, 2u, 3u, 10u, 300u}) {
    for (const std::uint32_t frame : default_pictures(total))
      EXPECT_LT(frame, total);
  }
  EXPECT_EQ(default_pictures(300).back(), 299u);
}

}  // namespace
}  // namespace quarry::viewer
