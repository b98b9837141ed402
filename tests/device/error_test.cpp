// SPDX-License-Identifier: MIT
#include "device/error.hpp"

#include <string>

#include <gtest/gtest.h>

namespace quarry::device {
namespace {

TEST(Error, CodesAreThoseOfVulkansOwnShortages) {
  EXPECT_EQ(code_of(Reason::over_budget), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(code_of(Reason::over_limit), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(code_of(Reason::larger_than_heap), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(code_of(Reason::out_of_host_memory), VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(code_of(Reason::too_many_allocations), VK_ERROR_TOO_MANY_OBJECTS);
  EXPECT_EQ(code_of(Reason::not_host_visible), VK_ERROR_MEMORY_MAP_FAILED);
  EXPECT_EQ(code_of(Reason::no_memory_type), VK_ERROR_FEATURE_NOT_PRESENT);
}

TEST(Error, NoReasonCarriesSuccessAndEachHasWords) {
  for (int value = 0; value <= static_cast<int>(Reason::unsupported); ++value) {
    const auto reason = static_cast<Reason>(value);
    if (reason == Reason::being_moved || reason == Reason::not_resident) {
      EXPECT_EQ(code_of(reason), VK_NOT_READY) << "it is no failure, only too early";
    } else {
      EXPECT_LT(code_of(reason), VK_SUCCESS) << value;
    }
    EXPECT_NE(std::string(to_string(reason)), "unknown") << value;
  }
}

TEST(Error, ShortagesOfTheDriverAreTold) {
  const Error error = driver_failed(VK_ERROR_OUT_OF_DEVICE_MEMORY, 99).error();
  EXPECT_EQ(error.reason, Reason::out_of_device_memory);
  EXPECT_EQ(error.requested_bytes, 99u);
  EXPECT_EQ(driver_failed(VK_ERROR_DEVICE_LOST).error().reason, Reason::driver);
  EXPECT_EQ(driver_failed(VK_ERROR_TOO_MANY_OBJECTS).error().reason, Reason::too_many_allocations);
}

}  // namespace
}  // namespace quarry::device
