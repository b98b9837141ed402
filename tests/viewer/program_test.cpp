// SPDX-License-Identifier: MIT
// quarry-viewer and quarry-materials as a user runs them: on small materials, on bad ones,
// interrupted, and without a driver. The driver, and the disguise over it, come from the
// environment.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <quarry/trace.hpp>

#include "materials/image_file.hpp"

namespace {

namespace fs = std::filesystem;

struct Finished {
  int exit_code = -1;
  std::string output;
};

/// Runs a shell command line; standard error goes to the output too.
Finished run(const std::string& command) {
  Finished result;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char part[4096];
  while (const std::size_t count = std::fread(part, 1, sizeof part, pipe))
    result.output.append(part, count);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

std::string program(const char* name) {
  return std::string(QUARRY_TEST_BINARY_DIR "/").append(name);
}

class ViewerProgram : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("quarry_viewer_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    const Finished made =
        run(program("quarry-materials") + " --count 4 --size 512 --out " + materials());
    ASSERT_EQ(made.exit_code, 0) << made.output;
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static std::string materials() { return (folder_ / "materials").string(); }
  static std::string out(const char* name) { return (folder_ / name).string(); }
  static std::string headless(const std::string& arguments) {
    return program("quarry-viewer") + " --headless --window-size 320x180 " + arguments;
  }
  static std::string text_of(const fs::path& file) {
    std::ifstream stream(file);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  /// A number at the report's top level; -1 when it is not there.
  static std::int64_t figure(const std::string& report, const std::string& name) {
    std::smatch match;
    const std::regex pattern("\"" + name + "\": *(-?[0-9]+)");
    return std::regex_search(report, match, pattern) ? std::stoll(match[1]) : -1;
  }

  static inline fs::path folder_;
};

TEST_F(ViewerProgram, RecordsWhatItAllocatesAndGivesBack) {
  const std::string trace = out("viewer.trace");
  const Finished seen =
      run(headless("--frames 60 --budget-mib 192 --pictures none --frame-rate 0 --materials " +
                   materials() + " --out " + out("traced") + " --trace " + trace));
  ASSERT_EQ(seen.exit_code, 0) << seen.output;
  const std::string text = text_of(trace);
  auto reader = quarry::TraceReader::create(std::as_bytes(std::span(text)));
  ASSERT_TRUE(reader);
  std::uint64_t frames = 0;
  std::uint64_t made = 0;
  std::uint64_t freed = 0;
  std::uint64_t textures = 0;
  quarry::Tag texture_tag;
  quarry::TraceEvent event;
  auto more = reader->next(event);
  for (; more && *more; more = reader->next(event)) {
    using Kind = quarry::TraceEventKind;
    if (event.kind == Kind::tag && event.name == "textures") texture_tag = event.tag;
    frames += event.kind == Kind::frame ? 1 : 0;
    freed += event.kind == Kind::free ? 1 : 0;
    if (event.kind != Kind::allocate) continue;
    ++made;
    textures += event.tag.index == texture_tag.index ? 1 : 0;
  }
  EXPECT_TRUE(more);
  EXPECT_EQ(frames, 60u);
  EXPECT_GE(textures, 12u) << "three maps of four materials";
  EXPECT_GE(made - textures, 5u) << "attachments, buffers, placeholders";
  EXPECT_GT(freed, 0u) << "coarse mips gave way to fine ones";
  EXPECT_EQ(run(program("quarry-replay") + " " + trace).exit_code, 0);

  const Finished refused = run(headless("--frames 2 --pictures none --materials " + materials() +
                                        " --out " + out("traced") + " --trace /nonexistent/t"));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.output.find("/nonexistent/t"), std::string::npos) << refused.output;
}

TEST_F(ViewerProgram, KeepsTheBudgetInSilenceAndWritesWhatItSaw) {
  // Pictures on the way must not disturb the frames after them.
  const Finished seen = run(
      headless("--validation --hud --frames 160 --budget-mib 192 --pictures 3,20,159 --materials " +
               materials() + " --out " + out("plain")));
  ASSERT_EQ(seen.exit_code, 0) << seen.output;
  const std::string report = text_of(fs::path(out("plain")) / "report.json");
  EXPECT_EQ(figure(report, "frames"), 160) << report.substr(0, 400);
  EXPECT_EQ(figure(report, "materials"), 4);
  EXPECT_EQ(figure(report, "validation_messages"), 0) << seen.output;
  EXPECT_EQ(figure(report, "budget_bytes"), 192 << 20);
  EXPECT_GT(figure(report, "peak_live_bytes"), 0);
  EXPECT_LE(figure(report, "peak_live_bytes"), figure(report, "peak_reserved_bytes"));
  EXPECT_LE(figure(report, "peak_reserved_bytes"), figure(report, "budget_bytes"));
  EXPECT_GT(figure(report, "material_bytes_total"), 0);
  EXPECT_EQ(figure(report, "textures_below_wanted_mip"), 0);
  for (const char* picture : {"frame-000003.png", "frame-000020.png", "frame-000159.png"}) {
    const auto image = quarry::materials::load_image(fs::path(out("plain")) / picture);
    ASSERT_TRUE(image) << picture;
    EXPECT_EQ(image->width(), 320u);
    EXPECT_EQ(image->height(), 180u);
  }
}

TEST_F(ViewerProgram, MovesTexturesWhileTheBudgetFallsAndRises) {
  const std::string many = (folder_ / "many").string();
  ASSERT_EQ(run(program("quarry-materials") + " --count 12 --size 1024 --out " + many).exit_code,
            0);
  const fs::path script = folder_ / "budgets";
  std::ofstream(script) << "# MiB from frames on\n20 44\n90 60\n160 44\n230 60\n";
  const auto show = [&](const std::string& name, const std::string& more) {
    const Finished seen =
        run(headless("--validation --frames 300 --budget-mib 60 "
                     "--pictures 299 --materials " +
                     many + " --out " + out(name.c_str()) + more));
    EXPECT_EQ(seen.exit_code, 0) << seen.output;
    const std::string report = text_of(fs::path(out(name.c_str())) / "report.json");
    EXPECT_EQ(figure(report, "validation_messages"), 0) << seen.output;
    EXPECT_LE(figure(report, "peak_reserved_bytes"), 60 << 20);
    return report;
  };
  (void)show("still", "");
  std::string report;
  // Where everything lies depends on which file was read first.
  for (int i = 0; i < 4 && figure(report, "moves") <= 0; ++i)
    report = show("moving", " --defrag --budget-script " + script.string());
  EXPECT_GT(figure(report, "moves"), 0);
  EXPECT_GT(figure(report, "moved_bytes"), 0);
  const std::regex change("\"frames_above\": *([0-9]+)");
  int changes = 0;
  for (std::sregex_iterator each(report.begin(), report.end(), change), end; each != end; ++each) {
    // How soon a fall is followed depends on the machine; a rise never leaves too much.
    const bool rise = ++changes % 2 == 0;
    EXPECT_TRUE(!rise || std::stoi((*each)[1]) == 0) << "change " << changes;
  }
  EXPECT_EQ(changes, 4);
  const auto still = text_of(fs::path(out("still")) / "frame-000299.png");
  ASSERT_FALSE(still.empty());
  EXPECT_TRUE(still == text_of(fs::path(out("moving")) / "frame-000299.png"));
}

TEST_F(ViewerProgram, OneBadMapLeavesTheRestRunning) {
  const fs::path bad = folder_ / "bad";
  fs::copy(materials(), bad, fs::copy_options::recursive);
  fs::path broken;
  for (const auto& entry : fs::recursive_directory_iterator(bad)) {
    if (entry.path().extension() == ".ktx2") broken = entry.path();
  }
  ASSERT_FALSE(broken.empty());
  fs::resize_file(broken, 100);
  const Finished seen = run(headless("--frames 12 --pictures 11 --materials " + bad.string() +
                                     " --out " + out("bad_out")));
  EXPECT_EQ(seen.exit_code, 0) << seen.output;
  EXPECT_NE(seen.output.find(broken.filename().string()), std::string::npos) << seen.output;
  EXPECT_TRUE(fs::exists(fs::path(out("bad_out")) / "frame-000011.png"));
}

TEST_F(ViewerProgram, SaysWhatIsWrongAndFails) {
  const fs::path empty = folder_ / "empty";
  fs::create_directories(empty);
  const Finished nothing =
      run(headless("--frames 3 --materials " + empty.string() + " --out " + out("x")));
  EXPECT_NE(nothing.exit_code, 0);
  EXPECT_NE(nothing.output.find(empty.string()), std::string::npos) << nothing.output;
  const Finished missing =
      run(headless("--frames 3 --materials /does/not/exist --out " + out("x")));
  EXPECT_NE(missing.exit_code, 0);
  EXPECT_NE(missing.output.find("/does/not/exist"), std::string::npos) << missing.output;
  const Finished option = run(headless("--budget-mib lots"));
  EXPECT_NE(option.exit_code, 0);
  EXPECT_NE(option.output.find("--budget-mib"), std::string::npos) << option.output;
  const Finished device =
      run(headless("--device no-such-device --materials " + materials() + " --out " + out("x")));
  EXPECT_NE(device.exit_code, 0);
  EXPECT_NE(device.output.find("no-such-device"), std::string::npos) << device.output;
}

TEST_F(ViewerProgram, AMissingDriverIsNamed) {
  for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const Finished seen =
        run(std::string("env VK_DRIVER_FILES= ") + variable + "=/does/not/exist.json " +
            headless("--frames 3 --materials " + materials() + " --out " + out("x")));
    EXPECT_NE(seen.exit_code, 0);
    EXPECT_NE(seen.output.find("driver"), std::string::npos) << seen.output;
  }
}

TEST_F(ViewerProgram, AnInterruptEndsItWithAReport) {
  // On a busy machine the first frame may come after the first signal: then there is nothing to
  // report, and the next try waits longer.
  std::string report;
  std::string output;
  for (const char* seconds : {"5", "20", "60"}) {
    const Finished seen =
        run(std::string("timeout --signal=INT ") + seconds + " " +
            headless("--frames 1000000 --frame-rate 30 --pictures none --materials " + materials() +
                     " --out " + out("interrupted")));
    // timeout(1) answers 124 whatever the program ended with.
    EXPECT_EQ(seen.exit_code, 124) << seen.output;
    output = seen.output;
    report = text_of(fs::path(out("interrupted")) / "report.json");
    if (!report.empty()) break;
  }
  EXPECT_GT(figure(report, "frames"), 0) << output;
  EXPECT_NE(report.find("\"interrupted\": true"), std::string::npos);
}

TEST_F(ViewerProgram, AWindowOpensAndCloses) {
  const Finished seen =
      run("xvfb-run -a -s '-screen 0 800x600x24' " + program("quarry-viewer") +
          " --window-size 320x180 --validation --hud --frames 20 --materials " + materials());
  EXPECT_EQ(seen.exit_code, 0) << seen.output;
  EXPECT_EQ(seen.output.find("Validation Error"), std::string::npos) << seen.output;
}

}  // namespace
