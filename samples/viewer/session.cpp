// SPDX-License-Identifier: MIT
// One frame: take in what was loaded, wish for more, draw.
#include "viewer/session.hpp"

#include <chrono>
#include <cstdio>
#include <thread>

#include "viewer/interrupt.hpp"
#include "viewer/picture_average.hpp"
#include "viewer/screen_lod.hpp"

namespace quarry::viewer {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

std::vector<TextureWish> Session::wishes(const Pose& pose) {
  // Pictures are taken at any moment, so what they sample has to be resident.
  const float anisotropy = std::max(live_anisotropy_, picture_anisotropy_);
  std::vector<SurfaceNeed> needs(slots_.size());
  for (const Object& object : scene_.objects) {
    if (object.shape == Shape::ground || object.material >= needs.size()) continue;
    const SurfaceNeed need = surface_need(object, view(pose), anisotropy);
    if (!need.visible) continue;
    SurfaceNeed& sum = needs[object.material];
    sum.detail = sum.visible ? std::min(sum.detail, need.detail) : need.detail;
    sum.pixels += need.pixels;
    sum.visible = true;
  }
  std::vector<TextureWish> wishes(store_->size());
  for (std::size_t material = 0; material < slots_.size(); ++material) {
    for (const MapSlot& map : slots_[material]) {
      if (map.texture == MapSlot::kNoTexture) continue;
      const TextureSource& source = store_->source(map.texture);
      const std::uint32_t coarsest = store_->coarsest(map.texture);
      std::uint32_t& last = last_wishes_[map.texture];
      last = needs[material].visible
                 ? wanted_mip(needs[material].detail,
                              std::max(source.width(source.finest), source.height(source.finest)),
                              coarsest, last)
                 : coarsest;
      wishes[map.texture] = {
          last, needs[material].visible ? std::max(needs[material].pixels, 1.0f) : 0.0f};
    }
  }
  return wishes;
}

Outcome<void> Session::warm_up(const Pose& pose) {
  constexpr auto kPatience = std::chrono::seconds(20);
  const auto start = Clock::now();
  const std::vector<TextureWish> coarse = [&] {
    std::vector<TextureWish> wishes(store_->size());
    for (std::uint32_t i = 0; i < store_->size(); ++i)
      wishes[i] = {store_->coarsest(i), 1.0f};
    return wishes;
  }();
  bool waiting = true;
  while (waiting && Clock::now() - start < kPatience && !interrupted()) {
    const Arrivals arrivals = store_->update(0, 1);
    if (!arrivals.waits.empty()) {
      auto commands = setup_.begin();
      if (!commands) return failure(commands.error());
      record_barriers(*commands, arrivals.acquires);
      if (auto finished = setup_.finish(arrivals.waits); !finished) return finished;
    }
    store_->stream(coarse);
    waiting = false;
    for (std::uint32_t i = 0; i < store_->size(); ++i) {
      waiting = waiting || (store_->view(i) == VK_NULL_HANDLE && !store_->broken(i));
    }
    if (waiting) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  note_problems();
  for (const bool anisotropic : {false, true}) {
    auto commands = setup_.begin();
    if (!commands) return failure(commands.error());
    renderer_->bindings().update(0, *store_);
    auto recorded =
        renderer_->record(*commands, ring_, targets_, {view(pose), 0.0f, 0.0f, anisotropic, 0});
    if (!recorded) return recorded;
    if (auto finished = setup_.finish(); !finished) return finished;
  }
  counters_ = memory_->allocator().counters();
  uploaded_ = loader_->uploaded_bytes();
  return {};
}

Outcome<void> Session::frame(const FrameInput& input, Presenter* presenter) {
  const auto start = Clock::now();
  if (report_.frames.empty()) started_ = start;
  if (const auto mib = budget_script_.change_at(report_.frames.size())) change_budget(*mib);
  auto commands = frames_.begin(ring_);
  if (!commands) return failure(commands.error());
  memory_->allocator().tick();
  memory_->follow_budget();
  Arrivals arrivals = store_->update(frames_.completed(), frames_.recording());
  store_->stream(wishes(input.pose));
  note_problems();
  record_barriers(*commands, arrivals.acquires);
  if (moves_) {
    if (auto moved = moves_->record(*commands, frames_.completed(), frames_.recording()); !moved)
      return moved;
  }
  renderer_->bindings().update(frames_.slot(), *store_);
  auto recorded =
      renderer_->record(*commands, ring_, targets_,
                        {view(input.pose), 0.0f, 0.0f, live_anisotropy_ > 1.0f, frames_.slot()});
  if (!recorded) return recorded;
  if (overlay_ != nullptr && input.overlay) {
    overlay_->update(targets_.extent, input.seconds, input.pointer);
    overlay_->record(*commands, ring_, targets_);
  }
  VkSemaphore signal = VK_NULL_HANDLE;
  if (presenter != nullptr) {
    presenter->record(*commands, targets_.colour.handle(), targets_.extent);
    arrivals.waits.push_back(presenter->wait());
    signal = presenter->signal();
  }
  if (auto submitted = frames_.submit(ring_, arrivals.waits, signal); !submitted) return submitted;

  const Counters counters = memory_->allocator().counters();
  FrameRecord record;
  record.milliseconds = milliseconds_since(start);
  record.seconds = milliseconds_since(started_) * 1e-3;
  record.resident_bytes = store_->live_bytes();
  record.reserved_bytes = memory_->reserved_bytes();
  record.budget_bytes = memory_->budget();
  record.driver_allocations = counters.driver_allocations - counters_.driver_allocations;
  record.live_bytes = memory_->allocator().totals().allocation_bytes;
  record.moves = counters.moves - counters_.moves;
  record.moved_bytes = counters.moved_bytes - counters_.moved_bytes;
  record.uploaded_bytes = loader_->uploaded_bytes() - uploaded_;
  record.at_rest = input.at_rest;
  report_.frames.push_back(record);
  counters_ = counters;
  uploaded_ += record.uploaded_bytes;
  if (MemoryTrace* trace = memory_->trace()) trace->frame_done();
  return {};
}

Outcome<PictureFile> Session::picture(const Pose& pose, bool overlay) {
  PictureAverage average;
  for (std::uint32_t i = 0; i < picture_samples_; ++i) {
    const auto [x, y] = sample_position(i, picture_samples_);
    auto commands = setup_.begin();
    if (!commands) return failure(commands.error());
    const ScenePicture scene{view(pose), 2.0f * x / static_cast<float>(targets_.extent.width),
                             2.0f * y / static_cast<float>(targets_.extent.height),
                             picture_anisotropy_ > 1.0f, frames_.slot()};
    if (auto recorded = renderer_->record(*commands, ring_, targets_, scene); !recorded) {
      return failure(recorded.error());
    }
    if (overlay_ != nullptr && overlay) overlay_->record(*commands, ring_, targets_);
    readback_->record(*commands, targets_.colour.handle(), targets_.extent);
    if (auto finished = setup_.finish(); !finished) return failure(finished.error());
    auto pixels = readback_->read(*memory_);
    if (!pixels) return failure(pixels.error());
    average.add(*pixels);
  }
  return PictureFile{{}, targets_.extent.width, targets_.extent.height, average.result()};
}

Outcome<void> Session::resize(VkExtent2D extent) {
  frames_.drain();
  const VkSampleCountFlagBits samples = targets_.samples;
  for (const Attachment* each : {&targets_.colour, &targets_.multisampled, &targets_.depth})
    memory_->leaving(each->image->allocations[0]);
  targets_ = {};
  memory_->allocator().trim();
  auto made = FrameTargets::create(*memory_, gpu_->device(), extent, samples);
  if (!made) return failure(made.error());
  targets_ = std::move(*made);
  return {};
}

void Session::note_problem(const std::string& problem) {
  (void)std::fprintf(stderr, "quarry-viewer: %s\n", problem.c_str());
  report_.problems.push_back(problem);
}

void Session::note_problems() {
  for (const std::string& problem : store_->take_problems())
    note_problem(problem);
}

std::uint64_t Session::budget_mib() const {
  return memory_->budget() / kMebibyte;
}

void Session::change_budget(std::uint64_t mib) {
  if (auto changed = memory_->change_budget(mib * kMebibyte); !changed)
    note_problem(changed.error());
}

Outcome<Report> Session::report() {
  if (MemoryTrace* trace = memory_->trace()) {
    if (auto whole = trace->finish(); !whole) return failure(whole.error());
  }
  const Totals totals = memory_->allocator().totals();
  const Shortfall lack = store_->lack();
  report_.peak_reserved_bytes = totals.peak_block_bytes;
  report_.peak_live_bytes = totals.peak_allocation_bytes;
  report_.textures_below_wanted_mip = lack.textures_below_wanted;
  report_.smallest_upgrade_bytes = lack.smallest_upgrade;
  report_.budget_left_bytes = store_->budget_left();
  if (moves_) report_.bytes_freed_by_moves = moves_->bytes_freed();
  if (instance_->validation() != nullptr) {
    report_.validation_messages = instance_->validation()->messages();
  }
  return report_;
}

}  // namespace quarry::viewer
