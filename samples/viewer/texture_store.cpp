// SPDX-License-Identifier: MIT
// Residency of textures. The planner counts bytes of images; the allocator holds blocks. What
// blocks lose is learnt from refusals: each makes the planner's budget a little smaller.
#include "viewer/texture_store.hpp"

#include <algorithm>

namespace quarry::viewer {

namespace {

/// Loads under way at most: enough to keep the loaders busy, few enough to react to the camera.
constexpr std::uint32_t kMovesAtOnce = 6;
/// Where the budget fell below what is used: what is loaded then is small.
constexpr std::uint32_t kMovesInNeed = 32;

/// What cannot be read is no business of the planner's any more.
void give_up(TextureState& state) {
  state.wanted = state.coarsest();
  if (state.resident == kNothingResident) state.resident = state.coarsest();
  state.busy = true;
}

}  // namespace

TextureStore::TextureStore(Gpu& gpu, Memory& memory, TextureLoader& loader,
                           std::vector<TextureSource> sources)
    : gpu_(gpu),
      memory_(memory),
      loader_(loader),
      sources_(std::move(sources)),
      textures_(sources_.size()),
      states_(sources_.size()),
      last_wishes_(sources_.size(), kNothingResident) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    states_[i].level_bytes = sources_[i].level_bytes;
    states_[i].wanted = states_[i].coarsest();
  }
}

TextureStore::~TextureStore() {
  for (Texture& texture : textures_)
    loader_.dispose(std::move(texture.image));
  for (LoadResult& result : arriving_)
    loader_.dispose(std::move(result.image));
  for (Retired& retired : retired_)
    loader_.dispose(std::move(retired.image));
}

