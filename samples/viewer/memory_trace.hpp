// SPDX-License-Identifier: MIT
// A recording of what the viewer asks of the allocator, for quarry-replay (--trace).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>

#include <volk.h>

#include <quarry/trace.hpp>

#include "viewer/outcome.hpp"

namespace quarry::viewer {

/// Any thread may note.
class MemoryTrace {
 public:
  static Outcome<std::unique_ptr<MemoryTrace>> create(const std::filesystem::path& path,
                                                      VkDevice device);
  MemoryTrace() = default;
  MemoryTrace(const MemoryTrace&) = delete;
  MemoryTrace& operator=(const MemoryTrace&) = delete;

  void made(const Image& image, const AllocationDesc& desc);
  void made(const Buffer& buffer, const AllocationDesc& desc);
  /// Before the allocator is told.
  void leaves(Allocation allocation);
  void frame_done();
  void name_tag(Tag tag, const char* name);
  /// Everything is in the file, or why not.
  Outcome<void> finish();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  static bool write(void* user, std::span<const std::byte> bytes);
  void made(Allocation allocation, const VkMemoryRequirements& requirements, ResourceKind kind,
            const AllocationDesc& desc);
  void note(TraceStatus status);

  std::filesystem::path path_;
  VkDevice device_ = VK_NULL_HANDLE;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::unique_ptr<std::FILE, CloseFile> file_;
  TraceRecorder recorder_;  ///< ends before the file
  std::atomic<TraceError> problem_{TraceError::none};
};

}  // namespace quarry::viewer
