// SPDX-License-Identifier: MIT
// Records moves through the copy engine: contents of buffers by compute lists over whole blocks or
// by copy commands, whichever is quicker, images by copy commands. Where the engine cannot, plain
// copy commands serve.
#pragma once

#include <cstdint>
#include <span>

#include "base/host_array.hpp"
#include "copy/engine.hpp"
#include "heap/core.hpp"
#include "heap/move_recorder.hpp"

namespace quarry::heap {

/// Of one pass. Not thread-safe.
class EngineRecorder final : public MoveRecorder {
 public:
  EngineRecorder(Core& core, DefragmentationDesc::Copies copies);
  EngineRecorder(const EngineRecorder&) = delete;
  EngineRecorder& operator=(const EngineRecorder&) = delete;
  /// The GPU must be done with everything recorded.
  ~EngineRecorder();

  bool can_move(const VkImageCreateInfo& info, const DefragmentationStep& step) const override;
  void record(const DefragmentationStep& step, std::span<const BufferMove> buffers,
              std::span<const ImageMove> images) override;
  void complete(std::uint64_t value) override;
  void forget(const Block& block) override;
  VkDeviceSize bytes_by_compute() const { return bytes_by_compute_; }

 private:
  /// A library-made buffer over a block's memory.
  struct Cover {
    const Block* block = nullptr;
    std::uint32_t family = VK_QUEUE_FAMILY_IGNORED;  ///< that alone uses it
    copy::BlockBuffer buffer;
  };
  /// What one recording keeps until its commands ran.
  struct Recording {
    explicit Recording(const HostMemory& host) noexcept : step(host) {}
    copy::Step step;
    Buffer list;
    copy::ListMemory memory;
    std::uint64_t value = 0;
    bool in_use = false;
  };

  void record_copies(const DefragmentationStep& step, std::span<const BufferMove> buffers,
                     std::span<const ImageMove> images);
  bool record_by_engine(const DefragmentationStep& step, std::span<const BufferMove> buffers,
                        std::span<const ImageMove> images);
  std::uint32_t cover(const Block& block, const DefragmentationStep& step);
  Recording* idle_recording(VkDeviceSize list_bytes);
  bool make_list(Recording& recording, VkDeviceSize bytes);
  VkDeviceAddress address_of(VkBuffer buffer) const;

  Core& core_;
  const copy::Engine* const engine_;  ///< null: there is none
  const copy::Way way_;
  CommandRecorder plain_;
  base::HostArray<Cover> covers_;
  base::HostArray<Recording*> recordings_;
  base::HostArray<copy::BufferMove> buffers_;
  base::HostArray<copy::ImageMove> images_;
  VkDeviceSize bytes_by_compute_ = 0;
};

}  // namespace quarry::heap
