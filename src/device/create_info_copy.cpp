// SPDX-License-Identifier: MIT
#include "device/create_info_copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "device/structure_chain.hpp"

namespace quarry::device {

namespace {

/// Lays values out one behind the other. Without a base it only measures; the second pass, with
/// one, copies.
class Packer {
 public:
  explicit Packer(std::byte* base) : base_(base) {}

  std::size_t size() const { return used_; }

  /// The copy; null while measuring, and for an empty array.
  template <class T>
  T* put(const T* values, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0) return nullptr;
    used_ = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
    const std::size_t at = used_;
    used_ += sizeof(T) * count;
    if (base_ == nullptr) return nullptr;
    std::memcpy(base_ + at, values, sizeof(T) * count);
    return reinterpret_cast<T*>(base_ + at);
  }

 private:
  std::byte* base_;
  std::size_t used_ = 0;
};

struct Packed {
  bool known = true;
  VkBaseOutStructure* copy = nullptr;  ///< null while measuring
};

/// A structure without pointers but pNext.
template <class T>
Packed pack_plain(Packer& packer, const VkBaseInStructure& structure) {
  T* copy = packer.put(reinterpret_cast<const T*>(&structure), 1);
  return {.copy = reinterpret_cast<VkBaseOutStructure*>(copy)};
}

/// A structure with one array beside pNext.
template <class T, class Element>
Packed pack_with_array(Packer& packer, const VkBaseInStructure& structure, std::uint32_t T::*count,
                       Element T::*array) {
  const T& source = reinterpret_cast<const T&>(structure);
  T* copy = packer.put(&source, 1);
  const bool has_array = source.*array != nullptr;
  auto* elements = packer.put(source.*array, has_array ? source.*count : 0);
  if (copy != nullptr) copy->*array = elements;
  return {.copy = reinterpret_cast<VkBaseOutStructure*>(copy)};
}

Packed pack_structure(Packer& packer, const VkBaseInStructure& structure) {
  // Types of several headers' generations: a switch over values that some of them lack needs the
  // cast.
  switch (static_cast<int>(structure.sType)) {
    case VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO:
      return pack_plain<VkExternalMemoryBufferCreateInfo>(packer, structure);
    case VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO:
      return pack_plain<VkExternalMemoryImageCreateInfo>(packer, structure);
    case VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO_NV:
      return pack_plain<VkExternalMemoryImageCreateInfoNV>(packer, structure);
    case VK_STRUCTURE_TYPE_DEDICATED_ALLOCATION_BUFFER_CREATE_INFO_NV:
      return pack_plain<VkDedicatedAllocationBufferCreateInfoNV>(packer, structure);
    case VK_STRUCTURE_TYPE_DEDICATED_ALLOCATION_IMAGE_CREATE_INFO_NV:
      return pack_plain<VkDedicatedAllocationImageCreateInfoNV>(packer, structure);
    case VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO:
      return pack_plain<VkBufferOpaqueCaptureAddressCreateInfo>(packer, structure);
    case VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_CREATE_INFO_EXT:
      return pack_plain<VkBufferDeviceAddressCreateInfoEXT>(packer, structure);
    case VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO:
      return pack_plain<VkImageStencilUsageCreateInfo>(packer, structure);
    case VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO:
      return pack_with_array(packer, structure, &VkImageFormatListCreateInfo::viewFormatCount,
                             &VkImageFormatListCreateInfo::pViewFormats);
#if defined(VK_EXT_image_compression_control)
    case VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT:
      return pack_with_array(packer, structure,
                             &VkImageCompressionControlEXT::compressionControlPlaneCount,
                             &VkImageCompressionControlEXT::pFixedRateFlags);
#endif
#if defined(VK_KHR_maintenance5)
    case VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR:
      return pack_plain<VkBufferUsageFlags2CreateInfoKHR>(packer, structure);
#endif
    default:
      return {.known = false};
  }
}

/// False when a structure is unknown.
bool pack_chain(Packer& packer, const void* next, VkBaseOutStructure*& first) {
  VkBaseOutStructure** link = &first;
  const auto* structure = static_cast<const VkBaseInStructure*>(next);
  for (; structure != nullptr; structure = structure->pNext) {
    const Packed packed = pack_structure(packer, *structure);
    if (!packed.known) return false;
    if (packed.copy == nullptr) continue;
    packed.copy->pNext = nullptr;
    *link = packed.copy;
    link = &packed.copy->pNext;
  }
  return true;
}

template <class Info>
bool pack(Packer& packer, const Info& info) {
  Info* copy = packer.put(&info, 1);
  // The families may be garbage where the specification has them ignored.
  const bool concurrent = info.sharingMode == VK_SHARING_MODE_CONCURRENT;
  const std::uint32_t family_count = concurrent ? info.queueFamilyIndexCount : 0;
  const std::uint32_t* families = packer.put(info.pQueueFamilyIndices, family_count);
  VkBaseOutStructure* first = nullptr;
  if (!pack_chain(packer, info.pNext, first)) return false;
  if (copy == nullptr) return true;
  copy->queueFamilyIndexCount = family_count;
  copy->pQueueFamilyIndices = families;
  copy->pNext = first;
  return true;
}

template <class Info>
Expected<Info*, CopyError> copy_of(const HostMemory& host, const Info& info) {
  Packer measure(nullptr);
  if (!pack(measure, info)) return Unexpected(CopyError::unknown_structure);
  void* block = host.allocate(host.user, measure.size(), alignof(std::max_align_t));
  if (block == nullptr) return Unexpected(CopyError::out_of_host_memory);
  Packer packer(static_cast<std::byte*>(block));
  (void)pack(packer, info);
  return static_cast<Info*>(block);
}

}  // namespace

CreateInfoCopy::Result CreateInfoCopy::of(const HostMemory& host, const VkBufferCreateInfo& info) {
  const auto copied = copy_of(host, info);
  if (!copied) return Unexpected(copied.error());
  CreateInfoCopy copy;
  copy.host_ = host;
  copy.buffer_ = *copied;
  return copy;
}

CreateInfoCopy::Result CreateInfoCopy::of(const HostMemory& host, const VkImageCreateInfo& info) {
  const auto copied = copy_of(host, info);
  if (!copied) return Unexpected(copied.error());
  CreateInfoCopy copy;
  copy.host_ = host;
  copy.image_ = *copied;
  return copy;
}

CreateInfoCopy& CreateInfoCopy::operator=(CreateInfoCopy&& other) noexcept {
  std::swap(host_, other.host_);
  std::swap(buffer_, other.buffer_);
  std::swap(image_, other.image_);
  return *this;
}

void CreateInfoCopy::add_transfer_usage() {
  if (image_ != nullptr) {
    image_->usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  }
  if (buffer_ == nullptr) return;
  constexpr VkBufferUsageFlags kTransfer =
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  buffer_->usage |= kTransfer;
#if defined(VK_KHR_maintenance5)
  constexpr VkStructureType kUsage2 = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR;
  // The chain is this object's own copy.
  auto* usage2 = const_cast<VkBufferUsageFlags2CreateInfoKHR*>(
      find_structure<VkBufferUsageFlags2CreateInfoKHR>(buffer_->pNext, kUsage2));
  if (usage2 != nullptr) usage2->usage |= kTransfer;
#endif
}

void CreateInfoCopy::release() {
  if (buffer_ != nullptr) host_.release(host_.user, buffer_);
  if (image_ != nullptr) host_.release(host_.user, image_);
}

}  // namespace quarry::device
