// SPDX-License-Identifier: MIT
// Two steps. The targets: from the coarsest mips of everything, one mip at a time goes to the
// texture that lacks most, while the budget lasts. The moves: from what is resident towards the
// targets. Targets depend on wishes and budget alone, so a camera at rest leads to a state without
// moves.
#include "viewer/stream_plan.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

namespace quarry::viewer {

namespace {

std::uint32_t wanted_level(const TextureState& texture) {
  return std::min(texture.wanted, texture.coarsest());
}

/// Orders textures by how much a further mip would help: what is seen first, then what lacks most
/// mips, then what covers most of the picture.
using Usefulness = std::tuple<bool, std::uint32_t, float>;

Usefulness usefulness(const TextureState& texture, std::uint32_t level) {
  const std::uint32_t wanted = wanted_level(texture);
  return {texture.pixels > 0.0f, level > wanted ? level - wanted : 0, texture.pixels};
}

/// Bytes that upgrades leave free, so that there is always room to make some image smaller.
std::uint64_t spare_bytes(std::span<const TextureState> textures) {
  std::uint64_t spare = 0;
  for (const TextureState& texture : textures)
    spare = std::max(spare, texture.level_bytes.back());
  return spare;
}

std::vector<std::uint32_t> choose_targets(const PlanInput& input) {
  std::vector<std::uint32_t> targets(input.textures.size());
  std::uint64_t sum = spare_bytes(input.textures);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    targets[i] = input.textures[i].coarsest();
    sum += input.textures[i].level_bytes.back();
  }
  using Candidate = std::pair<Usefulness, std::size_t>;
  std::priority_queue<Candidate> candidates;
  const auto offer = [&](std::size_t i) {
    if (targets[i] > wanted_level(input.textures[i])) {
      candidates.emplace(usefulness(input.textures[i], targets[i]), i);
    }
  };
  for (std::size_t i = 0; i < targets.size(); ++i)
    offer(i);
  // Room for the largest image that any texture might have to hold beside its new one: with it
  // every single move towards the targets is possible, in any order.
  std::uint64_t beside = 0;
  while (!candidates.empty()) {
    const std::size_t i = candidates.top().second;
    candidates.pop();
    const auto& bytes = input.textures[i].level_bytes;
    const std::uint64_t old_bytes = bytes[targets[i]];
    const std::uint64_t new_bytes = bytes[targets[i] - 1];
    const std::uint64_t new_beside = std::max(beside, old_bytes);
    if (sum - old_bytes + new_bytes + new_beside > input.budget) continue;
    sum += new_bytes - old_bytes;
    beside = new_beside;
    --targets[i];
    offer(i);
  }
  return targets;
}

class MoveMaker {
 public:
  MoveMaker(const PlanInput& input, std::vector<std::uint32_t> targets)
      : input_(input),
        used_(input.used),
        spare_(spare_bytes(input.textures)),
        slots_(input.free_slots),
        moved_(targets.size(), false) {
    plan_.targets = std::move(targets);
  }

  Plan run() {
    load_first_mips();
    const bool waiting = upgrade_to_targets();
    if (!waiting && !any_pending_) fill_what_is_left();
    return std::move(plan_);
  }

 private:
  const TextureState& texture(std::size_t i) const { return input_.textures[i]; }
  bool movable(std::size_t i) const { return !texture(i).busy && !moved_[i]; }

  bool fits(std::uint64_t bytes, std::uint64_t spare) const {
    return used_ + bytes + spare <= input_.budget;
  }
  /// A budget that shrank below what is used must not keep textures from giving mips up.
  bool fits_as_smaller(std::uint64_t bytes) const {
    const bool over = input_.used > input_.budget;
    return used_ + bytes <= (over ? input_.used + std::max(input_.beside, spare_) : input_.budget);
  }

  void start(std::size_t i, std::uint32_t level) {
    plan_.moves.push_back({static_cast<std::uint32_t>(i), level});
    used_ += texture(i).level_bytes[level];
    if (texture(i).resident != kNothingResident)
      leaving_ += texture(i).level_bytes[texture(i).resident];
    moved_[i] = true;
    --slots_;
  }

