// SPDX-License-Identifier: MIT
#include "viewer/memory_trace.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace quarry::viewer {

Outcome<std::unique_ptr<MemoryTrace>> MemoryTrace::create(const std::filesystem::path& path,
                                                          VkDevice device) {
  auto trace = std::make_unique<MemoryTrace>();
  trace->path_ = path;
  trace->device_ = device;
  trace->file_.reset(std::fopen(path.c_str(), "wb"));
  if (trace->file_ == nullptr)
    return failure("--trace: " + path.string() + ": " + std::strerror(errno));
  auto recorder = TraceRecorder::create({.write = write, .user = trace->file_.get()});
  if (!recorder) return failure(std::string("--trace: ") + quarry::to_string(recorder.error()));
  trace->recorder_ = std::move(*recorder);
  return trace;
}

bool MemoryTrace::write(void* user, std::span<const std::byte> bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), static_cast<std::FILE*>(user)) == bytes.size();
}

void MemoryTrace::made(const Image& image, const AllocationDesc& desc) {
  VkMemoryRequirements requirements{};
  vkGetImageMemoryRequirements(device_, image.image, &requirements);
  made(image.allocations[0], requirements, ResourceKind::optimal, desc);
}

void MemoryTrace::made(const Buffer& buffer, const AllocationDesc& desc) {
  VkMemoryRequirements requirements{};
  vkGetBufferMemoryRequirements(device_, buffer.buffer, &requirements);
  made(buffer.allocation, requirements, ResourceKind::linear, desc);
}

void MemoryTrace::made(Allocation allocation, const VkMemoryRequirements& requirements,
                       ResourceKind kind, const AllocationDesc& desc) {
  note(recorder_.allocated(allocation, requirements, kind, desc));
}

void MemoryTrace::leaves(Allocation allocation) {
  note(recorder_.freed(allocation));
}

void MemoryTrace::frame_done() {
  const auto passed = std::chrono::steady_clock::now() - start_;
  note(recorder_.frame(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(passed).count())));
}

void MemoryTrace::name_tag(Tag tag, const char* name) {
  note(recorder_.name_tag(tag, name));
}

void MemoryTrace::note(TraceStatus status) {
  if (!status) problem_ = status.error();
}

Outcome<void> MemoryTrace::finish() {
  note(recorder_.flush());
  if (std::fflush(file_.get()) != 0) problem_ = TraceError::sink_failed;
  const TraceError problem = problem_;
  if (problem == TraceError::none) return {};
  return failure("--trace: " + path_.string() + ": " + quarry::to_string(problem));
}

}  // namespace quarry::viewer
