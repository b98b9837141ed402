// SPDX-License-Identifier: MIT
// The bytes behind one fake VkDeviceMemory. They cost address space only once they are mapped or
// touched by the device, and pages only where they are written. Non-coherent memory has two copies,
// the host's and the device's; flush and invalidate carry bytes from one to the other. Between
// unmap and map the host's view is protected: touching it ends the program.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <vulkan/vulkan_core.h>

namespace quarry::fakes {

class Backing {
 public:
  Backing(VkDeviceSize size, bool coherent) : size_(size), coherent_(coherent) {}
  Backing(const Backing&) = delete;
  Backing& operator=(const Backing&) = delete;
  ~Backing();

  /// The first byte of the host's view, made accessible; null if there is no address space.
  std::byte* map();
  void unmap();

  void flush(VkDeviceSize offset, VkDeviceSize size);       ///< host to device; nothing if coherent
  void invalidate(VkDeviceSize offset, VkDeviceSize size);  ///< device to host; nothing if coherent

  /// As the device sees it. Ranges must lie within the memory. False if there is no address space.
  bool device_read(VkDeviceSize offset, std::span<std::byte> bytes);
  bool device_write(VkDeviceSize offset, std::span<const std::byte> bytes);
  /// As the host sees it, mapped or not.
  bool host_read(VkDeviceSize offset, std::span<std::byte> bytes);

 private:
  std::byte* host_view();
  std::byte* device_view();
  bool read(std::byte* view, VkDeviceSize offset, std::span<std::byte> bytes);
  void protect(bool accessible);

  VkDeviceSize size_;
  bool coherent_;
  bool mapped_ = false;
  std::byte* host_ = nullptr;
  std::byte* device_ = nullptr;  ///< non-coherent memory only
};

}  // namespace quarry::fakes
