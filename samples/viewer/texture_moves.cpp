// SPDX-License-Identifier: MIT
// Passes of defragmentation, one after the other, as long as there is something to gain.
#include "viewer/texture_moves.hpp"

namespace quarry::viewer {

namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostBytes = 16 * kMebibyte;  // of a frame; one larger texture goes alone
constexpr std::uint32_t kMostMoves = 128;
// Frames from one pass to the next; longer where the last one found nothing to move.
constexpr std::uint64_t kBetweenPasses = 8;
constexpr std::uint64_t kAfterNothing = 16;

}  // namespace

bool TextureMoves::begin(std::uint64_t recording) {
  // Less than a block's worth free: no block can be given back.
  if (recording < next_pass_ || memory_.texture_heap_free_bytes() < memory_.largest_block())
    return false;
  DefragmentationDesc desc;
  desc.memory_types = memory_.texture_type_bits();
  // No texture is ever mapped, wherever it lies.
  desc.host_visible = true;
  auto pass = Defragmentation::begin(memory_.allocator(), desc);
  if (pass && pass->planned_bytes() > 0) {
    pass_ = std::move(*pass);
    return true;
  }
  next_pass_ = recording + kAfterNothing;
  return false;
}

void TextureMoves::end(std::uint64_t recording) {
  bytes_freed_ += pass_.figures().bytes_freed;
  pass_ = {};
  next_pass_ = recording + kBetweenPasses;
}

Outcome<void> TextureMoves::record(VkCommandBuffer commands, std::uint64_t completed,
                                   std::uint64_t recording) {
  if (pass_) {
    pass_.complete(completed);
    if (pass_.done()) end(recording);
  }
  if (!pass_ && !begin(recording)) return {};
  DefragmentationStep step;
  step.commands = commands;
  step.queue_family = gpu_.graphics().family();
  step.value = recording;
  step.max_bytes = kMostBytes;
  step.max_moves = kMostMoves;
  step.state = [](void* user, const MovableResource& resource, ResourceState& state) {
    return static_cast<TextureStore*>(user)->describe_use(resource, state);
  };
  step.user = &store_;
  const auto moved = pass_.record(step);
  // Without memory for the new places the pass goes on when there is some.
  if (!moved) {
    if (is_shortage(moved.error())) return {};
    return failure("textures cannot be moved: " + describe(moved.error()));
  }
  for (const MovedResource& each : *moved) {
    if (auto replaced = store_.take_over(each, recording); !replaced) return replaced;
  }
  return {};
}

}  // namespace quarry::viewer
