// SPDX-License-Identifier: MIT
#include "disguise/profile.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace quarry::disguise {

namespace {

constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;
constexpr VkDeviceSize kGiB = VkDeviceSize{1} << 30;
constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkMemoryPropertyFlags kLazy = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT;
constexpr VkMemoryPropertyFlags kDeviceCoherent =
    VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
constexpr VkMemoryHeapFlags kLocalHeap = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all{
      {"discrete",
       {{8 * kGiB, kLocalHeap}, {16 * kGiB, 0}, {214 * kMiB, kLocalHeap}},
       {{0, 1},
        {kLocal, 0},
        {kVisible | kCoherent, 1},
        {kVisible | kCoherent | kCached, 1},
        {kLocal | kVisible | kCoherent, 2}},
       64,
       1024,
       true,
       false},
      {"rebar",
       {{8 * kGiB, kLocalHeap}, {16 * kGiB, 0}},
       {{kLocal, 0},
        {kVisible | kCoherent, 1},
        {kVisible | kCoherent | kCached, 1},
        {kLocal | kVisible | kCoherent, 0}},
       64,
       1,
       true,
       false},
      {"amd",
       {{8 * kGiB, kLocalHeap}, {16 * kGiB, 0}, {256 * kMiB, kLocalHeap}},
       {{kLocal, 0},
        {kVisible | kCoherent, 1},
        {kLocal | kVisible | kCoherent, 2},
        {kVisible | kCoherent | kCached, 1},
        {kLocal | kDeviceCoherent, 0},
        {kVisible | kCoherent | kDeviceCoherent, 1},
        {kLocal | kVisible | kCoherent | kDeviceCoherent, 2},
        {kVisible | kCoherent | kCached | kDeviceCoherent, 1}},
       128,
       1,
       false,
       true},
      {"mobile",
       {{12 * kGiB, kLocalHeap}},
       {{kLocal | kVisible | kCoherent, 0},
        {kLocal | kVisible | kCached, 0},
        {kLocal | kLazy, 0},
        {kLocal | kVisible | kCoherent | kCached, 0}},
       128,
       1024,
       false,
       false},
  };
  return all;
}

}  // namespace

std::uint32_t Profile::buffer_type_bits() const {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < types.size(); ++i) {
    if (!has_flags(i, kLazy)) bits |= 1u << i;
  }
  return bits;
}

std::uint32_t Profile::image_type_bits(const VkImageCreateInfo& info) const {
  const bool transient = (info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0;
  const bool needs_local = info.tiling == VK_IMAGE_TILING_OPTIMAL && optimal_needs_device_local;
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < types.size(); ++i) {
    if (has_flags(i, kLazy) && !transient) continue;
    if (needs_local && !has_flags(i, kLocal)) continue;
    bits |= 1u << i;
  }
  return bits;
}

const Profile* profile_from_environment() {
  const char* wanted = std::getenv("QUARRY_DISGUISE");
  if (wanted == nullptr || std::string_view(wanted) == "none") return nullptr;
  for (const Profile& profile : profiles()) {
    if (std::string_view(wanted) == profile.name) return &profile;
  }
  std::fprintf(stderr, "disguise: QUARRY_DISGUISE=%s is none of none", wanted);
  for (const Profile& profile : profiles())
    std::fprintf(stderr, ", %s", profile.name);
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace quarry::disguise
