// SPDX-License-Identifier: MIT
// Generated traces: well-formed, the same for the same seed, the same through a file, and replayed
// with plausible figures by both allocators.
#include "bench/replay.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <unordered_map>

#include <gtest/gtest.h>

#include "bench/replay_plot.hpp"
#include "bench/subjects.hpp"
#include "bench/trace_file.hpp"
#include "bench/traces/generators.hpp"
#include "bench/traces/textures.hpp"
#include "fakes/expect.hpp"

namespace quarry::bench {
namespace {

class Traces : public testing::TestWithParam<TraceGenerator> {
 protected:
  static Trace make() { return GetParam().make(1); }
};

bool same(const TraceEvent& a, const TraceEvent& b) {
  return a.kind == b.kind && a.resource == b.resource && a.intent == b.intent &&
         a.lifetime == b.lifetime && a.dedicated == b.dedicated &&
         a.memory_type_bits == b.memory_type_bits && a.size == b.size &&
         a.alignment == b.alignment && a.tag == b.tag && a.microseconds == b.microseconds &&
         a.name == b.name;
}

TEST_P(Traces, FreeEverythingOnce) {
  std::unordered_map<std::uint64_t, VkDeviceSize> live;
  for (const TraceEvent& event : make().events) {
    if (event.kind == TraceEventKind::allocate) {
      ASSERT_TRUE(live.emplace(event.id, event.size).second);
      ASSERT_GT(event.size, 0u);
    } else if (event.kind == TraceEventKind::free) {
      ASSERT_EQ(live.erase(event.id), 1u);
    }
  }
  EXPECT_TRUE(live.empty());
}

TEST_P(Traces, AreTheSameForTheSameSeed) {
  const Trace first = make();
  const Trace second = make();
  ASSERT_EQ(first.events.size(), second.events.size());
  for (std::size_t i = 0; i < first.events.size(); ++i)
    ASSERT_TRUE(same(first.events[i], second.events[i]) &&
                first.events[i].id == second.events[i].id);
}

TEST_P(Traces, ComeBackFromAFile) {
  const Trace trace = make();
  const std::string path = testing::TempDir() + "quarry-trace-" + GetParam().name;
  const auto written = write_trace_file(path, trace);
  ASSERT_TRUE(written.has_value()) << written.error();
  const auto read = read_trace_file(path);
  (void)std::remove(path.c_str());
  ASSERT_TRUE(read.has_value()) << read.error();
  ASSERT_EQ(read->events.size(), trace.events.size());
  for (std::size_t i = 0; i < trace.events.size(); ++i)
    ASSERT_TRUE(same(read->events[i], trace.events[i])) << i;
  EXPECT_LT(read->bytes.size(), trace.events.size() * 12);
}

TEST_P(Traces, AreServedWithinPlausibleMemory) {
  const Trace trace = make();
  for (const bool reference : {false, true}) {
    fakes::FakeGpu gpu(roomy_profile(1024));
    ReplayResult result;
    if (reference) {
      ReferenceTarget target(reference_desc(gpu));
      result = replay(trace, target);
    } else {
      QuarryTarget target(gpu.allocator_desc());
      result = replay(trace, target);
    }
    EXPECT_EQ(result.refused, 0u);
    EXPECT_GT(result.allocations, 0u);
    EXPECT_GE(result.peak_reserved, result.peak_live);
    EXPECT_GE(result.mean_reserved_over_live, 1.0);
    EXPECT_GT(result.driver_allocations, 0u);
    EXPECT_LE(result.driver_frees, result.driver_allocations);
    ASSERT_FALSE(result.samples.empty());
    for (const ReplaySample& sample : result.samples) {
      EXPECT_GE(sample.reserved_bytes, sample.live_bytes);
      EXPECT_GE(sample.fragmentation, 0.0);
      EXPECT_LE(sample.fragmentation, 1.0);
    }
    EXPECT_EQ(result.samples.back().live_bytes, 0u);
    fakes::expect_clean_end(gpu);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Traces,
                         testing::ValuesIn(trace_generators().begin(), trace_generators().end()),
                         [](const auto& named) { return std::string(named.param.name); });

TEST(Replay, GoesOnAfterARefusal) {
  fakes::FakeGpu gpu(fakes::profiles::integrated());
  QuarryTarget target(gpu.allocator_desc());
  const ReplayResult result = replay(texture_streaming(1), target);
  EXPECT_GT(result.refused, 0u);
  EXPECT_LT(result.refused, result.allocations);
  EXPECT_LE(result.peak_reserved, 969'521'152u);
}

TEST(Replay, StreamingHoldsFourteenGibibytes) {
  VkDeviceSize live = 0;
  VkDeviceSize peak = 0;
  std::unordered_map<std::uint64_t, VkDeviceSize> sizes;
  for (const TraceEvent& event : texture_streaming(1).events) {
    if (event.kind == TraceEventKind::allocate) live += sizes[event.id] = event.size;
    if (event.kind == TraceEventKind::free) live -= sizes[event.id];
    peak = std::max(peak, live);
  }
  EXPECT_LE(peak, VkDeviceSize{14} << 30);
  EXPECT_GT(peak, VkDeviceSize{13} << 30);
  EXPECT_EQ(chain_bytes(TexelFormat::bc7, 8192, 8192), 89'478'512u);
  EXPECT_EQ(chain_bytes(TexelFormat::rgba8, 1, 1), 4u);
}

TEST(Replay, MovesKeepStreamingDenseInFewBlocks) {
  const Trace trace = texture_streaming(1);
  std::array<ReplayResult, 2> results;  // without moves, with
  for (const bool moves : {false, true}) {
    fakes::FakeGpu gpu(roomy_profile(1));
    {
      AllocatorDesc desc = gpu.allocator_desc();
      desc.blocks.largest_block = VkDeviceSize{512} << 20;
      QuarryTarget target(desc, {.bytes_per_frame = moves ? VkDeviceSize{256} << 20 : 0});
      results[moves] = replay(trace, target, {.keep_type_bits = false, .fragmentation = false});
      results[moves].moved = target.moved();
    }
    fakes::expect_clean_end(gpu);
    EXPECT_EQ(results[moves].refused, 0u);
  }
  EXPECT_EQ(results[0].moved.moves, 0u);
  EXPECT_GT(results[1].moved.moves, 0u);
  EXPECT_LT(results[1].mean_reserved_over_live, 1.08);
  EXPECT_LT(results[1].mean_reserved_over_live, results[0].mean_reserved_over_live);
  EXPECT_LE(results[1].driver_allocations, 100u);
}

TEST(Replay, TheViewersRunIsServedWhole) {
  const auto trace = read_trace_file(QUARRY_TEST_SOURCE_DIR "/tests/bench/traces/viewer.trace");
  ASSERT_TRUE(trace.has_value()) << trace.error();
  fakes::FakeGpu gpu(fakes::profiles::nvidia_h200());
  ReplayResult result;
  {
    QuarryTarget target(gpu.allocator_desc());
    result = replay(*trace, target);
  }
  EXPECT_EQ(result.refused, 0u);
  EXPECT_GT(result.allocations, 1'000u);
  EXPECT_GT(result.peak_live, VkDeviceSize{3} << 30);
  EXPECT_GE(result.peak_reserved, result.peak_live);
  fakes::expect_clean_end(gpu);
}

TEST(Replay, PlotIsOneSvgDocument) {
  fakes::FakeGpu gpu(roomy_profile(1));
  ReferenceTarget target(reference_desc(gpu));
  const Trace trace = render_target_resizes(1);
  const std::string svg = plot_svg("a < b & c", {{"reference", replay(trace, target)}});
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Replay, FilesThatAreNoTracesAreNamed) {
  const auto missing = read_trace_file("/nonexistent/trace");
  ASSERT_FALSE(missing.has_value());
  EXPECT_NE(missing.error().find("/nonexistent/trace"), std::string::npos);
  EXPECT_FALSE(write_trace_file("/nonexistent/trace", Trace{}).has_value());
}

}  // namespace
}  // namespace quarry::bench
