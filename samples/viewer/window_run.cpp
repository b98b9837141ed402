// SPDX-License-Identifier: MIT
// The loop of the window. The camera follows its path until mouse or keys take it over. With
// --frames the path goes by frame number and the program ends by itself.
#include "viewer/window_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "viewer/free_camera.hpp"
#include "viewer/interrupt.hpp"
#include "viewer/run_output.hpp"
#include "viewer/swapchain.hpp"

namespace quarry::viewer {

namespace {

constexpr double kPathSeconds = 40.0;

class WindowLoop {
 public:
  WindowLoop(const Options& options, Window& window, Swapchain& swapchain, Session& session)
      : options_(options),
        window_(window),
        swapchain_(swapchain),
        session_(session),
        path_(session.scene(), options.camera),
        overlay_(options.hud) {}

  Outcome<void> run() {
    pose_ = path_.at(0.0f);
    if (auto warm = session_.warm_up(pose_); !warm) return warm;
    bool outdated = true;
    last_ = start_ = Clock::now();
    while (!interrupted() && !done()) {
      const QuarryWindowState state = window_.poll();
      if (state.closing != 0) return {};
      if (state.width == 0 || state.height == 0) {  // minimised
        window_.wait(0.1);
        continue;
      }
      const VkExtent2D size{static_cast<std::uint32_t>(state.width),
                            static_cast<std::uint32_t>(state.height)};
      auto ready = outdated ? adapt(size) : swapchain_.acquire();
      if (!ready) return failure(ready.error());
      if (outdated && *ready == SwapchainState::good) ready = swapchain_.acquire();
      if (!ready) return failure(ready.error());
      if (*ready == SwapchainState::lost) return {};
      outdated = *ready == SwapchainState::outdated;
      if (outdated) continue;
      if (auto drawn = draw(state); !drawn) return drawn;
      auto presented = swapchain_.present();
      if (!presented) return failure(presented.error());
      if (*presented == SwapchainState::lost) return {};
      outdated = *presented == SwapchainState::outdated ||
                 size.width != swapchain_.extent().width ||
                 size.height != swapchain_.extent().height;
      if (auto written = write_picture(); !written) return written;
      ++frame_;
    }
    return {};
  }

  Outcome<Report> report() {
    auto report = session_.report();
    if (!report) return report;
    report->interrupted = interrupted();
    report->pictures = pictures_;
    for (const std::string& problem : writer_.finish())
      return failure(problem);
    return report;
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool done() const { return options_.frames && frame_ >= *options_.frames; }

  Outcome<SwapchainState> adapt(VkExtent2D size) {
    vkDeviceWaitIdle(session_.gpu().device());
    auto created = swapchain_.create(session_.gpu(), size);
    if (!created || *created != SwapchainState::good) return created;
    const VkExtent2D now = swapchain_.extent();
    if (now.width != session_.extent().width || now.height != session_.extent().height) {
      if (auto resized = session_.resize(now); !resized) return failure(resized.error());
    }
    return created;
  }

  /// 0 to 1 along the path.
  float progress() const {
    if (options_.frames) {
      const std::uint32_t moving = std::max(moving_frames(*options_.frames), 1u);
      return static_cast<float>(frame_) / static_cast<float>(moving);
    }
    const double seconds = std::chrono::duration<double>(last_ - start_).count();
    return static_cast<float>(seconds / kPathSeconds);
  }

  Outcome<void> draw(const QuarryWindowState& state) {
    const auto now = Clock::now();
    FrameInput input;
    input.seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    if (state.toggled_overlay % 2 != 0) overlay_ = !overlay_;
    if (state.budget_steps != 0) step_budget(state.budget_steps);
    CameraInput camera;
    camera.move = {state.move[0], state.move[1], state.move[2]};
    if (state.buttons[0] != 0 && !(overlay_ && session_.pointer_on_overlay())) {
      camera.turn_x = state.mouse_x - mouse_x_;
      camera.turn_y = state.mouse_y - mouse_y_;
    }
    mouse_x_ = state.mouse_x;
    mouse_y_ = state.mouse_y;
    taken_over_ = taken_over_ || camera.any();
    pose_ = taken_over_ ? moved(pose_, camera, static_cast<float>(input.seconds))
                        : path_.at(progress());
    input.pose = pose_;
    input.at_rest = !taken_over_ && (progress() >= 1.0f || options_.camera == CameraMode::fixed);
    input.overlay = overlay_;
    input.pointer = {state.mouse_x,
                     state.mouse_y,
                     state.wheel,
                     {state.buttons[0] != 0, state.buttons[1] != 0, state.buttons[2] != 0}};
    return session_.frame(input, &swapchain_);
  }

  /// Each step up or down is an eighth.
  void step_budget(int steps) {
    std::uint64_t mib = session_.budget_mib();
    for (; steps > 0; --steps)
      mib += std::max<std::uint64_t>(mib / 8, 1);
    for (; steps < 0; ++steps)
      mib -= mib / 8;
    session_.change_budget(mib);
  }

  Outcome<void> write_picture() {
    const auto& wanted = options_.pictures;
    if (std::find(wanted.begin(), wanted.end(), frame_) == wanted.end()) return {};
    auto picture = session_.picture(pose_, overlay_);
    if (!picture) return failure(picture.error());
    char name[32];
    (void)std::snprintf(name, sizeof name, "frame-%06u.png", frame_);
    pictures_.emplace_back(name);
    picture->path = options_.out / name;
    writer_.write(std::move(*picture));
    return {};
  }

  const Options& options_;
  Window& window_;
  Swapchain& swapchain_;
  Session& session_;
  CameraPath path_;
  PictureWriter writer_;
  std::vector<std::string> pictures_;
  Pose pose_;
  Clock::time_point start_;
  Clock::time_point last_;
  float mouse_x_ = 0.0f;
  float mouse_y_ = 0.0f;
  std::uint32_t frame_ = 0;
  bool overlay_;
  bool taken_over_ = false;
};

Outcome<void> run(const Options& options) {
  if (auto folder = make_folder(options.out); !folder) return folder;
  constexpr int kWidth = 1280;
  constexpr int kHeight = 720;
  auto window = Window::open(static_cast<int>(options.width.value_or(kWidth)),
                             static_cast<int>(options.height.value_or(kHeight)));
  if (!window) return failure(window.error());
  Swapchain swapchain(**window);
  auto session = Session::create(options, &swapchain);
  if (!session) return failure(session.error());
  Outcome<Report> report = failure("");
  {
    WindowLoop loop(options, **window, swapchain, **session);
    auto ended = loop.run();
    report = ended ? loop.report() : Outcome<Report>(failure(ended.error()));
  }
  vkDeviceWaitIdle((*session)->gpu().device());
  swapchain.destroy((*session)->instance());
  if (!report) return failure(report.error());
  return publish(*report, options.out);
}

}  // namespace

int run_window(const Options& options) {
  if (auto ran = run(options); !ran) {
    say_error(ran.error());
    return kExitFailure;
  }
  return kExitOk;
}

}  // namespace quarry::viewer
