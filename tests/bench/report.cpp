// SPDX-License-Identifier: MIT
#include "bench/report.hpp"

#include <cstdio>
#include <fstream>
#include <thread>

namespace quarry::bench {

namespace {

/// From /proc/cpuinfo; "unknown" where there is none.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  const std::string key = "model name";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

void print_heading(const std::vector<std::string>& command, std::uint64_t seed) {
  std::printf("machine: %s, %u processors\n", processor_name().c_str(),
              std::thread::hardware_concurrency());
#if defined(__clang__)
  std::printf("compiler: clang %s\n", __clang_version__);
#elif defined(__GNUC__)
  std::printf("compiler: g++ %s\n", __VERSION__);
#endif
  std::printf("seed: %llu\ncommand:", static_cast<unsigned long long>(seed));
  for (const std::string& word : command)
    std::printf(" %s", word.c_str());
  std::printf("\n\n");
  std::fflush(stdout);
}

bool write_json(const std::string& path, const Figures& figures) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  std::fputs("{\n", file);
  for (std::size_t i = 0; i < figures.size(); ++i)
    std::fprintf(file, "  \"%s\": %.4f%s\n", figures[i].first.c_str(), figures[i].second,
                 i + 1 < figures.size() ? "," : "");
  std::fputs("}\n", file);
  const bool written = std::ferror(file) == 0;
  return std::fclose(file) == 0 && written;
}

}  // namespace quarry::bench
