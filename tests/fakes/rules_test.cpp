// SPDX-License-Identifier: MIT
// Each rule of the oracle has a deliberate breach, and is the only one that it breaks.
#include "fakes/rules.hpp"

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fakes/breaches.hpp"

namespace quarry::fakes {
namespace {

std::vector<Breach> all_breaches() {
  std::vector<Breach> all;
  for (auto* part : {call_breaches, memory_breaches, mapping_breaches, resource_breaches,
                     bind_breaches, lifetime_breaches, command_breaches, image_command_breaches}) {
    for (Breach& breach : part())
      all.push_back(std::move(breach));
  }
  return all;
}

TEST(Rules, AreIndexedByTheirNumber) {
  for (std::size_t i = 0; i < rules().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(rules()[i].rule), i) << rules()[i].id;
  }
}

TEST(Rules, EachHasADeliberateBreach) {
  std::set<Rule> broken;
  for (const Breach& breach : all_breaches())
    broken.insert(breach.rule);
  for (const RuleText& rule : rules())
    EXPECT_TRUE(broken.contains(rule.rule)) << rule.id;
}

TEST(Rules, EachBreachIsCaughtAsThatRuleAndNoOther) {
  for (const Breach& breach : all_breaches()) {
    Bench bench(breach.profile);
    breach.deed(bench);
    bool caught = false;
    for (const Violation& violation : bench.gpu.violations()) {
      caught |= violation.rule == breach.rule;
      EXPECT_EQ(violation.rule, breach.rule)
          << "breach of " << text_of(breach.rule).id << " reported as " << to_string(violation);
    }
    EXPECT_TRUE(caught) << text_of(breach.rule).id;
  }
}

TEST(Rules, APermittedRuleIsNotRecorded) {
  Bench bench(profiles::discrete());
  bench.gpu.permit(Rule::create_size_zero);
  bench.buffer(0);
  EXPECT_TRUE(bench.gpu.violations().empty());
}

}  // namespace
}  // namespace quarry::fakes
