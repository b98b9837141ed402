// SPDX-License-Identifier: MIT
// quarry-bench and quarry-replay as a user runs them.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace quarry::bench {
namespace {

const std::string kBinaries = QUARRY_TEST_BINARY_DIR;

/// The exit status.
int run(const std::string& command) {
  const int status = std::system((kBinaries + "/" + command + " > /dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A flat object of numbers; empty where it is anything else.
std::map<std::string, double> read_json(const std::string& path) {
  std::ifstream file(path);
  std::map<std::string, double> figures;
  std::string line;
  std::getline(file, line);
  if (line != "{") return {};
  while (std::getline(file, line) && line != "}") {
    std::istringstream words(line);
    std::string key;
    double value = 0;
    if (!(words >> key >> value)) return {};
    figures[key.substr(1, key.size() - 3)] = value;
  }
  return line == "}" ? figures : std::map<std::string, double>{};
}

TEST(QuarryBench, SummaryHasEveryFigureAndNoOther) {
  const std::string path = testing::TempDir() + "quarry-summary.json";
  ASSERT_EQ(run("quarry-bench --smoke --summary " + path), 0);
  std::map<std::string, double> figures = read_json(path);
  (void)std::remove(path.c_str());
  for (const char* key : {"pair_4k_ns", "pair_4k_ns_ratio", "pair_mixed_ns", "pair_mixed_ns_ratio",
                          "pair_game_ns", "pair_game_ns_ratio", "blocks_4096_over_1",
                          "live_1m_over_touch", "granularity_65536_over_1", "worst_ns",
                          "host_bytes_per_allocation", "streaming_driver_allocations",
                          "streaming_with_moves_driver_allocations", "threads_efficiency"}) {
    EXPECT_GT(figures[key], 0.0) << key;
    figures.erase(key);
  }
  for (const char* key : {"streaming_reserved_over_live", "streaming_with_moves_reserved_over_live",
                          "churn_reserved_over_live", "levels_reserved_over_live"}) {
    EXPECT_GE(figures[key], 1.0) << key;
    figures.erase(key);
  }
  for (const auto& [key, value] : figures)
    ADD_FAILURE() << key << " is not known";
}

TEST(QuarryBench, RunsPairsOfBothAllocators) {
  EXPECT_EQ(run("quarry-bench --pair game --operations 100 --live 100"), 0);
  EXPECT_EQ(run("quarry-bench --pair mixed --operations 100 --allocator reference --blocks 64"), 0);
  EXPECT_EQ(run("quarry-bench --pair 4k --operations 100 --granularity 65536"), 0);
}

TEST(QuarryBench, ExitStatusTellsWrongUsageFromFailure) {
  EXPECT_EQ(run("quarry-bench"), 2);
  EXPECT_EQ(run("quarry-bench --pair 5k"), 2);
  EXPECT_EQ(run("quarry-bench --smoke --summary /nonexistent/summary.json"), 1);
  EXPECT_EQ(run("quarry-bench --help"), 0);
}

#if defined(QUARRY_HAS_DEFRAG_DEMO)
TEST(QuarryDefragDemo, MakesTheHeapDenseAndSaysSo) {
  const std::string summary = testing::TempDir() + "quarry-defrag.json";
  const std::string picture = testing::TempDir() + "quarry-defrag.svg";
  ASSERT_EQ(run("quarry-defrag-demo --mib 1024 --summary " + summary + " --picture " + picture), 0);
  std::ifstream file(summary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto figure = [&](const std::string& key) {
    const std::size_t at = text.find("\"" + key + "\": ");
    EXPECT_NE(at, std::string::npos) << key;
    return at == std::string::npos ? -1.0 : std::atof(text.c_str() + at + key.size() + 4);
  };
  EXPECT_GT(figure("reserved_over_live_before"), 1.5);
  EXPECT_GE(figure("reserved_over_live_after"), 1.0);
  EXPECT_LE(figure("reserved_over_live_after"), 1.2) << "of 16 blocks one is 6 %";
  EXPECT_GT(figure("moved_over_bound"), 0.5);
  EXPECT_LE(figure("moved_over_bound"), 1.5);
  EXPECT_GT(figure("plan_ms_100k"), 0.0);
  EXPECT_EQ(figure("copy_gb_per_s"), 0.0) << "the fake copies nothing";
  EXPECT_NE(text.find("\"device\": \"fake GPU\""), std::string::npos);
  std::ifstream drawn(picture);
  const std::string svg{std::istreambuf_iterator<char>(drawn), {}};
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  (void)std::remove(summary.c_str());
  (void)std::remove(picture.c_str());
  EXPECT_EQ(run("quarry-defrag-demo --mib 1"), 2);
  EXPECT_EQ(run("quarry-defrag-demo --mib 64 --device no-such-device"), 1);
  EXPECT_EQ(run("quarry-defrag-demo --mib 64 --summary /nonexistent/summary.json"), 1);
}
#endif

TEST(QuarryReplay, SavesReplaysAndPlots) {
  const std::string trace = testing::TempDir() + "quarry-replay.trace";
  const std::string plot = testing::TempDir() + "quarry-replay.svg";
  EXPECT_EQ(run("quarry-replay --generate resize --allocator both --save " + trace), 0);
  EXPECT_EQ(run("quarry-replay " + trace + " --profile nvidia_h200 --plot " + plot), 0);
  std::ifstream file(plot);
  const std::string svg{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  (void)std::remove(trace.c_str());
  (void)std::remove(plot.c_str());
}

TEST(QuarryReplay, ExitStatusTellsWrongUsageFromFailure) {
  EXPECT_EQ(run("quarry-replay"), 2);
  EXPECT_EQ(run("quarry-replay --generate nothing"), 2);
  EXPECT_EQ(run("quarry-replay --generate flow --profile nothing"), 2);
  EXPECT_EQ(run("quarry-replay /dev/null"), 1);
  EXPECT_EQ(run("quarry-replay --generate resize --plot /nonexistent/plot.svg"), 1);
}

}  // namespace
}  // namespace quarry::bench
