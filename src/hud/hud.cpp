// SPDX-License-Identifier: MIT
// The two draw calls: read the figures, keep the history, hand both to the view. See hud.hpp.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <quarry/hud.hpp>

#include "hud/view.hpp"

namespace quarry::hud {
namespace {

constexpr std::size_t kTagsShown = 6;

void read_tags(const Allocator& allocator, Figures& figures) {
  figures.tag_count = allocator.tag_count();
  figures.tags.resize(figures.tag_count);
  for (std::uint32_t i = 0; i < figures.tag_count; ++i) {
    TagRow& row = figures.tags[i];
    row.tag = Tag{i + 1};
    row.totals = allocator.tag_totals_alone(row.tag);
  }
  keep_largest(figures.tags, kTagsShown);
  for (TagRow& row : figures.tags)
    row.name = allocator.tag_name(row.tag);
}

void read_tag_names(const Allocator& allocator, std::vector<std::string>& names) {
  names.resize(allocator.tag_count());
  for (std::uint32_t i = 0; i < names.size(); ++i)
    names[i] = allocator.tag_name(Tag{i + 1});
}

void read_figures(const Allocator& allocator, bool with_tags, Figures& figures) {
  figures.totals = allocator.totals();
  figures.counters = allocator.counters();
  std::array<HeapBudget, VK_MAX_MEMORY_HEAPS> budgets{};
  const std::uint32_t heaps =
      std::min<std::uint32_t>(allocator.budgets(budgets), VK_MAX_MEMORY_HEAPS);
  figures.heaps.resize(heaps);
  for (std::uint32_t i = 0; i < heaps; ++i) {
    figures.heaps[i] = {i, budgets[i], allocator.heap_totals(i)};
  }
  if (with_tags) read_tags(allocator, figures);
}

void show_absent(const char* title, const Options& options) {
  if (ImGui::Begin(title, options.open)) ImGui::TextDisabled("no allocator");
  ImGui::End();
}

}  // namespace

class History::State {
 public:
  void draw(const Allocator& allocator, const char* title, const Options& options) {
    if (!view_.frozen) renew(allocator, options);
    show_window({figures_, recorder_, map_}, title, options, view_);
  }

 private:
  void renew(const Allocator& allocator, const Options& options) {
    read_figures(allocator, options.show_tags && view_.tags_open, figures_);
    recorder_.record(figures_.totals, figures_.counters);
    if (!options.show_blocks || !view_.blocks_open) {
      map_.clear();
      map_time_ = -1.0;
      return;
    }
    const double now = ImGui::GetTime();
    if (map_time_ >= 0.0 && now >= map_time_ && now - map_time_ < options.snapshot_seconds) return;
    // Without host memory for a new copy the old one stays on screen until there is some.
    const Result<Snapshot> snapshot = allocator.snapshot();
    if (!snapshot) return;
    map_.assign(*snapshot);
    read_tag_names(allocator, figures_.tag_names);
    map_time_ = now;
  }

  Figures figures_;
  Recorder recorder_;
  BlockMap map_;
  double map_time_ = -1.0;  ///< ImGui time of the copy; negative: there is none
  ViewState view_;
};

History::History() : state_(std::make_unique<State>()) {}
History::History(History&& other) noexcept = default;
History& History::operator=(History&& other) noexcept = default;
History::~History() = default;

void draw(const Allocator& allocator, History& history, const Options& options) {
  if (options.open != nullptr && !*options.open) return;
  if (!allocator) {
    show_absent(options.title, options);
    return;
  }
  if (history.state_ == nullptr) history = History();  // it was moved from
  history.state_->draw(allocator, options.title, options);
}

namespace {

/// Histories of the calling thread, by allocator.
class KeptHistories {
 public:
  struct Entry {
    const Allocator* allocator = nullptr;
    std::uint64_t last_use = 0;
    History history;
  };

  /// The entry of this allocator, made if there is none; the number tells it from the others.
  std::pair<Entry&, std::size_t> find(const Allocator& allocator) {
    ++uses_;
    std::size_t oldest = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].allocator == &allocator) {
        entries_[i].last_use = uses_;
        return {entries_[i], i};
      }
      if (entries_[i].last_use < entries_[oldest].last_use) oldest = i;
    }
    entries_[oldest] = Entry{&allocator, uses_, History()};
    return {entries_[oldest], oldest};
  }

 private:
  std::array<Entry, 16> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace

void draw(const Allocator& allocator, const Options& options) {
  thread_local KeptHistories kept;
  const auto [entry, number] = kept.find(allocator);
  Options numbered = options;
  std::array<char, 128> title{};
  if (number > 0) {
    std::snprintf(title.data(), title.size(), "%.100s %zu", options.title, number + 1);
    numbered.title = title.data();
    numbered.column = options.column + static_cast<int>(number);
  }
  draw(allocator, entry.history, numbered);
}

}  // namespace quarry::hud
