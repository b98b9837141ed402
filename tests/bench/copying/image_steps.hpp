// SPDX-License-Identifier: MIT
// Measures steps that move an image's contents, on each queue family and in several ways.
#pragma once

#include <cstdint>

#include "bench/copying/timing.hpp"

namespace quarry::bench {

struct ImagePlan {
  std::uint32_t side = 8192;
  std::uint32_t images = 4;  ///< moved in each step
  std::uint32_t repetitions = 5;
};

void measure_images(copy::CopyDevice& device, const ImagePlan& plan, Report& report);

}  // namespace quarry::bench
