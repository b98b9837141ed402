// SPDX-License-Identifier: MIT
// The headless loop. The camera moves by frame number, so that a run is the same picture by picture
// on every machine; frames are paced as a display would, so that streaming has its time.
#include "viewer/headless.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "viewer/interrupt.hpp"
#include "viewer/run_output.hpp"
#include "viewer/session.hpp"

namespace quarry::viewer {

namespace {

constexpr std::uint32_t kDefaultFrames = 300;

class Pacer {
 public:
  explicit Pacer(double frames_a_second)
      : step_(frames_a_second > 0.0 ? 1.0 / frames_a_second : 0.0), next_(Clock::now()) {}

  /// Waits for the frame's turn. Time lost is not caught up.
  void wait() {
    next_ = std::max(next_, Clock::now() - std::chrono::duration_cast<Clock::duration>(step_));
    std::this_thread::sleep_until(next_);
    next_ += std::chrono::duration_cast<Clock::duration>(step_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::chrono::duration<double> step_;
  Clock::time_point next_;
};

std::string picture_name(std::uint32_t frame) {
  char name[32];
  (void)std::snprintf(name, sizeof name, "frame-%06u.png", frame);
  return name;
}

Outcome<Report> run(const Options& options, Session& session) {
  const std::uint32_t total = options.frames.value_or(kDefaultFrames);
  const std::uint32_t moving = moving_frames(total);
  const std::vector<std::uint32_t> pictures =
      options.pictures_given ? options.pictures : default_pictures(total);
  const CameraPath path(session.scene(), options.camera);
  const auto progress = [moving](std::uint32_t frame) {
    return moving == 0 ? 1.0f : static_cast<float>(frame) / static_cast<float>(moving);
  };
  if (auto warm = session.warm_up(path.at(progress(0))); !warm) return failure(warm.error());
  PictureWriter writer;
  std::vector<std::string> names;
  Pacer pacer(options.frame_rate);
  for (std::uint32_t frame = 0; frame < total && !interrupted(); ++frame) {
    pacer.wait();
    FrameInput input;
    input.pose = path.at(progress(frame));
    input.at_rest = frame >= moving || options.camera == CameraMode::fixed;
    input.overlay = options.hud;
    if (auto drawn = session.frame(input, nullptr); !drawn) return failure(drawn.error());
    if (std::find(pictures.begin(), pictures.end(), frame) == pictures.end()) continue;
    auto picture = session.picture(input.pose, options.hud);
    if (!picture) return failure(picture.error());
    names.push_back(picture_name(frame));
    picture->path = options.out / names.back();
    writer.write(std::move(*picture));
  }
  auto report = session.report();
  if (!report) return report;
  report->interrupted = interrupted();
  report->pictures = names;
  for (const std::string& problem : writer.finish())
    return failure(problem);
  return report;
}

}  // namespace

int run_headless(const Options& options) {
  if (auto folder = make_folder(options.out); !folder) {
    say_error(folder.error());
    return kExitFailure;
  }
  auto session = Session::create(options, nullptr);
  if (!session) {
    say_error(session.error());
    return kExitFailure;
  }
  if (options.check_lod) {
    const CameraPath path((*session)->scene(), options.camera);
    bool good = true;
    for (const float progress : {0.0f, 0.3f, 0.5f, 0.8f, 1.0f}) {
      auto checked = (*session)->check_lod(path.at(progress));
      if (!checked) {
        say_error(checked.error());
        return kExitFailure;
      }
      good = good && *checked;
    }
    return good ? kExitOk : kExitFailure;
  }
  auto report = run(options, **session);
  if (!report) {
    say_error(report.error());
    return kExitFailure;
  }
  if (auto published = publish(*report, options.out); !published) {
    say_error(published.error());
    return kExitFailure;
  }
  return kExitOk;
}

}  // namespace quarry::viewer
