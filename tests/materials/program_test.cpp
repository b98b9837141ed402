// SPDX-License-Identifier: MIT
// quarry-materials as a user runs it.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "materials/image_file.hpp"
#include "materials/material_set.hpp"
#include "materials/temporary_folder.hpp"

namespace quarry::materials {
namespace {

using testing::TemporaryFolder;

class Program : public ::testing::Test {
 protected:
  int run(const std::string& arguments) {
    const std::string command = std::string("\"") + QUARRY_TEST_BINARY_DIR "/quarry-materials\" " +
                                arguments + " >" + (log_ / "out").string() + " 2>" +
                                (log_ / "err").string();
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string out() const { return testing::read_file(log_ / "out"); }
  std::string err() const { return testing::read_file(log_ / "err"); }

  TemporaryFolder log_;
  TemporaryFolder folder_;
  std::string set_ = (folder_ / "set").string();
};

TEST_F(Program, WritesASetOnceAndLeavesItAlone) {
  ASSERT_EQ(run("--out " + set_ + " --count 3 --size 64"), 0) << err();
  EXPECT_EQ(scan_materials(set_)->materials.size(), 3u);
  const auto some_file = scan_materials(set_)->materials[1].map(MapKind::normal).main;
  const auto old = std::filesystem::last_write_time(some_file) - std::chrono::hours(1);
  std::filesystem::last_write_time(some_file, old);

  ASSERT_EQ(run("--out " + set_ + " --count 3 --size 64"), 0);
  EXPECT_NE(out().find("there already"), std::string::npos);
  EXPECT_EQ(std::filesystem::last_write_time(some_file), old);

  ASSERT_EQ(run("--out " + set_ + " --count 3 --size 64 --force"), 0);
  EXPECT_NE(std::filesystem::last_write_time(some_file), old);
}

TEST_F(Program, GoesOnWhereASetIsIncomplete) {
  ASSERT_EQ(run("--out " + set_ + " --count 2 --size 64"), 0) << err();
  const auto materials = scan_materials(set_)->materials;
  const auto kept = materials[0].map(MapKind::albedo).main;
  const auto old = std::filesystem::last_write_time(kept) - std::chrono::hours(1);
  std::filesystem::last_write_time(kept, old);
  std::filesystem::resize_file(materials[1].map(MapKind::albedo).main, 99);
  ASSERT_EQ(run("--out " + set_ + " --count 2 --size 64"), 0);
  EXPECT_NE(out().find("1 of 2"), std::string::npos);
  EXPECT_EQ(std::filesystem::last_write_time(kept), old);
}

TEST_F(Program, DrawsAContactSheet) {
  const std::string sheet = (folder_ / "sheet.png").string();
  ASSERT_EQ(run("--out " + set_ + " --count 2 --size 64 --bc7 --preview " + sheet), 0) << err();
  const auto info = inspect_image(sheet);
  ASSERT_TRUE(info) << info.error().to_string();
  EXPECT_EQ(info->width, 1280u);
  EXPECT_EQ(info->height, 512u);
  EXPECT_EQ(run("--preview-of " + set_ + " --preview " + sheet), 0);
}

TEST_F(Program, WrongUsageIs2AndFailureIs1) {
  EXPECT_EQ(run("--size 100"), 2);
  EXPECT_EQ(run("--size 8193"), 2);
  EXPECT_EQ(run("--count 0"), 2);
  EXPECT_EQ(run("--nonsense"), 2);
  EXPECT_EQ(run("--help"), 0);
  testing::write_file(folder_ / "file", "in the way");
  EXPECT_EQ(run("--size 64 --out " + (folder_ / "file").string() + "/set"), 1);
  EXPECT_NE(err().find("cannot be made"), std::string::npos);
  EXPECT_EQ(run("--preview-of " + (folder_ / "none").string() + " --preview " +
                (folder_ / "p.png").string()),
            1);
  EXPECT_NE(err().find("does not exist"), std::string::npos);
}

/// A file-size limit stands in for a full disk.
TEST_F(Program, AFullDiskIsAClearErrorWithoutHalfFiles) {
  const std::string command = "sh -c 'trap \"\" XFSZ; ulimit -f 8; exec \"" QUARRY_TEST_BINARY_DIR
                              "/quarry-materials\" --count 1 --size 256 --out " +
                              set_ + "' 2>" + (log_ / "err").string() + " >/dev/null";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_NE(err().find("albedo.ktx2: cannot be written"), std::string::npos) << err();
  EXPECT_EQ(folder_.file_count(), 0u);
}

}  // namespace
}  // namespace quarry::materials
