// SPDX-License-Identifier: MIT
// --check-lod: draws levels of detail with the GPU and compares them with the estimate.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "viewer/screen_lod.hpp"
#include "viewer/session.hpp"

namespace quarry::viewer {

namespace {

/// Fewer pixels are not worth a mip.
constexpr std::uint32_t kPixelsThatCount = 64;
/// The estimate may ask for this much less detail than the sampler, in levels.
constexpr float kTolerance = 0.25f;

struct Seen {
  std::uint32_t pixels = 0;
  float finest = std::numeric_limits<float>::max();
};

std::vector<Seen> collect(std::span<const std::byte> bytes, std::size_t objects) {
  std::vector<Seen> seen(objects);
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    float value[2];
    std::memcpy(value, bytes.data() + i, sizeof value);
    const auto number = static_cast<std::size_t>(value[0]);
    if (number == 0 || number > objects) continue;
    ++seen[number - 1].pixels;
    seen[number - 1].finest = std::min(seen[number - 1].finest, value[1]);
  }
  return seen;
}

}  // namespace

Outcome<bool> Session::check_lod(const Pose& pose) {
  if (auto warm = warm_up(pose); !warm) return failure(warm.error());
  const AttachmentDesc values{kLodFormat, targets_.extent,
                              VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                              VK_SAMPLE_COUNT_1_BIT, "levels of detail"};
  const AttachmentDesc depths{kDepthFormat, targets_.extent,
                              VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_SAMPLE_COUNT_1_BIT,
                              "depth of levels"};
  auto colour = Attachment::create(*memory_, gpu_->device(), values);
  if (!colour) return failure(colour.error());
  auto depth = Attachment::create(*memory_, gpu_->device(), depths);
  if (!depth) return failure(depth.error());
  auto readback =
      Readback::create(*memory_, VkDeviceSize{8} * targets_.extent.width * targets_.extent.height);
  if (!readback) return failure(readback.error());
  auto commands = setup_.begin();
  if (!commands) return failure(commands.error());
  const bool anisotropic = live_anisotropy_ > 1.0f;
  auto recorded = renderer_->record_lod(*commands, ring_, *colour, *depth,
                                        {view(pose), 0.0f, 0.0f, anisotropic, 0});
  if (!recorded) return failure(recorded.error());
  readback->record(*commands, colour->handle(), targets_.extent);
  if (auto finished = setup_.finish(); !finished) return failure(finished.error());
  auto bytes = readback->read(*memory_);
  if (!bytes) return failure(bytes.error());
  const std::vector<Seen> seen = collect(*bytes, scene_.objects.size());

  bool good = true;
  std::printf("object      pixels  sampler  estimate\n");
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const Object& object = scene_.objects[i];
    if (seen[i].pixels < kPixelsThatCount || object.shape == Shape::ground) continue;
    const std::uint32_t texture = slots_[object.material][0].texture;
    if (texture == MapSlot::kNoTexture || store_->view(texture) == VK_NULL_HANDLE) continue;
    const std::uint32_t level = store_->resident_level(texture);
    const TextureSource& source = store_->source(texture);
    // The sampler counts from the finest mip that is resident.
    const float sampler = seen[i].finest + static_cast<float>(level);
    const SurfaceNeed need = surface_need(object, view(pose), live_anisotropy_);
    const float estimate = need.detail + std::log2(static_cast<float>(source.width(source.finest)));
    // Both ask for the finest mip below 0.
    const bool enough =
        need.visible && std::max(estimate, 0.0f) <= std::max(sampler, 0.0f) + kTolerance;
    std::printf("%-6s %2zu  %8u  %7.2f  %8.2f%s\n", object.shape == Shape::slab ? "slab" : "sphere",
                i, seen[i].pixels, static_cast<double>(sampler), static_cast<double>(estimate),
                enough ? "" : "  too coarse");
    good = good && enough;
  }
  return good;
}

}  // namespace quarry::viewer
