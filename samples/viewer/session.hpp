// SPDX-License-Identifier: MIT
// Everything that lives from start to end of a run, and one frame of it. Members stand in the order
// in which they depend on each other.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viewer/frame_queue.hpp"
#include "viewer/load_materials.hpp"
#include "viewer/options.hpp"
#include "viewer/overlay.hpp"
#include "viewer/picture.hpp"
#include "viewer/report.hpp"
#include "viewer/scene_renderer.hpp"
#include "viewer/texture_moves.hpp"
#include "viewer/texture_store.hpp"

namespace quarry::viewer {

/// Where frames go besides the picture itself; implemented by the window.
class Presenter {
 public:
  virtual ~Presenter() = default;
  /// What the instance has to offer for it.
  virtual std::vector<std::string> instance_extensions() = 0;
  /// Makes a surface; the presenter keeps and destroys it.
  virtual Outcome<VkSurfaceKHR> surface(VkInstance instance) = 0;
  /// What this frame has to wait for and signal, and its recording after the picture is drawn.
  virtual VkSemaphoreSubmitInfo wait() = 0;
  virtual VkSemaphore signal() = 0;
  virtual void record(VkCommandBuffer commands, VkImage picture, VkExtent2D extent) = 0;
};

struct FrameInput {
  Pose pose;
  double seconds = 1.0 / 60.0;  ///< since the frame before
  bool at_rest = false;
  bool overlay = false;
  OverlayInput pointer;
};

class Session {
 public:
  /// `presenter`: null when headless; must outlive the session.
  static Outcome<std::unique_ptr<Session>> create(const Options& options, Presenter* presenter);
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  const Scene& scene() const { return scene_; }
  Gpu& gpu() { return *gpu_; }
  VkInstance instance() const { return instance_->handle(); }
  VkExtent2D extent() const { return targets_.extent; }
  bool pointer_on_overlay() const { return overlay_ != nullptr && overlay_->wants_mouse(); }

  /// The coarse mips of everything, and a first drawing of each shader variant.
  Outcome<void> warm_up(const Pose& pose);
  /// One frame of the loop; its figures are added to the report.
  Outcome<void> frame(const FrameInput& input, Presenter* presenter);
  /// The budget from the next frame on. What cannot be said of it is a problem of the report.
  void change_budget(std::uint64_t mib);
  std::uint64_t budget_mib() const;
  /// A picture at the pose, with all the quality there is. Waits for the GPU.
  Outcome<PictureFile> picture(const Pose& pose, bool overlay);
  /// Waits for the GPU and makes new targets.
  Outcome<void> resize(VkExtent2D extent);
  /// Compares the estimate of mips with the sampler's at this pose; the table is printed. False
  /// when the estimate asks for too little somewhere.
  Outcome<bool> check_lod(const Pose& pose);

  /// The report so far, with the figures of this moment. Fails when the trace that was asked for is
  /// not whole.
  Outcome<Report> report();

 private:
  Outcome<void> open_device(const Options& options, Presenter* presenter);
  Outcome<void> make_contents(const Options& options);
  std::vector<TextureWish> wishes(const Pose& pose);
  View view(const Pose& pose) const {
    return {pose, targets_.extent.width, targets_.extent.height};
  }
  void note_problem(const std::string& problem);
  void note_problems();

  std::unique_ptr<Instance> instance_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<Memory> memory_;
  UploadRing ring_;
  SetupCommands setup_;
  FrameQueue frames_;
  Scene scene_;
  std::unique_ptr<TextureLoader> loader_;
  std::unique_ptr<TextureStore> store_;
  std::optional<TextureMoves> moves_;  ///< none: textures stay where they are
  std::unique_ptr<SceneRenderer> renderer_;
  std::unique_ptr<Overlay> overlay_;
  FrameTargets targets_;
  std::optional<Readback> readback_;
  std::vector<MaterialSlots> slots_;
  BudgetScript budget_script_;
  std::vector<std::uint32_t> last_wishes_;
  float live_anisotropy_ = 1.0f;
  float picture_anisotropy_ = 1.0f;
  std::uint32_t picture_samples_ = 4;
  Report report_;
  std::chrono::steady_clock::time_point started_;  ///< the first frame
  Counters counters_;
  std::uint64_t uploaded_ = 0;
};

}  // namespace quarry::viewer
