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
        "hitches", "reserved_over_live", "moves", "moved_bytes", "bytes_freed_by_moves",
        "budget_changes"}) {
    EXPECT_NE(json.find('"' + std::string(member) + "\": "), std::string::npos) << member;
  }
  EXPECT_NE(json.find("\"hitches\": [2]"), std::string::npos);
}

TEST(Report, ABudgetChangeTellsHowLongMoreWasHeld) {
  std::vector<FrameRecord> records(10);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i] = {.milliseconds = i == 5 ? 9.0 : 2.0,
                  .seconds = static_cast<double>(i) * 0.5,
                  .reserved_bytes = i < 6 ? 90u : 50u,
                  .budget_bytes = i < 4 || i > 7 ? 100u : 50u};
  }
  const auto changes = budget_changes(records);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].frame, 4u);
  EXPECT_EQ(changes[0].bytes, 50u);
  EXPECT_EQ(changes[0].frames_above, 2u);
  EXPECT_DOUBLE_EQ(changes[0].seconds_above, 1.0);
  EXPECT_DOUBLE_EQ(changes[0].worst_milliseconds, 9.0);
  EXPECT_EQ(changes[1].frame, 8u);
  EXPECT_EQ(changes[1].frames_above, 0u);
  EXPECT_TRUE(budget_changes({}).empty());
}

TEST(Report, ReservedOverLiveIsOfTheSecondHalf) {
  std::vector<FrameRecord> records(4);
  for (FrameRecord& record : records)
    record.live_bytes = 10;
  records[0].reserved_bytes = 1000;
  records[2].reserved_bytes = 20;
  records[3].reserved_bytes = 40;
  EXPECT_DOUBLE_EQ(reserved_over_live(records), 3.0);
  EXPECT_DOUBLE_EQ(reserved_over_live({}), 0.0);
}

TEST(Report, TextIsEscapedForJson) {
  Report report;
  report.device = "a \"b\"\\\n\x01";
  EXPECT_NE(to_json(report).find(R"("a \"b\"\\\u000a\u0001")"), std::string::npos);
}

}  // namespace
}  // namespace quarry::viewer
