// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::image_info;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Report {
  fakes::CountingHostCallbacks host;
  fakes::FakeGpu gpu{fakes::profiles::discrete()};
  std::vector<std::pair<Severity, std::string>> messages;
  Allocator allocator;

  Report() {
    AllocatorDesc desc = gpu.allocator_desc();
    desc.host_callbacks = host.callbacks();
    desc.on_message = [](void* user, Severity severity, const char* text) {
      static_cast<Report*>(user)->messages.emplace_back(severity, text);
    };
    desc.message_user = this;
    allocator = std::move(*Allocator::create(desc));
    gpu.permit(fakes::Rule::free_while_bound);
  }
  void end() { allocator = Allocator(); }
};

TEST(LeakReport, SaysNothingWhenNothingIsLeft) {
  Report report;
  const auto buffer = report.allocator.create_buffer(buffer_info(100));
  ASSERT_TRUE(buffer);
  ASSERT_TRUE(report.allocator.destroy(*buffer));
  ASSERT_TRUE(report.allocator.create_pool({.memory_type = 1}));
  report.end();
  EXPECT_TRUE(report.messages.empty());
  EXPECT_EQ(report.host.live_blocks(), 0u);
}

TEST(LeakReport, NamesEachSurvivorAndSumsUp) {
  Report report;
  const auto tag = report.allocator.register_tag("sky");
  const auto pool = report.allocator.create_pool({.memory_type = 2, .name = "staging"});
  ASSERT_TRUE(report.allocator.create_buffer(buffer_info(1'024), {.tag = *tag, .name = "dome"}));
  ASSERT_TRUE(report.allocator.create_buffer(buffer_info(2'048),
                                             {.dedicated = Dedicated::always, .name = "alone"}));
  ASSERT_TRUE(report.allocator.create_image(image_info(16, 16), {.movable = true}));
  ASSERT_TRUE(report.allocator.create_buffer(buffer_info(512), {.pool = *pool}));
  report.end();
  ASSERT_EQ(report.messages.size(), 5u);
  for (const auto& [severity, text] : report.messages)
    EXPECT_EQ(severity, Severity::error);
  // Slots of slabs come first, then the others in the order of their making.
  const std::string& dome = report.messages[0].second;
  EXPECT_TRUE(contains(dome, "\"dome\"")) << dome;
  EXPECT_TRUE(contains(dome, "1024 bytes")) << dome;
  EXPECT_TRUE(contains(dome, "sky")) << dome;
  EXPECT_TRUE(contains(dome, "memory type 1")) << dome;
  const std::string& alone = report.messages[1].second;
  EXPECT_TRUE(contains(alone, "\"alone\"") && contains(alone, "dedicated")) << alone;
  EXPECT_TRUE(contains(report.messages[2].second, "(no name)"));
  EXPECT_TRUE(contains(report.messages[3].second, "memory type 2"));
  EXPECT_TRUE(contains(report.messages[4].second, "4 allocations leaked"));
  EXPECT_EQ(report.gpu.live().memories, 0u) << "the memory goes all the same";
  EXPECT_EQ(report.host.live_blocks(), 3u * 1u + 1u)
      << "the driver's own for what was not destroyed";
}

TEST(LeakReport, LongNamesAreCutAndNobodyIsTornApart) {
  Report report;
  const std::string name(2'000, 'x');
  const auto tag = report.allocator.register_tag(std::string(255, 'y'));
  ASSERT_TRUE(tag);
  const auto raw = report.allocator.allocate(requirements(64), ResourceKind::linear,
                                             {.tag = *tag, .name = name.c_str()});
  ASSERT_TRUE(raw);
  report.end();
  ASSERT_EQ(report.messages.size(), 2u);
  EXPECT_TRUE(contains(report.messages[0].second, std::string(200, 'x')));
  EXPECT_TRUE(contains(report.messages[1].second, "1 allocations leaked, 64 bytes"));
  EXPECT_EQ(report.host.live_blocks(), 0u);
}

TEST(LeakReport, WithoutSomebodyToTellTheMemoryGoesQuietly) {
  fakes::CountingHostCallbacks host;
  fakes::FakeGpu gpu(fakes::profiles::discrete());
  AllocatorDesc desc = gpu.allocator_desc();
  desc.host_callbacks = host.callbacks();
  {
    auto allocator = std::move(*Allocator::create(desc));
    ASSERT_TRUE(allocator.allocate(requirements(64), ResourceKind::linear, {.name = "lost"}));
  }
  fakes::expect_clean_end(gpu);
  EXPECT_EQ(host.live_blocks(), 0u);
}

}  // namespace
}  // namespace quarry::test
