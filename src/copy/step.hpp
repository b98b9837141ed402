// SPDX-License-Identifier: MIT
// What one recording needs while it is made and while the GPU works on it. Kept and used again, so
// that recording takes no host memory in a steady state.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

#include "base/host_array.hpp"
#include "copy/move.hpp"

namespace quarry::copy {

/// An entry of the list as copy_addresses.comp reads it.
struct AddressEntry {
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint32_t units = 0;
  std::uint32_t unused = 0;
};
static_assert(sizeof(AddressEntry) == 24);

/// An entry of the list as copy_windows.comp reads it.
struct WindowEntry {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint32_t units = 0;
  std::uint32_t unused = 0;
};
static_assert(sizeof(WindowEntry) == 16);

/// Units are of 4 bytes, not 16.
constexpr std::uint32_t kWordUnits = 0x8000'0000u;

/// Two blocks, and the windows into them that one descriptor set shows.
struct WindowPair {
  const BlockBuffer* source = nullptr;
  const BlockBuffer* destination = nullptr;
  std::uint32_t source_window = 0;
  std::uint32_t destination_window = 0;

  friend bool operator==(const WindowPair&, const WindowPair&) = default;
};

struct WindowChunk {
  WindowPair pair{};
  WindowEntry entry{};
};

struct CommandRegion {
  VkBuffer source = VK_NULL_HANDLE;
  VkBuffer destination = VK_NULL_HANDLE;
  VkBufferCopy region{};
};

/// The buffers of one copy, for finding those that need a barrier between.
struct Touched {
  VkBuffer source = VK_NULL_HANDLE;
  VkBuffer destination = VK_NULL_HANDLE;
};

/// Closed by Engine. One recording in flight at a time; not thread-safe.
struct Step {
  explicit Step(const HostMemory& host)
      : windows(host),
        regions(host),
        copies(host),
        touched(host),
        image_copies(host),
        buffers(host),
        images(host),
        sets(host) {}

  VkDescriptorPool pool = VK_NULL_HANDLE;  ///< made when windows are first needed
  std::uint32_t pool_sets = 0;
  base::HostArray<WindowChunk> windows;
  base::HostArray<CommandRegion> regions;
  base::HostArray<VkBufferCopy> copies;
  base::HostArray<Touched> touched;  ///< since the last barrier
  base::HostArray<VkImageCopy> image_copies;
  base::HostArray<VkBufferMemoryBarrier> buffers;
  base::HostArray<VkImageMemoryBarrier> images;
  base::HostArray<VkDescriptorSet> sets;  ///< of the pool, for pairs of windows
};

}  // namespace quarry::copy
