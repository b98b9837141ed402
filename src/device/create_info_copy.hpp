// SPDX-License-Identifier: MIT
// Deep copies of create-infos, so that a resource can be made again when it is moved or streamed
// back. One block of host memory a copy: the create-info first, then its queue families and its
// pNext chain.
#pragma once

#include <cstdint>
#include <utility>

#include <vulkan/vulkan_core.h>

#include <quarry/expected.hpp>
#include <quarry/host_memory.hpp>

namespace quarry::device {

enum class CopyError : std::uint8_t {
  unknown_structure,  ///< the chain holds a structure that is not known here; nothing was copied
  out_of_host_memory,
};

/// Owns the copy of one buffer's or one image's create-info; nothing in it points to memory of the
/// caller. The host memory's callbacks must outlive it.
class CreateInfoCopy {
 public:
  using Result = Expected<CreateInfoCopy, CopyError>;

  static Result of(const HostMemory& host, const VkBufferCreateInfo& info);
  static Result of(const HostMemory& host, const VkImageCreateInfo& info);

  CreateInfoCopy() = default;
  CreateInfoCopy(CreateInfoCopy&& other) noexcept
      : host_(other.host_),
        buffer_(std::exchange(other.buffer_, nullptr)),
        image_(std::exchange(other.image_, nullptr)) {}
  CreateInfoCopy& operator=(CreateInfoCopy&& other) noexcept;
  CreateInfoCopy(const CreateInfoCopy&) = delete;
  CreateInfoCopy& operator=(const CreateInfoCopy&) = delete;
  ~CreateInfoCopy() { release(); }

  /// Null unless it is a buffer's, respectively an image's.
  const VkBufferCreateInfo* buffer() const { return buffer_; }
  const VkImageCreateInfo* image() const { return image_; }

  /// Adds TRANSFER_SRC and TRANSFER_DST, so that contents can be moved; in
  /// VkBufferUsageFlags2CreateInfo too, where the chain holds one.
  void add_transfer_usage();

 private:
  void release();

  HostMemory host_{};
  VkBufferCreateInfo* buffer_ = nullptr;
  VkImageCreateInfo* image_ = nullptr;
};

}  // namespace quarry::device
