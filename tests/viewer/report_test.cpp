// SPDX-License-Identifier: MIT
#include "viewer/report.hpp"

#include <gtest/gtest.h>

namespace quarry::viewer {
namespace {

std::vector<FrameRecord> frames(std::initializer_list<double> milliseconds) {
  std::vector<FrameRecord> made;
  for (const double ms : milliseconds)
    made.push_back({.milliseconds = ms});
  return made;
}

TEST(Report, AHitchTakesMoreThanTwiceTheMedian) {
  const auto records = frames({10, 20.1, 10, 20, 10});
  EXPECT_DOUBLE_EQ(median_milliseconds(records), 10.0);
  EXPECT_EQ(hitches(records), std::vector<std::uint32_t>{1});
}

TEST(Report, WithoutFramesThereIsNothingToDivide) {
  EXPECT_DOUBLE_EQ(median_milliseconds({}), 0.0);
  EXPECT_TRUE(hitches({}).empty());
  EXPECT_EQ(driver_allocations_last_100({}), 0u);
  EXPECT_NE(to_json({}).find("\"frames\": 0"), std::string::npos);
}

TEST(Report, DriverAllocationsOfTheLastHundredFramesAreCounted) {
  std::vector<FrameRecord> records(150);
  records[49].driver_allocations = 7;
  records[50].driver_allocations = 2;
  records[149].driver_allocations = 1;
  EXPECT_EQ(driver_allocations_last_100(records), 3u);
}

TEST(Report, JsonHasTheMembersThatReadersLookFor) {
  Report report;
  report.frames = frames({1, 1, 5});
  const std::string json = to_json(report);
  for (const char* member :
       {"frames", "materials", "budget_bytes", "peak_reserved_bytes", "peak_live_bytes",
        "material_bytes_total", "driver_allocations_last_100_frames", "validation_messages",
        "device", "textures_below_wanted_mip", "smallest_upgrade_bytes", "budget_left_bytes",
        "hitches"}) {
    EXPECT_NE(json.find('"' + std::string(member) + "\": "), std::string::npos) << member;
  }
  EXPECT_NE(json.find("\"hitches\": [2]"), std::string::npos);
}

TEST(Report, TextIsEscapedForJson) {
  Report report;
  report.device = "a \"b\"\\\n\x01";
  EXPECT_NE(to_json(report).find(R"("a \"b\"\\\u000a\u0001")"), std::string::npos);
}

}  // namespace
}  // namespace quarry::viewer
