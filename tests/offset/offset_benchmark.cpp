// SPDX-License-Identifier: MIT
// What an allocate and a free of a Tlsf cost together, with 10,000 live ranges of which random ones
// are replaced:  offset_benchmark [--case NAME] [--pairs N]
// Prints nanoseconds a pair and bytes of bookkeeping a live range. For instructions run one case
// under callgrind with --toggle-collect='*churn*' and divide what it collected by N; that counts
// the loop around the pair too. Fails when a request is refused. offset_benchmark_inlined is the
// same for InlineTlsf.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/seed.hpp"
#ifdef OFFSET_BENCHMARK_INLINED
#include "offset/inline_tlsf.hpp"
#else
#include <quarry/tlsf.hpp>
#endif

namespace quarry::test {
namespace {

#ifdef OFFSET_BENCHMARK_INLINED
using Algorithm = offset::InlineTlsf;
#else
using Algorithm = Tlsf;
#endif

constexpr std::uint32_t kLive = 10'000;

// Sizes are log-uniform between two powers of two, rounded up to a multiple of `granule`; each has
// an alignment of some power of two in a range.
struct Case {
  const char* name;
  std::uint32_t lowest_size;  // exponents of two
  std::uint32_t highest_size;
  std::uint64_t granule;
  std::uint32_t lowest_alignment;
  std::uint32_t highest_alignment;
};

constexpr Case kCases[] = {
    {"small", 8, 16, 256, 8, 8},       {"small_bytes", 8, 16, 1, 0, 0},
    {"large", 16, 26, 65'536, 16, 16}, {"large_bytes", 16, 26, 1, 0, 0},
    {"alignments", 8, 16, 256, 8, 16},
};

struct Step {
  std::uint32_t victim = 0;
  OffsetRequest request;
};

std::vector<Step> steps_of(const Case& a_case, std::size_t count, Random& random) {
  std::vector<Step> steps(count);
  for (Step& step : steps) {
    const double fraction = static_cast<double>(random.below(1 << 20)) / (1 << 20);
    const double exponent =
        a_case.lowest_size + fraction * (a_case.highest_size - a_case.lowest_size);
    const auto size = static_cast<std::uint64_t>(std::exp2(exponent));
    step.request.size = (size + a_case.granule - 1) / a_case.granule * a_case.granule;
    step.request.alignment = std::uint64_t{1}
                             << random.between(a_case.lowest_alignment, a_case.highest_alignment);
    step.victim = static_cast<std::uint32_t>(random.below(kLive));
  }
  return steps;
}

// Frees one range and allocates another in its place; false when that is refused.
[[gnu::always_inline]] inline bool replace(Algorithm& algorithm, const Step& step,
                                           std::vector<OffsetHandle>& live) {
  OffsetHandle& handle = live[step.victim];
  (void)algorithm.free(handle);
  const auto result = algorithm.allocate(step.request);
  if (result) handle = result->handle;
  return static_cast<bool>(result);
}

// What is measured.
[[gnu::noinline]] bool churn(Algorithm& algorithm, const std::vector<Step>& steps,
                             std::vector<OffsetHandle>& live) {
  bool good = true;
  for (const Step& step : steps) {
    good = replace(algorithm, step, live) && good;
  }
  return good;
}

// Allocates all and replaces each ten times on average.
void warm_up(Algorithm& algorithm, const Case& a_case, Random& random,
             std::vector<OffsetHandle>& live) {
  std::vector<Step> steps = steps_of(a_case, 11 * kLive, random);
  for (std::uint32_t i = 0; i < kLive; ++i) {
    steps[i].victim = i;
  }
  for (const Step& step : steps) {
    (void)replace(algorithm, step, live);
  }
}

struct HostBytes {
  std::size_t bytes = 0;

  HostMemory memory() {
    return {this,
            [](void* user, std::size_t size, std::size_t alignment) noexcept {
              static_cast<HostBytes*>(user)->bytes += size;
              const HostMemory standard = HostMemory::standard();
              return standard.allocate(standard.user, size, alignment);
            },
            [](void*, void* memory) noexcept {
              const HostMemory standard = HostMemory::standard();
              standard.release(standard.user, memory);
            }};
  }
};

// False when a request was refused.
bool run(const Case& a_case, std::size_t pairs) {
  Random random(1);
  const double mean = (std::exp2(a_case.highest_size) - std::exp2(a_case.lowest_size)) /
                      ((a_case.highest_size - a_case.lowest_size) * std::log(2.0));
  HostBytes host;
  Algorithm algorithm(
      TlsfDesc{.size = static_cast<std::uint64_t>(mean * 4 * kLive), .host = host.memory()});
  std::vector<OffsetHandle> live(kLive);
  warm_up(algorithm, a_case, random, live);
  const std::vector<Step> steps = steps_of(a_case, pairs, random);
  const std::uint64_t examined = algorithm.ranges_examined();
  const auto begin = std::chrono::steady_clock::now();
  const bool good = churn(algorithm, steps, live);
  const auto end = std::chrono::steady_clock::now();
  const double count = static_cast<double>(pairs);
  std::printf(
      "%-20s %6.1f ns a pair, %.2f free ranges looked at, %.1f bytes of host memory a live range\n",
      a_case.name, std::chrono::duration<double, std::nano>(end - begin).count() / count,
      static_cast<double>(algorithm.ranges_examined() - examined) / count,
      static_cast<double>(host.bytes) / kLive);
  return good;
}

}  // namespace
}  // namespace quarry::test

int main(int argc, char** argv) {
  std::size_t pairs = 1'000'000;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--pairs") == 0)
      pairs = static_cast<std::size_t>(std::strtoull(argv[i + 1], nullptr, 0));
    if (std::strcmp(argv[i], "--case") == 0) only = argv[i + 1];
  }
  bool any = false;
  bool good = true;
  for (const quarry::test::Case& a_case : quarry::test::kCases) {
    if (!only.empty() && only != a_case.name) continue;
    any = true;
    good = quarry::test::run(a_case, pairs) && good;
  }
  if (!any) std::fprintf(stderr, "offset_benchmark: no case of that name\n");
  if (!good) std::fprintf(stderr, "offset_benchmark: a request was refused\n");
  return any && good ? 0 : 1;
}
