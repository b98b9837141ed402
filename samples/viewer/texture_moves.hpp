// SPDX-License-Identifier: MIT
// Keeps the blocks of a streaming run dense: moves textures out of sparse blocks, a bounded step in
// the commands of each frame. Used by the frame loop's thread alone; no call waits.
#pragma once

#include <cstdint>

#include <quarry/defragmentation.hpp>

#include "viewer/gpu.hpp"
#include "viewer/memory.hpp"
#include "viewer/texture_store.hpp"

namespace quarry::viewer {

class TextureMoves {
 public:
  /// All must outlive this.
  TextureMoves(Gpu& gpu, Memory& memory, TextureStore& store)
      : gpu_(gpu), memory_(memory), store_(store) {}

  /// Once a frame, before it samples textures and before its bindings are updated. `completed`:
  /// frames that the GPU has done; `recording`: the one that `commands` is for.
  Outcome<void> record(VkCommandBuffer commands, std::uint64_t completed, std::uint64_t recording);
  /// Bytes given back to the driver by passes that have ended.
  std::uint64_t bytes_freed() const { return bytes_freed_; }

 private:
  bool begin(std::uint64_t recording);
  void end(std::uint64_t recording);

  Gpu& gpu_;
  Memory& memory_;
  TextureStore& store_;
  Defragmentation pass_;
  std::uint64_t next_pass_ = 0;  ///< frame from which another may begin
  std::uint64_t bytes_freed_ = 0;
};

}  // namespace quarry::viewer
