// SPDX-License-Identifier: MIT
#include "viewer/budget_script.hpp"

#include <gtest/gtest.h>

namespace quarry::viewer {
namespace {

TEST(BudgetScript, SaysWhichBudgetBeginsWithAFrame) {
  const auto script = BudgetScript::parse("# halved, and back\n\n  60 8192 # down\r\n240\t16384");
  ASSERT_TRUE(script) << script.error();
  EXPECT_EQ(script->size(), 2u);
  EXPECT_EQ(script->change_at(59), std::nullopt);
  EXPECT_EQ(script->change_at(60), 8192u);
  EXPECT_EQ(script->change_at(61), std::nullopt);
  EXPECT_EQ(script->change_at(240), 16384u);
  EXPECT_EQ(script->change_at(241), std::nullopt);
}

TEST(BudgetScript, NothingChangesNothing) {
  const auto script = BudgetScript::parse("\n# none\n");
  ASSERT_TRUE(script);
  EXPECT_EQ(script->size(), 0u);
  EXPECT_EQ(script->change_at(0), std::nullopt);
}

TEST(BudgetScript, NamesTheLineThatIsNone) {
  for (const char* bad : {"x", "1", "1 2 3", "1 -2", "-1 2", "1 0", "1 16777217", "1 2x", "1.5 2",
                          "1 99999999999999999999"}) {
    const auto script = BudgetScript::parse(std::string("0 5\n") + bad + "\n");
    ASSERT_FALSE(script) << bad;
    EXPECT_NE(script.error().find("line 2"), std::string::npos) << script.error();
  }
  const auto back = BudgetScript::parse("5 1\n5 2");
  ASSERT_FALSE(back);
  EXPECT_NE(back.error().find("line 2"), std::string::npos);
}

TEST(BudgetScript, AFileThatIsNotThereIsNamed) {
  const auto script = BudgetScript::read("/nonexistent/script");
  ASSERT_FALSE(script);
  EXPECT_NE(script.error().find("/nonexistent/script"), std::string::npos);
}

}  // namespace
}  // namespace quarry::viewer