  std::vector<std::size_t> by_usefulness(bool (MoveMaker::*chosen)(std::size_t) const) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < input_.textures.size(); ++i) {
      if ((this->*chosen)(i)) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return usefulness(texture(a), texture(a).resident) >
             usefulness(texture(b), texture(b).resident);
    });
    return order;
  }

  bool lacks_everything(std::size_t i) const { return texture(i).resident == kNothingResident; }
  bool below_target(std::size_t i) const {
    return !lacks_everything(i) && texture(i).resident > plan_.targets[i];
  }
  bool above_target(std::size_t i) const {
    return movable(i) && texture(i).resident < plan_.targets[i];
  }
  bool below_wanted(std::size_t i) const {
    return movable(i) && !lacks_everything(i) && texture(i).resident > wanted_level(texture(i));
  }

  void load_first_mips() {
    for (std::size_t i = 0; i < input_.textures.size(); ++i) {
      if (!lacks_everything(i)) continue;
      any_pending_ = true;
      if (slots_ == 0 || !movable(i)) continue;
      if (fits(texture(i).level_bytes.back(), 0)) {
        start(i, texture(i).coarsest());
      } else {
        make_room(texture(i).level_bytes.back());
      }
    }
  }

  /// Returns true when something has to end before the next upgrade can start.
  bool upgrade_to_targets() {
    if (used_ > input_.budget) make_room(0);
    const auto order = by_usefulness(&MoveMaker::below_target);
    for (const std::size_t i : order) {
      any_pending_ = true;
      if (slots_ == 0) return true;
      if (!movable(i)) continue;
      const std::uint64_t bytes = texture(i).level_bytes[plan_.targets[i]];
      if (!fits(bytes, spare_)) {
        make_room(bytes);
        return true;
      }
      start(i, plan_.targets[i]);
    }
    return false;
  }

  /// Takes mips from textures that hold more than their target, the least useful first, until
  /// `bytes` will fit once everything under way has ended. Does nothing if even all would not do.
  void make_room(std::uint64_t bytes) {
    const std::uint64_t going = input_.retiring + leaving_;
    std::uint64_t later = used_ - std::min(used_, going);
    const std::uint64_t limit = input_.budget - std::min(input_.budget, bytes + spare_);
    auto order = by_usefulness(&MoveMaker::above_target);
    std::reverse(order.begin(), order.end());
    std::uint64_t possible = 0;
    for (const std::size_t i : order) {
      possible +=
          texture(i).level_bytes[texture(i).resident] - texture(i).level_bytes[plan_.targets[i]];
    }
    if (later > limit + possible && used_ <= input_.budget) return;
    for (const std::size_t i : order) {
      if (later <= limit || slots_ == 0) return;
      std::uint32_t level = plan_.targets[i];
      while (level < texture(i).coarsest() && !fits_as_smaller(texture(i).level_bytes[level]))
        ++level;
      if (!fits_as_smaller(texture(i).level_bytes[level])) return;
      later -= texture(i).level_bytes[texture(i).resident] - texture(i).level_bytes[level];
      start(i, level);
    }
  }

  /// The targets are reached. What is left of the budget still serves whoever fits into it.
  void fill_what_is_left() {
    for (const std::size_t i : by_usefulness(&MoveMaker::below_wanted)) {
      if (slots_ == 0) return;
      const std::uint32_t level = texture(i).resident - 1;
      if (fits(texture(i).level_bytes[level], spare_)) {
        start(i, level);
        return;
      }
    }
  }

  const PlanInput& input_;
  Plan plan_;
  std::uint64_t used_;
  std::uint64_t spare_;
  std::uint64_t leaving_ = 0;  ///< bytes of images that the moves of this plan replace
  std::uint32_t slots_;
  std::vector<bool> moved_;
  bool any_pending_ = false;
};

}  // namespace

Plan make_plan(const PlanInput& input) {
  return MoveMaker(input, choose_targets(input)).run();
}

Shortfall shortfall(std::span<const TextureState> textures) {
  Shortfall result;
  for (const TextureState& texture : textures) {
    const bool nothing = texture.resident == kNothingResident;
    if (!nothing && texture.resident <= wanted_level(texture)) continue;
    ++result.textures_below_wanted;
    const std::uint64_t bytes =
        nothing ? texture.level_bytes.back() : texture.level_bytes[texture.resident - 1];
    if (result.smallest_upgrade == 0 || bytes < result.smallest_upgrade) {
      result.smallest_upgrade = bytes;
    }
  }
  return result;
}

}  // namespace quarry::viewer
