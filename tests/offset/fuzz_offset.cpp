// SPDX-License-Identifier: MIT
// Fuzzes the offset algorithms against the interval model. Bytes are read as operations, whatever
// they are, so that every input means something. With QUARRY_LIBFUZZER it is a libFuzzer target;
// otherwise a program of its own that makes its bytes from a seed and runs the same inputs for the
// same seed:  fuzz_offset [--runs N] [--seed S]
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/seed.hpp"
#include "offset/algorithms.hpp"
#include "offset/interval_model.hpp"

namespace quarry::test {
namespace {

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return size_ == 0; }
  std::uint8_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  // A number whose order of magnitude is one byte and whose digits are two more.
  std::uint64_t number(std::uint32_t bits) {
    const std::uint32_t order = byte() % bits;
    const std::uint64_t digits = (std::uint64_t{byte()} << 8) | byte();
    const std::uint64_t top = std::uint64_t{1} << order;
    return top | (order > 16 ? digits << (order - 16) : digits & (top - 1));
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

std::uint64_t seed_of_this_run = 0;

[[noreturn]] void complain(const std::string& complaint) {
  std::fprintf(stderr, "fuzz_offset: %s (--runs 1 --seed %llu)\n", complaint.c_str(),
               static_cast<unsigned long long>(seed_of_this_run));
  std::abort();
}

void require(bool holds, const char* promise) {
  if (!holds) complain(promise);
}

template <class Algorithm>
class Run {
 public:
  explicit Run(Bytes& bytes)
      : bytes_(bytes),
        size_(bytes.number(bytes.byte() % 4 == 0 ? 64 : 20)),
        algorithm_(make<Algorithm>(size_)),
        model_(size_) {}

  void all() {
    while (!bytes_.empty()) {
      step();
      check(model_.compare(algorithm_, Traits<Algorithm>::kMergedRanges));
    }
    while (!model_.live().empty()) {
      free_at(model_.live().begin()->first);
    }
    check(model_.compare(algorithm_, Traits<Algorithm>::kMergedRanges));
  }

 private:
  static void check(const std::string& complaint) {
    if (!complaint.empty()) complain(complaint);
  }

  void step() {
    const std::uint8_t choice = bytes_.byte();
    if (choice < 140) {
      allocate();
    } else if (choice < 240) {
      if (model_.live().empty()) return;
      auto victim = model_.live().begin();
      std::advance(victim, static_cast<std::ptrdiff_t>(bytes_.byte() % model_.live().size()));
      free_at(victim->first);
    } else if (choice < 250) {
      const std::uint64_t wanted = bytes_.number(64);
      const OffsetError error = algorithm_.grow(wanted);
      if (error == OffsetError::none) model_.grow(wanted);
      require(error != OffsetError::none || wanted >= size_, "grew downwards");
      size_ = algorithm_.size();
    } else if (choice < 253) {
      algorithm_.clear();
      model_.clear();
    } else {
      const OffsetHandle handle{bytes_.number(64)};
      bool live = false;
      for (const auto& [offset, interval] : model_.live()) {
        live = live || interval.handle == handle;
      }
      require(static_cast<bool>(algorithm_.info(handle)) == live,
              "a made-up handle was taken for a live one");
    }
  }

  void allocate() {
    OffsetRequest request;
    request.size = bytes_.number(bytes_.byte() % 8 == 0 ? 64 : 14) - 1;
    const std::uint8_t flags = bytes_.byte();
    request.alignment = (flags & 1) != 0 ? 1 : std::uint64_t{1} << (bytes_.byte() % 64);
    request.strategy = static_cast<OffsetStrategy>(flags >> 1 & 3);
    request.upper = (flags & 24) == 24;
    request.user = flags;
    const auto result = algorithm_.allocate(request);
    if (!result) {
      require(result.error() != OffsetError::invalid_argument || request.size == 0,
              "refused good arguments");
      require(!whole_space_fits(request), "refused an empty space that fits");
      return;
    }
    const auto info = algorithm_.info(result->handle);
    require(static_cast<bool>(info), "a new handle is stale");
    check(model_.add(request, *result, info->size));
  }

  bool whole_space_fits(const OffsetRequest& request) const {
    if (!model_.live().empty() || request.size == 0 || request.size > size_) return false;
    if (request.upper) return Traits<Algorithm>::kHasUpper && request.alignment == 1;
    return Traits<Algorithm>::kExactSizes || request.size == size_ / 2;
  }

  void free_at(std::uint64_t offset) {
    const OffsetHandle handle = model_.live().at(offset).handle;
    require(algorithm_.free(handle) == OffsetError::none, "a live handle was refused");
    require(algorithm_.free(handle) == OffsetError::stale_handle, "freed twice");
    model_.remove(offset);
  }

  Bytes& bytes_;
  std::uint64_t size_;
  Algorithm algorithm_;
  IntervalModel model_;
};

void run_one(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  switch (bytes.byte() % 3) {
    case 0:
      Run<Tlsf>(bytes).all();
      break;
    case 1:
      Run<Linear>(bytes).all();
      break;
    default:
      Run<Buddy>(bytes).all();
  }
}

}  // namespace
}  // namespace quarry::test

#ifdef QUARRY_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quarry::test::run_one(data, size);
  return 0;
}

#else

int main(int argc, char** argv) {
  std::uint64_t runs = 1000;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--runs") == 0) runs = std::strtoull(argv[i + 1], nullptr, 0);
    if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoull(argv[i + 1], nullptr, 0);
  }
  for (std::uint64_t run = 0; run < runs; ++run) {
    // Each run has a seed of its own, so that a failing one can be repeated alone.
    quarry::test::seed_of_this_run = seed + run;
    quarry::test::Random random((seed + run) * 0x9E3779B97F4A7C15u);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(random.between(16, 4096)));
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(random.below(256));
    }
    quarry::test::run_one(bytes.data(), bytes.size());
  }
  std::fprintf(stderr, "%llu runs without a complaint\n", static_cast<unsigned long long>(runs));
  return 0;
}

#endif
