// SPDX-License-Identifier: MIT
#include "memory/type_selection.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "memory/topology.hpp"

namespace quarry::memory {
namespace {

namespace profiles = fakes::profiles;
using Types = std::vector<std::uint32_t>;

constexpr VkMemoryPropertyFlags kDeviceLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kHostVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags kHostCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kHostCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkMemoryPropertyFlags kLazy = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT;
constexpr VkMemoryPropertyFlags kDeviceCoherent = VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;
constexpr VkMemoryPropertyFlags kProtected = VK_MEMORY_PROPERTY_PROTECTED_BIT;

constexpr MemoryIntent kIntents[] = {
    MemoryIntent::device,
    MemoryIntent::upload,
    MemoryIntent::readback,
    MemoryIntent::device_upload,
    MemoryIntent::transient_attachment,
    MemoryIntent::flags,
};

Types order_of(const DeviceFacts& facts, const TypeRequest& request) {
  const TypeOrder order = order_types(facts, request);
  return {order.order.begin(), order.order.begin() + order.count};
}

Types order_of(const fakes::FakeProfile& profile, const TypeRequest& request) {
  return order_of(facts_of(profile), request);
}

TEST(TypeSelection, F01LayoutDecidesAndNotTheKindOfDevice) {
  fakes::FakeProfile discrete = profiles::apu_carve_out();
  discrete.device_type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  for (const MemoryIntent intent : kIntents) {
    const TypeRequest request{.intent = intent};
    EXPECT_EQ(order_of(profiles::apu_carve_out(), request), order_of(discrete, request));
  }
  EXPECT_EQ(order_of(discrete, {.intent = MemoryIntent::device_upload}).front(), 2u);
}

TEST(TypeSelection, F02SingleTypeServesEveryIntent) {
  for (const MemoryIntent intent : kIntents) {
    EXPECT_EQ(order_of(profiles::integrated(), {.intent = intent}), Types{0});
  }
}

TEST(TypeSelection, F03TypeOfAHeapThatIsTooSmallIsLeftOut) {
  const TypeRequest request{.type_bits = 3, .size = 16'777'224};
  EXPECT_EQ(order_of(profiles::tiny_first_heap(), request), Types{1});
  EXPECT_EQ(order_types(facts_of(profiles::tiny_first_heap()), request).verdicts[0],
            TypeVerdict::exceeds_heap);
}

TEST(TypeSelection, F04UploadLargerThanTheWindowPassesItOver) {
  const TypeRequest request{.intent = MemoryIntent::device_upload, .size = 536'870'912};
  EXPECT_EQ(order_of(profiles::small_window(), request), (Types{0, 2, 3}));
  const TypeRequest small{.intent = MemoryIntent::device_upload, .size = 1024};
  EXPECT_EQ(order_of(profiles::small_window(), small), (Types{1, 0, 2, 3}));
}

TEST(TypeSelection, F05StagingBufferStaysOutOfTheWindow) {
  const TypeRequest request{.intent = MemoryIntent::upload, .size = 256 * fakes::kMiB};
  EXPECT_EQ(order_of(profiles::window_and_cached(), request), (Types{2, 1}));
}

TEST(TypeSelection, F06DeviceCoherentTwinsAreNotUsedWithoutTheFeature) {
  const DeviceFacts facts = facts_of(profiles::amd());
  for (const MemoryIntent intent : kIntents) {
    for (const VkMemoryPropertyFlags asked : {VkMemoryPropertyFlags{0}, kDeviceCoherent}) {
      const TypeRequest request{.intent = intent, .preferred = asked};
      for (const std::uint32_t type : order_of(facts, request))
        EXPECT_LT(type, 4u);
    }
  }
  const TypeRequest required{.required = kDeviceCoherent};
  EXPECT_EQ(order_types(facts, required).verdicts[4], TypeVerdict::device_coherent);
}

TEST(TypeSelection, DeviceCoherentTwinsAreUsedWhenAskedForWithTheFeature) {
  DeviceFacts facts = facts_of(profiles::amd());
  facts.features.device_coherent_memory = true;
  EXPECT_EQ(order_of(facts, {.type_bits = 0xF0}), Types{});
  const TypeRequest required{.required = kDeviceCoherent};
  EXPECT_EQ(order_of(facts, required).front(), 4u);
  const TypeRequest preferred{.intent = MemoryIntent::upload,
                              .preferred = VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD};
  EXPECT_EQ(order_of(facts, preferred).front(), 5u);
}

TEST(TypeSelection, F07CoherentComesFirstOrCanBeAskedFor) {
  const DeviceFacts facts = facts_of(profiles::non_coherent());
  EXPECT_EQ(order_of(facts, {.intent = MemoryIntent::upload}), (Types{2, 3, 1}));
  EXPECT_EQ(order_of(facts, {.intent = MemoryIntent::readback}), (Types{3, 2, 1}));
  EXPECT_EQ(order_of(facts, {.intent = MemoryIntent::readback, .required = kHostCoherent}),
            Types{2});
  EXPECT_EQ(order_of(facts, {.intent = MemoryIntent::device_upload}).front(), 1u);
  EXPECT_EQ(order_of(facts, {.intent = MemoryIntent::flags, .required = kHostVisible}).front(), 1u);
  EXPECT_EQ(order_of(facts, {.intent = MemoryIntent::flags,
                             .required = kHostVisible,
                             .preferred = kHostCoherent})
                .front(),
            2u);
}

TEST(TypeSelection, F08TransientAttachmentGoesToLazyMemoryAndABufferNever) {
  const DeviceFacts facts = facts_of(profiles::mobile());
  const TypeRequest image{.intent = MemoryIntent::transient_attachment, .transient_image = true};
  EXPECT_EQ(order_of(facts, image).front(), 1u);
  TypeRequest elsewhere = image;
  elsewhere.type_bits = ~2u;
  EXPECT_EQ(order_of(facts, elsewhere).front(), 0u);

  for (const MemoryIntent intent : kIntents) {
    for (const VkMemoryPropertyFlags preferred : {VkMemoryPropertyFlags{0}, kLazy}) {
      for (const std::uint32_t type : order_of(facts, {.intent = intent, .preferred = preferred})) {
        EXPECT_NE(type, 1u);
      }
    }
  }
  EXPECT_EQ(order_types(facts, {.required = kLazy}).verdicts[1], TypeVerdict::lazily_allocated);
}

TEST(TypeSelection, LazyMemoryNeedsToBeWanted) {
  const DeviceFacts facts = facts_of(profiles::mobile());
  const TypeRequest unasked{.type_bits = 2, .transient_image = true};
  EXPECT_EQ(order_of(facts, unasked), Types{});
  const TypeRequest asked{.type_bits = 2, .required = kLazy, .transient_image = true};
  EXPECT_EQ(order_of(facts, asked), Types{1});
}

TEST(TypeSelection, F10ProtectedTypeIsUsedOnlyOnRequest) {
  const DeviceFacts facts = facts_of(profiles::protected_memory());
  for (const MemoryIntent intent : kIntents) {
    for (const std::uint32_t type : order_of(facts, {.intent = intent}))
      EXPECT_NE(type, 0u);
    EXPECT_EQ(order_types(facts, {.type_bits = 1, .intent = intent}).count, 0u);
  }
  EXPECT_EQ(order_of(facts, {.wants_protected = true}), Types{0});
  EXPECT_EQ(order_of(facts, {.required = kProtected}), Types{0});
  EXPECT_EQ(order_of(facts, {.intent = MemoryIntent::upload, .wants_protected = true}), Types{});

  DeviceFacts without = facts;
  without.features.protected_memory = false;
  EXPECT_EQ(order_of(without, {.wants_protected = true}), Types{});
}

TEST(TypeSelection, DeviceMemoryPrefersTypesThatAreNotHostVisible) {
  EXPECT_EQ(order_of(profiles::nvidia_h200(), {}), (Types{1, 4, 0, 2, 3}));
  EXPECT_EQ(order_of(profiles::discrete(), {}), (Types{1, 4, 0, 2, 3}));
}

TEST(TypeSelection, UploadAndReadbackOnADiscreteDevice) {
  EXPECT_EQ(order_of(profiles::nvidia_h200(), {.intent = MemoryIntent::upload}), (Types{2, 3, 4}));
  EXPECT_EQ(order_of(profiles::nvidia_h200(), {.intent = MemoryIntent::readback}),
            (Types{3, 2, 4}));
}

TEST(TypeSelection, DeviceUploadFallsToMemoryThatIsNotMappable) {
  const TypeRequest request{.type_bits = ~0x10u, .intent = MemoryIntent::device_upload};
  EXPECT_EQ(order_of(profiles::nvidia_h200(), request).front(), 1u);
}

TEST(TypeSelection, PreferredFlagsOutweighTheIntent) {
  const TypeRequest request{.intent = MemoryIntent::device, .preferred = kHostCached};
  EXPECT_EQ(order_of(profiles::nvidia_h200(), request).front(), 3u);
  const TypeRequest two{.intent = MemoryIntent::upload, .preferred = kDeviceLocal | kHostCached};
  EXPECT_EQ(order_of(profiles::nvidia_h200(), two), (Types{3, 4, 2}));
}

TEST(TypeSelection, AFlagThatWasAskedForDoesNotCountAgainstAType) {
  const TypeRequest request{.intent = MemoryIntent::upload,
                            .preferred = kDeviceLocal | kHostCached};
  EXPECT_EQ(order_of(profiles::small_window(), request), (Types{1, 3, 2}));
}

TEST(TypeSelection, RequiredAndForbiddenFlagsExclude) {
  const DeviceFacts facts = facts_of(profiles::nvidia_h200());
  const TypeRequest request{
      .intent = MemoryIntent::flags, .required = kHostVisible, .forbidden = kHostCached};
  EXPECT_EQ(order_of(facts, request), (Types{2, 4}));
  const TypeOrder order = order_types(facts, request);
  EXPECT_EQ(order.verdicts[0], TypeVerdict::lacks_required);
  EXPECT_EQ(order.verdicts[2], TypeVerdict::chosen);
  EXPECT_EQ(order.verdicts[3], TypeVerdict::has_forbidden);
  EXPECT_EQ(order.verdicts[4], TypeVerdict::candidate);
}

TEST(TypeSelection, NothingImpliedPicksTheFewestFlags) {
  EXPECT_EQ(order_of(profiles::nvidia_h200(), {.intent = MemoryIntent::flags}),
            (Types{0, 1, 2, 3, 4}));
}

TEST(TypeSelection, LargerThanTheDriverAllowsInOnePiece) {
  fakes::FakeProfile profile = profiles::discrete();
  profile.maximum_allocation_size = 1 * fakes::kGiB;
  const DeviceFacts facts = facts_of(profile);
  const TypeRequest request{.size = 1 * fakes::kGiB + 1};
  EXPECT_EQ(order_types(facts, request).count, 0u);
  EXPECT_EQ(order_types(facts, request).verdicts[1], TypeVerdict::exceeds_driver_size);
  EXPECT_EQ(TypeTable(facts).reason_of_none(request), Reason::larger_than_heap);
  EXPECT_EQ(TypeTable(facts).reason_of_none({.type_bits = 0}), Reason::no_memory_type);
}

TEST(TypeTable, GivesTheSameOrderAsTheRule) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto chance = [&](unsigned one_in) { return random() % one_in == 0; };
  const auto flags = [&] { return static_cast<VkMemoryPropertyFlags>(1u << (random() % 9)); };

