// SPDX-License-Identifier: MIT
// Parses the command line with CLI11.
#include "viewer/options.hpp"

#include <algorithm>
#include <cstdio>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace quarry::viewer {

namespace {

constexpr std::uint32_t kLargestPicture = 16384;

/// "1280x720" into the two options; an explanation if it is not one.
std::string read_size(const std::string& text, Options& options) {
  unsigned width = 0;
  unsigned height = 0;
  int end = 0;
  if (std::sscanf(text.c_str(), "%5ux%5u%n", &width, &height, &end) != 2 ||
      static_cast<std::size_t>(end) != text.size() || width < 16 || height < 16 ||
      width > kLargestPicture || height > kLargestPicture) {
    return "--window-size: '" + text + "' is not WIDTHxHEIGHT with 16 to 16384 pixels each";
  }
  options.width = width;
  options.height = height;
  return {};
}

int usage_error(const std::string& text) {
  (void)std::fprintf(stderr, "quarry-viewer: %s\nRun with --help for more information.\n",
                     text.c_str());
  return kExitUsage;
}

}  // namespace

std::variant<Options, int> parse_options(int argc, const char* const* argv) {
  Options options;
  std::string size;
  std::string camera = "fly";
  std::filesystem::path budget_script;
  CLI::App app("Shows many 8K PBR materials with less memory than they need.", "quarry-viewer");
  app.add_option("--materials", options.materials,
                 "Folder with one folder or file-name prefix a material");
  app.add_option("--cache", options.cache, "Folder for converted image files")->type_name("DIR");
  app.add_flag("--headless", options.headless,
               "Write pictures and report.json instead of opening a window");
  app.add_option("--frames", options.frames,
                 "Frames to draw (headless: 300; window: until it is closed)")
      ->check(CLI::Range(1u, 1'000'000u));
  app.add_option("--out", options.out, "Folder for pictures and report.json")->type_name("DIR");
  app.add_option("--pictures", options.pictures,
                 "Frames to write as PNG, as 10,99,299; 'none' writes none")
      ->delimiter(',')
      ->transform(CLI::Transformer({{"none", "4294967295"}}));
  app.add_option("--budget-mib", options.budget_mib,
                 "Device memory to live within (default: 3/4 of what is free)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 24));
  app.add_option("--budget-script", budget_script,
                 "Budgets that begin while it runs: lines of FRAME MIB")
      ->type_name("FILE");
  app.add_option("--window-size", size,
                 "WIDTHxHEIGHT (default: 960x540 on a CPU device, else 1920x1080)");
  app.add_option("--anisotropy", options.anisotropy,
                 "Samples at most (default: 1 on a CPU device but in pictures, else 16)")
      ->check(CLI::Range(1.0f, 16.0f));
  app.add_option("--frame-rate", options.frame_rate,
                 "Headless frames a second at most; 0: no limit")
      ->check(CLI::Range(0.0, 10000.0));
  app.add_option("--camera", camera, "fly, orbit or fixed")
      ->check(CLI::IsMember({"fly", "orbit", "fixed"}));
  app.add_option("--seed", options.seed, "Number that the layout of the field comes from");
  app.add_option("--device", options.device, "Index or part of the name of the Vulkan device");
  app.add_option("--trace", options.trace, "Record the allocations into a file for quarry-replay")
      ->type_name("FILE");
  app.add_flag("--list-devices", options.list_devices, "List the Vulkan devices and end");
  app.add_flag("--validation", options.validation,
               "Run under the Khronos validation layer and count its messages");
  app.add_flag("--hud", options.hud, "Show the memory display (F1 toggles it in the window)");
  app.add_flag("--defrag", options.defrag,
               "Move textures out of sparse blocks while frames are drawn");
  app.add_flag("--check-lod", options.check_lod,
               "Compare the mips that are asked for with what the GPU would sample, and end");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? kExitOk : kExitUsage;
  }
  if (!size.empty()) {
    if (const std::string problem = read_size(size, options); !problem.empty()) {
      return usage_error(problem);
    }
  }
  if (!budget_script.empty()) {
    auto script = BudgetScript::read(budget_script);
    if (!script) return usage_error("--budget-script: " + script.error());
    options.budget_script = std::move(*script);
  }
  options.camera = *camera_mode(camera);
  options.pictures_given = app.count("--pictures") > 0;
  if (options.materials.empty() && !options.list_devices) {
    return usage_error("--materials DIR is needed (quarry-materials makes a set)");
  }
  return options;
}

std::vector<std::uint32_t> default_pictures(std::uint32_t total) {
  if (total < 3) return {total - 1};
  const std::uint32_t moving = moving_frames(total);
  return {moving / 3, moving * 2 / 3, total - 1};
}

}  // namespace quarry::viewer
