// SPDX-License-Identifier: MIT
// quarry-materials: writes a set of procedural PBR materials as KTX2, the viewer's default input,
// and draws contact sheets of any material folder. Exit status: 0 done, 1 failed, 2 wrong usage.
#include <bit>
#include <csignal>
#include <cstdio>
#include <exception>
#include <future>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include "materials/contact_sheet.hpp"
#include "materials/png_file.hpp"
#include "materials/prepared_material.hpp"
#include "materials/procedural/set_writer.hpp"
#include "materials/progress_bar.hpp"

namespace quarry::materials {
namespace {

struct Options {
  std::filesystem::path out = "materials";
  std::size_t count = 8;
  std::uint32_t seed = 1;
  RenderOptions render;
  bool force = false;
  std::filesystem::path preview;
  std::filesystem::path preview_of;
};

volatile std::sig_atomic_t g_interrupted = 0;

int fail(const Problem& problem) {
  std::fprintf(stderr, "quarry-materials: %s\n", problem.to_string().c_str());
  return 1;
}

double mebibytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1024.0 * 1024.0);
}

/// A full disk is better known before the first file than after the last.
Status check_space(const Options& options, std::size_t missing) {
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  if (error) return Unexpected(Problem{options.out, "cannot be made: " + error.message()});
  const std::filesystem::space_info space = std::filesystem::space(options.out, error);
  const std::uint64_t needed = material_bytes(options.render) * missing;
  if (!error && space.available < needed)
    return Unexpected(Problem{options.out, "has " + std::to_string(space.available >> 20) +
                                               " MiB of disk space left where " +
                                               std::to_string(needed >> 20) + " MiB are needed"});
  return {};
}

/// Renders one material while the one before it is being written.
Status make_set(const Options& options, const std::vector<ProceduralMaterial>& missing) {
  ProgressBar bar;
  std::future<Status> writing;
  for (std::size_t i = 0; i < missing.size() && g_interrupted == 0; ++i) {
    const ProceduralMaterial& material = missing[i];
    RenderOptions render = options.render;
    render.progress = [&](double done) {
      bar.show((static_cast<double>(i) + done) / static_cast<double>(missing.size()),
               material.name);
    };
    std::vector<TextureChain> maps = render_material(material, render);
    if (writing.valid())
      if (Status status = writing.get(); !status) return status;
    writing = std::async(std::launch::async, [&options, &material, rendered = std::move(maps)] {
      return write_material(options.out, material, rendered);
    });
  }
  Status status = writing.valid() ? writing.get() : Status();
  bar.finish();
  if (status && g_interrupted != 0)
    return Unexpected(Problem{options.out, "was not completed: interrupted; run again to go on"});
  return status;
}

int generate(const Options& options) {
  std::vector<ProceduralMaterial> missing = procedural_materials(options.count, options.seed);
  if (!options.force)
    std::erase_if(missing, [&](const ProceduralMaterial& material) {
      return is_written(options.out, material, options.render);
    });
  if (missing.empty()) {
    std::printf("%s: %zu materials are there already\n", options.out.c_str(), options.count);
    return 0;
  }
  std::printf("%s: writing %zu of %zu materials, %ux%u, %.0f MiB\n", options.out.c_str(),
              missing.size(), options.count, options.render.size, options.render.size,
              mebibytes(material_bytes(options.render) * missing.size()));
  std::fflush(stdout);
  Status status = check_space(options, missing.size());
  if (status) status = make_set(options, missing);
  return status ? 0 : fail(status.error());
}

int draw_preview(const std::filesystem::path& folder, const Options& options) {
  auto set = scan_materials(folder);
  if (!set) return fail(set.error());
  for (const Problem& problem : set->problems)
    std::fprintf(stderr, "quarry-materials: %s\n", problem.to_string().c_str());
  ProgressBar bar;
  PrepareOptions prepare;
  prepare.cache_folder = default_cache_folder();
  prepare.threads = options.render.threads;
  prepare.progress = [&](std::size_t done, std::size_t total, const std::string& what) {
    bar.show(static_cast<double>(done) / static_cast<double>(total), what);
  };
  const std::vector<PreparedMaterial> materials = prepare_materials(set->materials, prepare);
  bar.finish();
  for (const PreparedMaterial& material : materials)
    for (const PreparedMap& map : material.maps)
      if (map.problem)
        std::fprintf(stderr, "quarry-materials: %s\n", map.problem->to_string().c_str());
  if (Status status = write_png(options.preview, contact_sheet(materials)); !status)
    return fail(status.error());
  std::printf("%s: a row for each of %zu materials\n", options.preview.c_str(), materials.size());
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app{
      "Writes procedural PBR materials as KTX2 (albedo, normal, occlusion-roughness-metalness)"};
  Options options;
  app.add_option("--out", options.out, "Folder of the set")->capture_default_str();
  app.add_option("--count", options.count, "Materials")
      ->capture_default_str()
      ->check(CLI::Range(1, 999));
  app.add_option("--size", options.render.size, "Width and height, a power of two from 64 to 16384")
      ->capture_default_str()
      ->check([](const std::string& text) {
        const unsigned long size = std::strtoul(text.c_str(), nullptr, 10);
        const bool good = size >= 64 && size <= kLargestExtent && std::has_single_bit(size);
        return good ? std::string() : "must be a power of two from 64 to 16384";
      });
  app.add_option("--seed", options.seed, "Another seed, another set")->capture_default_str();
  app.add_option("--threads", options.render.threads, "Worker threads (0: one for each core)")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  app.add_flag("--bc7", options.render.bc7, "Albedo and surface as BC7: better and twice as large");
  app.add_flag("--force", options.force, "Write what is there already again");
  app.add_option("--preview", options.preview, "Write a contact sheet of the set as PNG");
  app.add_option("--preview-of", options.preview_of,
                 "Write nothing; draw the contact sheet of this folder's materials instead")
      ->needs("--preview");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  std::signal(SIGINT, [](int) { g_interrupted = 1; });
  std::signal(SIGTERM, [](int) { g_interrupted = 1; });
  if (!options.preview_of.empty()) return draw_preview(options.preview_of, options);
  const int status = generate(options);
  return status == 0 && !options.preview.empty() ? draw_preview(options.out, options) : status;
}

}  // namespace
}  // namespace quarry::materials

int main(int argc, char** argv) {
  try {
    return quarry::materials::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quarry-materials: %s\n", error.what());
    return 1;
  }
}
