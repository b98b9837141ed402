// SPDX-License-Identifier: MIT
// How a session comes about, and how it ends.
#include <algorithm>
#include <cstdio>
#include <thread>

#include "viewer/session.hpp"

namespace quarry::viewer {

namespace {

constexpr VkExtent2D kCpuExtent{960, 540};
constexpr VkExtent2D kGpuExtent{1920, 1080};

std::uint32_t loader_threads() {
  return std::clamp(std::thread::hardware_concurrency() / 2, 2u, 4u);
}

/// Staging takes part in the budget: a sixteenth of it, all lanes together. It bounds what can be
/// uploaded while the GPU is busy with one frame.
std::uint64_t staging_bytes(std::uint64_t budget, std::uint32_t lanes) {
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  return std::clamp(budget / 16 / lanes, 4 * kMebibyte, 32 * kMebibyte) / kMebibyte * kMebibyte;
}

VkSampleCountFlagBits sample_count(const DeviceFacts& facts) {
  const VkSampleCountFlags both = facts.properties.limits.framebufferColorSampleCounts &
                                  facts.properties.limits.framebufferDepthSampleCounts;
  return !facts.is_cpu() && (both & VK_SAMPLE_COUNT_4_BIT) != 0 ? VK_SAMPLE_COUNT_4_BIT
                                                                : VK_SAMPLE_COUNT_1_BIT;
}

}  // namespace

Outcome<std::unique_ptr<Session>> Session::create(const Options& options, Presenter* presenter) {
  auto session = std::make_unique<Session>();
  Outcome<void> step = session->open_device(options, presenter);
  if (step) step = session->make_contents(options);
  if (!step) return failure(step.error());
  return session;
}

Outcome<void> Session::open_device(const Options& options, Presenter* presenter) {
  const bool windowed = presenter != nullptr;
  auto instance = Instance::create(
      options.validation, windowed ? presenter->instance_extensions() : std::vector<std::string>{});
  if (!instance) return failure(instance.error());
  instance_ = std::move(*instance);
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  if (windowed) {
    auto made = presenter->surface(instance_->handle());
    if (!made) return failure(made.error());
    surface = *made;
  }
  auto devices = instance_->devices();
  if (!devices) return failure(devices.error());
  auto chosen = choose_device(*devices, options.device, surface);
  if (!chosen) return failure(chosen.error());
  auto gpu = Gpu::open(*chosen, windowed);
  if (!gpu) return failure(gpu.error());
  gpu_ = std::move(*gpu);
  report_.device = gpu_->facts().properties.deviceName;
  report_.validation = options.validation;
  if (options.validation) {
    if (auto proven = instance_->validation()->prove(gpu_->device()); !proven) return proven;
  }
  const bool cpu = gpu_->facts().is_cpu();
  const float offered = gpu_->facts().anisotropy;
  picture_anisotropy_ = std::min(options.anisotropy.value_or(16.0f), offered);
  live_anisotropy_ = std::min(options.anisotropy.value_or(cpu ? 1.0f : 16.0f), offered);
  picture_samples_ = cpu ? 4 : 8;
  const VkExtent2D usual = cpu ? kCpuExtent : kGpuExtent;
  targets_.extent = {options.width.value_or(usual.width), options.height.value_or(usual.height)};
  return {};
}

Outcome<void> Session::make_contents(const Options& options) {
  const auto keep = [](auto& place, auto made) -> Outcome<void> {
    if (!made) return failure(made.error());
    place = std::move(*made);
    return {};
  };
  budget_script_ = options.budget_script;
  Outcome<void> step =
      keep(memory_, Memory::create(*instance_, *gpu_, options.budget_mib, options.defrag));
  if (step && !options.trace.empty()) step = memory_->start_trace(options.trace, gpu_->device());
  if (!step) return step;
  auto materials = load_materials(options, *gpu_, *memory_);
  if (!materials) return failure(materials.error());
  report_.materials = static_cast<std::uint32_t>(materials->slots.size());
  report_.material_bytes_total = materials->bytes;
  report_.problems = materials->problems;
  report_.budget_bytes = memory_->budget();
  slots_ = materials->slots;
  scene_ = make_scene(report_.materials, options.seed);

  const std::uint32_t lanes = loader_threads();
  const VkSampleCountFlagBits samples = sample_count(gpu_->facts());
  const VkExtent2D extent = targets_.extent;
  step = keep(ring_, make_frame_ring(*memory_));
  if (step) step = keep(setup_, SetupCommands::create(*gpu_, ring_));
  if (step) step = keep(frames_, FrameQueue::create(*gpu_));
  if (step) {
    step = keep(loader_, TextureLoader::create(*gpu_, *memory_, lanes,
                                               staging_bytes(memory_->budget(), lanes)));
  }
  if (step) {
    step = keep(renderer_, SceneRenderer::create(*gpu_, *memory_, setup_,
                                                 {&scene_, slots_, samples, picture_anisotropy_,
                                                  gpu_->facts().is_cpu() ? 1024u : 2048u}));
  }
  if (step) step = keep(overlay_, Overlay::create(*gpu_, *memory_));
  if (step) {
    step = keep(targets_, FrameTargets::create(*memory_, gpu_->device(), extent, samples));
  }
  if (step) {
    step =
        keep(readback_, Readback::create(*memory_, VkDeviceSize{4} * extent.width * extent.height));
  }
  if (!step)
    return failure(step.error() + " (is the budget, --budget-mib, too small for the picture?)");
  if (step = memory_->seal(); !step) return step;
  store_ = std::make_unique<TextureStore>(*gpu_, *memory_, *loader_, std::move(materials->sources));
  if (options.defrag) moves_.emplace(*gpu_, *memory_, *store_);
  last_wishes_.assign(store_->size(), kNothingResident);
  counters_ = memory_->allocator().counters();
  return {};
}

Session::~Session() {
  if (gpu_ != nullptr && gpu_->device() != VK_NULL_HANDLE) vkDeviceWaitIdle(gpu_->device());
}

}  // namespace quarry::viewer
