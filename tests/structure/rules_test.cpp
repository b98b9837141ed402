// SPDX-License-Identifier: MIT
// Every rule finds a deliberate breach, and leaves the nearest innocent neighbour alone.
#include "structure/rules.hpp"

#include <string>

#include <gtest/gtest.h>

namespace quarry::structure {
namespace {

std::string found(const std::vector<Breach>& breaches) {
  std::string text;
  for (const Breach& breach : breaches) {
    if (!text.empty()) text += ' ';
    text += breach.path + ":" + std::to_string(breach.line);
  }
  return text;
}

TEST(IncludesPointOneWay, FindsALowerLayerThatIncludesAHigher) {
  const SourceTree tree = {
      make_file("src/base/a.hpp", "#include \"heap/core.hpp\"\n"),
      make_file("src/heap/core.cpp", "#include \"base/a.hpp\"\n#include \"heap/core.hpp\"\n"),
      make_file("src/memory/b.cpp", "// x\n  #  include \"heap/core.hpp\"\n"),
      make_file("src/volk/v.cpp", "#include \"device/table.hpp\"\n"),
  };
  EXPECT_EQ(found(includes_point_one_way(tree)),
            "src/base/a.hpp:1 src/memory/b.cpp:2 src/volk/v.cpp:1");
}

TEST(IncludesPointOneWay, FindsAnUnknownFolderAndAClimbingPath) {
  const SourceTree tree = {
      make_file("src/base/a.hpp", "#include \"../heap/core.hpp\"\n"),
      make_file("src/extra/a.hpp", "int x;\n"),
  };
  EXPECT_EQ(found(includes_point_one_way(tree)), "src/base/a.hpp:1 src/extra/a.hpp:0");
}

TEST(CoreKnowsNoVulkan, FindsADirectAndAnIndirectInclude) {
  const SourceTree tree = {
      make_file("include/quarry/clean.hpp", "#include <cstdint>\n"),
      make_file("include/quarry/result.hpp", "#include <vulkan/vulkan_core.h>\n"),
      make_file("src/base/direct.hpp", "#include <vulkan/vulkan.h>\n"),
      make_file("src/offset/innocent.cpp", "#include <quarry/clean.hpp>\n"),
      make_file("src/plan/indirect.cpp", "#include <quarry/result.hpp>\n"),
      make_file("src/device/allowed.cpp", "#include <quarry/result.hpp>\n"),
  };
  EXPECT_EQ(found(core_knows_no_vulkan(tree)), "src/base/direct.hpp:0 src/plan/indirect.cpp:0");
}

TEST(VolkStaysInItsAdapter, FindsVolkElsewhereInTheLibrary) {
  const SourceTree tree = {
      make_file("include/quarry/x.hpp", "#include <volk/volk.h>\n"),
      make_file("samples/viewer/x.cpp", "#include <volk.h>\n"),
      make_file("src/device/x.cpp", "#include <quarry/volk.hpp>\n#include <volk.h>\n"),
      make_file("src/volk/x.cpp", "#include <volk.h>\n"),
  };
  EXPECT_EQ(found(volk_stays_in_its_adapter(tree)), "include/quarry/x.hpp:1 src/device/x.cpp:2");
}

TEST(ProgramsUsePublicHeaders, FindsAnInternalHeaderInASample) {
  const SourceTree tree = {
      make_file("include/quarry/x.hpp", "#include \"base/bits.hpp\"\n"),
      make_file("samples/viewer/device/x.hpp", "\n"),
      make_file("samples/viewer/x.cpp", "#include \"device/x.hpp\"\n#include \"heap/core.hpp\"\n"),
      make_file("src/hud/x.cpp", "#include \"hud/x.hpp\"\n#include \"observe/text.hpp\"\n"),
      make_file("tools/x.cpp", "#include <quarry/quarry.hpp>\n#include \"src/heap/core.hpp\"\n"),
  };
  EXPECT_EQ(found(programs_use_public_headers(tree)),
            "include/quarry/x.hpp:1 samples/viewer/x.cpp:2 src/hud/x.cpp:2 tools/x.cpp:2");
}

TEST(IncludesHaveNoCycle, FindsOne) {
  const SourceTree tree = {
      make_file("src/base/a.hpp", "#include \"base/b.hpp\"\n#include \"base/d.hpp\"\n"),
      make_file("src/base/b.hpp", "#include \"base/c.hpp\"\n#include \"base/d.hpp\"\n"),
      make_file("src/base/c.hpp", "\n#include \"base/a.hpp\"\n"),
      make_file("src/base/d.hpp", "#include <vector>\n"),
  };
  EXPECT_EQ(found(includes_have_no_cycle(tree)), "src/base/c.hpp:2");
}

TEST(UmbrellaIsComplete, FindsAMissingHeader) {
  const SourceTree tree = {
      make_file("include/quarry/detail/inner.hpp", "\n"),
      make_file("include/quarry/pool.hpp", "\n"),
      make_file("include/quarry/quarry.hpp", "#include <quarry/pool.hpp>\n"),
      make_file("include/quarry/tlsf.hpp", "\n"),
      make_file("include/quarry/volk.hpp", "\n"),
  };
  EXPECT_EQ(found(umbrella_is_complete(tree)), "include/quarry/tlsf.hpp:0");
}

TEST(HostMemoryGoesThroughCallbacks, FindsContainersAndTheFreeStore) {
  const SourceTree tree = {
      make_file("src/base/a.cpp", "#include <vector>\n"),
      make_file("src/heap/b.cpp", "int* p = new int;\ndelete p;\nx = new (std::nothrow) X;\n"),
      make_file("src/heap/c.cpp",
                "auto p = std::make_unique<int>(3);\nvoid* q = std::malloc(3);\n"),
      make_file(
          "src/heap/innocent.cpp",
          "// a new block\n::new (memory) Block();\nX(const X&) = delete;\n"
          "log(\"new block\"); /* new block\nnew block */ int renew;\nlimit(20'000); // new x\n"),
      make_file("src/observe/d.cpp", "#include <vector>\n"),
  };
  EXPECT_EQ(found(host_memory_goes_through_callbacks(tree)),
            "src/base/a.cpp:1 src/heap/b.cpp:1 src/heap/b.cpp:2 src/heap/b.cpp:3 src/heap/c.cpp:1 "
            "src/heap/c.cpp:2");
}

TEST(FilesAreShort, FindsTheFirstLineTooMany) {
  std::string text;
  for (int i = 0; i < 500; ++i)
    text += "\n";
  const SourceTree tree = {
      make_file("src/base/longest.cpp", text),
      make_file("src/base/too_long.cpp", text + "\n"),
      make_file("tests/data.txt", text + "\n"),
  };
  EXPECT_EQ(found(files_are_short(tree)), "src/base/too_long.cpp:0");
}

TEST(LicenceLineIsFirst, FindsFilesWithoutIt) {
  const SourceTree tree = {
      make_file("CMakeLists.txt", "# SPDX-License-Identifier: MIT\n"),
      make_file("shaders/a.frag", "#version 450\n"),
      make_file("src/base/a.cpp", "// SPDX-License-Identifier: MIT\n"),
      make_file("src/base/b.cpp", "\n// SPDX-License-Identifier: MIT\n"),
      make_file("src/base/c.h", "/* SPDX-License-Identifier: MIT */\n"),
      make_file("src/base/empty.cpp", ""),
      make_file("tools/a.sh", "#!/bin/bash\n# SPDX-License-Identifier: MIT\n"),
      make_file("tools/b.sh", "#!/bin/bash\nset -e\n"),
  };
  EXPECT_EQ(found(licence_line_is_first(tree)),
            "shaders/a.frag:1 src/base/b.cpp:1 src/base/empty.cpp:1 tools/b.sh:2");
}

TEST(HeadersAreGuarded, FindsAHeaderWithoutPragmaOnce) {
  const SourceTree tree = {
      make_file("src/base/a.hpp", "// x\n#pragma once\n"),
      make_file("src/base/b.cpp", "\n"),
      make_file("src/base/b.hpp", "// #pragma once\n"),
  };
  EXPECT_EQ(found(headers_are_guarded(tree)), "src/base/b.hpp:0");
}

TEST(CMakeListsFiles, FindsAGlob) {
  const std::string glob = std::string("fi") + "le( GLOB sources *.cpp)\n";
  const SourceTree tree = {
      make_file("src/CMakeLists.txt", "# sources\n" + glob),
      make_file("tests/x/check_script.cmake", glob),
      make_file("cmake/Other.cmake", "aux_source_directory(. sources)\n"),
  };
  EXPECT_EQ(found(cmake_lists_files(tree)), "src/CMakeLists.txt:2 cmake/Other.cmake:1");
}

TEST(NothingIsLeftForLater, FindsMarksAndVagueNames) {
  const std::string mark = std::string("// TO") + "DO: later\n";
  const SourceTree tree = {
      make_file("src/base/a.cpp", "int HACKED;\n" + mark),
      make_file("src/base/commonest.cpp", "int todo;\n"),
      make_file("src/base/string_utils.hpp", "\n"),
      make_file("src/common/a.hpp", "\n"),
  };
  EXPECT_EQ(found(nothing_is_left_for_later(tree)),
            "src/base/a.cpp:2 src/base/string_utils.hpp:0 src/common/a.hpp:0");
}

}  // namespace
}  // namespace quarry::structure
