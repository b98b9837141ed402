// SPDX-License-Identifier: MIT
// Every rule, on the project as it lies on the disk.
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "structure/rules.hpp"

namespace quarry::structure {
namespace {

struct NamedRule {
  const char* name;
  Rule rule;
};

void PrintTo(const NamedRule& named, std::ostream* out) {
  *out << named.name;
}

class Tree : public testing::TestWithParam<NamedRule> {};

TEST_P(Tree, KeepsTheRule) {
  const SourceTree tree = read_tree(QUARRY_TEST_SOURCE_DIR);
  ASSERT_GT(tree.size(), 20u) << "the project was not found";
  for (const Breach& breach : GetParam().rule(tree)) {
    ADD_FAILURE() << breach.path << ":" << breach.line << ": " << breach.what;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , Tree,
    testing::Values(NamedRule{"IncludesPointOneWay", includes_point_one_way},
                    NamedRule{"CoreKnowsNoVulkan", core_knows_no_vulkan},
                    NamedRule{"VolkStaysInItsAdapter", volk_stays_in_its_adapter},
                    NamedRule{"ProgramsUsePublicHeaders", programs_use_public_headers},
                    NamedRule{"IncludesHaveNoCycle", includes_have_no_cycle},
                    NamedRule{"UmbrellaIsComplete", umbrella_is_complete},
                    NamedRule{"HostMemoryGoesThroughCallbacks", host_memory_goes_through_callbacks},
                    NamedRule{"FilesAreShort", files_are_short},
                    NamedRule{"LicenceLineIsFirst", licence_line_is_first},
                    NamedRule{"HeadersAreGuarded", headers_are_guarded},
                    NamedRule{"CMakeListsFiles", cmake_lists_files},
                    NamedRule{"NothingIsLeftForLater", nothing_is_left_for_later}),
    [](const testing::TestParamInfo<NamedRule>& named) { return std::string(named.param.name); });

}  // namespace
}  // namespace quarry::structure