  for (const fakes::FakeProfile& profile : profiles::all()) {
    const DeviceFacts facts = facts_of(profile);
    const TypeTable table(facts);
    for (int round = 0; round < 2000; ++round) {
      TypeRequest request;
      request.type_bits = chance(4) ? ~0u : static_cast<std::uint32_t>(random());
      request.intent = kIntents[random() % std::size(kIntents)];
      if (chance(4)) request.required = flags();
      if (chance(4)) request.preferred = flags() | flags();
      if (chance(8)) request.forbidden = flags();
      if (chance(3)) request.size = VkDeviceSize{1} << (random() % 40);
      request.transient_image = chance(3);
      request.wants_protected = chance(6);

      Types walked;
      TypeCandidates candidates = table.candidates(request);
      EXPECT_EQ(candidates.count(), order_types(facts, request).count);
      for (; !candidates.empty(); candidates.drop_first())
        walked.push_back(candidates.first());
      ASSERT_EQ(walked, order_of(facts, request)) << profile.name;
    }
  }
}

TEST(TypeTable, HandlesAllThirtyTwoTypes) {
  fakes::FakeProfile profile = profiles::integrated();
  profile.types.assign(VK_MAX_MEMORY_TYPES, {kDeviceLocal, 0});
  profile.types.back().propertyFlags = kDeviceLocal | kHostVisible | kHostCoherent;
  const DeviceFacts facts = facts_of(profile);
  const TypeTable table(facts);
  EXPECT_EQ(table.candidates({.intent = MemoryIntent::upload}).first(), 31u);
  EXPECT_EQ(table.candidates({}).count(), 32u);
  EXPECT_EQ(table.candidates({.preferred = kHostVisible}).count(), 32u);
  EXPECT_EQ(table.candidates({.type_bits = 0x80000000u}).first(), 31u);
}

}  // namespace
}  // namespace quarry::memory