Arrivals TextureStore::update(std::uint64_t completed, std::uint64_t recording) {
  take_results();
  Arrivals arrivals;
  for (std::size_t i = 0; i < arriving_.size();) {
    std::uint64_t reached = 0;
    const VkResult result =
        vkGetSemaphoreCounterValue(gpu_.device(), arriving_[i].ticket.timeline, &reached);
    if (result != VK_SUCCESS || reached < arriving_[i].ticket.value) {
      ++i;
      continue;
    }
    swap_in(arriving_[i], recording, arrivals);
    arriving_.erase(arriving_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  while (!retired_.empty() && retired_.front().frame <= completed) {
    loader_.dispose(std::move(retired_.front().image));
    retired_.pop_front();
  }
  while (!retired_views_.empty() && retired_views_.front().frame <= completed)
    retired_views_.pop_front();
  const std::uint64_t disposed = loader_.disposed_bytes();
  const std::uint64_t freed = disposed - disposed_seen_;
  disposed_seen_ = disposed;
  used_ -= freed;
  retiring_ -= freed;
  return arrivals;
}

void TextureStore::take_results() {
  for (LoadResult& result : loader_.take_results()) {
    const std::uint32_t texture = result.request.texture;
    TextureState& state = states_[texture];
    const std::uint64_t bytes = state.level_bytes[result.request.level];
    if (result.status == LoadStatus::submitted) {
      arriving_.push_back(std::move(result));
      continue;
    }
    --loading_;
    state.busy = false;
    state.resident = textures_[texture].level;
    used_ -= bytes;
    replaced_ -= textures_[texture].image.bytes;
    if (result.status == LoadStatus::no_room) {
      no_room(texture, bytes);
    } else {
      textures_[texture].broken = true;
      problems_.push_back(result.problem);
    }
  }
}

void TextureStore::swap_in(LoadResult& result, std::uint64_t recording, Arrivals& arrivals) {
  const std::uint32_t index = result.request.texture;
  Texture& texture = textures_[index];
  auto wait = structure<VkSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO);
  wait.semaphore = result.ticket.timeline;
  wait.value = result.ticket.value;
  wait.stageMask = needs_acquire(gpu_) ? VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT
                                       : VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
  arrivals.waits.push_back(wait);
  if (needs_acquire(gpu_)) {
    arrivals.acquires.push_back(acquire_barrier(gpu_, result.image.image.image));
  }
  if (texture.image.view) {
    replaced_ -= texture.image.bytes;
    retiring_ += texture.image.bytes;
    retired_.push_back({std::move(texture.image), recording - 1});
  }
  texture.image = std::move(result.image);
  texture.level = result.request.level;
  states_[index].busy = false;
  --loading_;
}

/// The texture that shows an image; size() if none does.
std::uint32_t TextureStore::shown_as(VkImage image) const {
  const auto found =
      std::find_if(textures_.begin(), textures_.end(),
                   [image](const Texture& texture) { return texture.image.image.image == image; });
  return static_cast<std::uint32_t>(found - textures_.begin());
}

bool TextureStore::describe_use(const MovableResource& resource, ResourceState& state) const {
  if (resource.image == VK_NULL_HANDLE || shown_as(resource.image) == size()) return false;
  state.layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  state.stages = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
  state.access = VK_ACCESS_SHADER_READ_BIT;
  return true;
}

Outcome<void> TextureStore::take_over(const MovedResource& moved, std::uint64_t recording) {
  const std::uint32_t index = shown_as(moved.old_image);
  TextureImage& image = textures_[index].image;
  auto view = make_object<VkImageView>(gpu_.device(), vkCreateImageView,
                                       texture_view_info(moved.new_image, sources_[index].format()),
                                       vkDestroyImageView, "vkCreateImageView");
  image.image.image = moved.new_image;
  retired_views_.push_back({std::move(image.view), recording});
  if (!view) return failure(view.error());
  image.view = std::move(*view);
  return {};
}

/// Where the budget fell below what is held: empty blocks go, and if nothing else is on its way
/// out, what blocks lose is no room for textures any more.
void TextureStore::give_way() {
  const std::uint64_t excess = memory_.texture_heap_excess();
  if (excess == 0) return;
  loader_.trim();
  if (used_ <= texture_budget() && settled()) unusable_ += std::max(excess / 4, spare());
}

void TextureStore::no_room(std::uint32_t texture, std::uint64_t bytes) {
  // Empty blocks that the allocator kept are worth more to textures now.
  if (memory_.allocator().trim() > 0) return;
  const std::uint64_t smallest = states_[texture].level_bytes.back();
  unusable_ += std::max(smallest, bytes / 4);
}

std::uint64_t TextureStore::spare() const {
  std::uint64_t largest = 0;
  for (const TextureState& state : states_)
    largest = std::max(largest, state.level_bytes.back());
  return largest;
}

std::uint64_t TextureStore::texture_budget() const {
  const std::uint64_t textures =
      memory_.allocator().tag_totals(memory_.texture_tag()).allocation_bytes;
  const std::uint64_t live = memory_.texture_heap_live_bytes();
  const std::uint64_t others = live - std::min(live, textures);
  const std::uint64_t room = memory_.texture_heap_room();
  return room - std::min(room, others + unusable_);
}

std::uint64_t TextureStore::budget_left() const {
  const std::uint64_t budget = texture_budget();
  return budget - std::min(budget, used_ + spare());
}

void TextureStore::stream(const std::vector<TextureWish>& wishes) {
  bool changed = false;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    changed = changed || wishes[i].level != last_wishes_[i];
    last_wishes_[i] = wishes[i].level;
    states_[i].wanted = wishes[i].level;
    states_[i].pixels = wishes[i].pixels;
    if (textures_[i].broken) give_up(states_[i]);
  }
  if (changed) unusable_ -= unusable_ / 16;
  give_way();
  PlanInput input;
  input.textures = states_;
  input.budget = texture_budget();
  input.used = used_;
  input.retiring = retiring_ + replaced_;
  // Gaps between textures, and what may still be taken.
  input.beside = memory_.texture_heap_free_bytes() / 2 + memory_.texture_heap_growth();
  const std::uint32_t most = input.used > input.budget ? kMovesInNeed : kMovesAtOnce;
  input.free_slots = most - std::min(most, loading_);
  for (const Move& move : make_plan(input).moves) {
    TextureState& state = states_[move.texture];
    used_ += state.level_bytes[move.level];
    replaced_ += textures_[move.texture].image.bytes;
    state.resident = move.level;
    state.busy = true;
    ++loading_;
    loader_.load({move.texture, move.level, &sources_[move.texture]});
  }
}

bool TextureStore::settled() const {
  return loading_ == 0 && retired_.empty() && retiring_ == 0;
}

std::vector<std::string> TextureStore::take_problems() {
  return std::exchange(problems_, {});
}

}  // namespace quarry::viewer
