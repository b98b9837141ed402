// SPDX-License-Identifier: MIT
// Google Benchmark's main, which also prints the command and the seed.
#include <string>

#include <benchmark/benchmark.h>

int main(int argc, char** argv) {
  std::string command;
  for (int i = 0; i < argc; ++i)
    command += (i == 0 ? "" : " ") + std::string(argv[i]);
  benchmark::AddCustomContext("command", command);
  benchmark::AddCustomContext("seed", "1");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
