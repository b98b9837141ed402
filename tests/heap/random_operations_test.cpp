// SPDX-License-Identifier: MIT
// Random programs on every profile, and on granularities that the profiles do not have, with every
// oracle watching.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "heap/random_world.hpp"

namespace quarry::test {
namespace {

/// Steps of each run: QUARRY_TEST_OPERATIONS, else few.
int steps(int few) {
  const char* given = std::getenv("QUARRY_TEST_OPERATIONS");
  return given == nullptr ? few : std::atoi(given);
}

void run(const fakes::FakeProfile& profile, const Mode& mode, std::uint64_t seed, int count) {
  SCOPED_TRACE(profile.name + ", " + mode.name + ", QUARRY_TEST_SEED=" + std::to_string(seed));
  RandomWorld world(profile, mode, seed);
  for (int i = 0; i < count; ++i) {
    world.step();
    if (world.is_faulty() || testing::Test::HasFailure()) {
      ADD_FAILURE() << "in step " << i;
      break;
    }
  }
  world.finish();
}

class RandomOperations : public testing::TestWithParam<fakes::FakeProfile> {};

TEST_P(RandomOperations, BreakNoRule) {
  for (const std::uint64_t seed : seeds(2))
    run(GetParam(), Mode{"standard", {}}, seed, steps(4'000));
}

TEST_P(RandomOperations, BreakNoRuleInAnyMode) {
  for (const Mode& mode : modes()) {
    for (const std::uint64_t seed : seeds(1))
      run(GetParam(), mode, seed + 1, steps(1'000));
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, RandomOperations, testing::ValuesIn(fakes::profiles::all()),
                         name_of);

std::vector<fakes::FakeProfile> variations() {
  std::vector<fakes::FakeProfile> all;
  for (const VkDeviceSize granularity : {4096u, 65'536u}) {
    fakes::FakeProfile profile = fakes::profiles::rebar();
    profile.name = "granularity_" + std::to_string(granularity);
    profile.granularity = granularity;
    profile.small_image_alignment = 1024;
    profile.large_image_alignment = 1024;
    all.push_back(std::move(profile));
  }
  fakes::FakeProfile old = fakes::profiles::discrete();
  old.name = "vulkan_1_0";
  old.declared_version = VK_API_VERSION_1_0;
  old.device_extensions.clear();
  old.features = {};
  all.push_back(std::move(old));
  fakes::FakeProfile coherent = fakes::profiles::amd();
  coherent.name = "amd_device_coherent_enabled";
  coherent.device_extensions.push_back(VK_AMD_DEVICE_COHERENT_MEMORY_EXTENSION_NAME);
  coherent.features.device_coherent_memory = true;
  all.push_back(std::move(coherent));
  fakes::FakeProfile few = fakes::profiles::discrete();
  few.name = "few_memories";
  few.maximum_allocation_count = 12;
  few.requires_dedicated_bytes = 100'000;
  all.push_back(std::move(few));
  fakes::FakeProfile padded = fakes::profiles::non_coherent();
  padded.name = "padded_requirements";
  padded.buffer_padding = 333;
  padded.prefers_dedicated_bytes = 1;
  padded.maximum_allocation_size = 2 * fakes::kMiB;
  all.push_back(std::move(padded));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Variations, RandomOperations, testing::ValuesIn(variations()), name_of);

}  // namespace
}  // namespace quarry::test
