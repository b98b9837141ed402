// SPDX-License-Identifier: MIT
// An allocator over a fake GPU, with everything around it under the test's control: host memory
// that is counted, a clock that stands still, messages that are kept. The end of a rig checks that
// nothing was done wrong and that nothing is left.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <quarry/quarry.hpp>

#include "base/seed.hpp"
#include "fakes/counting_host_callbacks.hpp"
#include "fakes/create_infos.hpp"
#include "fakes/expect.hpp"
#include "fakes/fake_gpu.hpp"

namespace quarry::test {

class Rig {
 public:
  using Change = std::function<void(AllocatorDesc&)>;

  explicit Rig(fakes::FakeProfile profile, const Change& change = {}) : gpu(std::move(profile)) {
    AllocatorDesc desc = description();
    if (change) change(desc);
    auto made = Allocator::create(desc);
    EXPECT_TRUE(made) << (messages.empty() ? "" : messages.front());
    if (made) allocator = std::move(*made);
    gpu.reset_calls();
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;
  ~Rig() { end(); }

  /// What the constructor starts from.
  AllocatorDesc description() {
    AllocatorDesc desc = gpu.allocator_desc();
    desc.host_callbacks = host.callbacks();
    desc.clock = [](void* user) { return static_cast<Rig*>(user)->now; };
    desc.clock_user = this;
    desc.on_message = [](void* user, Severity, const char* text) {
      static_cast<Rig*>(user)->messages.emplace_back(text);
    };
    desc.message_user = this;
    return desc;
  }

  /// Ends the allocator and holds it to account.
  void end() {
    if (!allocator) return;
    allocator = Allocator();
    fakes::expect_clean_end(gpu);
    EXPECT_EQ(host.live_blocks(), 0u);
    EXPECT_TRUE(host.misuse().empty()) << host.misuse().front();
    for (const std::string& message : messages)
      ADD_FAILURE() << "message: " << message;
  }

  std::uint64_t driver_allocations() const { return gpu.calls(fakes::Function::allocate_memory); }

  fakes::CountingHostCallbacks host;
  fakes::FakeGpu gpu;
  std::uint64_t now = 1'000'000;  ///< milliseconds, what the allocator's clock shows
  std::vector<std::string> messages;
  Allocator allocator;
};

/// The error of a result that should have failed.
template <class T>
Reason reason_of(const T& result) {
  return result ? Reason::none : result.error().reason;
}

inline VkMemoryRequirements requirements(VkDeviceSize size, VkDeviceSize alignment = 16,
                                         std::uint32_t type_bits = ~0u) {
  return {size, alignment, type_bits};
}

inline std::string name_of(const testing::TestParamInfo<fakes::FakeProfile>& info) {
  return info.param.name;
}

}  // namespace quarry::test

namespace quarry {

inline void PrintTo(Reason reason, std::ostream* stream) {
  *stream << to_string(reason);
}
inline void PrintTo(Placement placement, std::ostream* stream) {
  *stream << to_string(placement);
}
inline void PrintTo(TypeVerdict verdict, std::ostream* stream) {
  *stream << to_string(verdict);
}
inline void PrintTo(MovableVerdict verdict, std::ostream* stream) {
  *stream << to_string(verdict);
}

namespace fakes {

inline void PrintTo(const FakeProfile& profile, std::ostream* stream) {
  *stream << profile.name;
}

}  // namespace fakes

}  // namespace quarry
