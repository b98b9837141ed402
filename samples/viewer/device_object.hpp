// SPDX-License-Identifier: MIT
// Owner of one Vulkan object of a device, and the words for a VkResult.
#pragma once

#include <string>
#include <utility>

#include <volk.h>

#include "viewer/outcome.hpp"

namespace quarry::viewer {

/// A Vulkan structure of this type, all else zero.
template <class T>
T structure(VkStructureType type) {
  T made{};
  made.sType = type;
  return made;
}

/// Destroys its object with the function it was given. The GPU must be done with it, and the device
/// must still live. Movable. One type for several kinds of handles where those are all integers.
template <class Handle>
class DeviceObject {
 public:
  using Destroy = void(VKAPI_PTR*)(VkDevice, Handle, const VkAllocationCallbacks*);

  DeviceObject() = default;
  DeviceObject(VkDevice device, Handle handle, Destroy destroy)
      : device_(device), handle_(handle), destroy_(destroy) {}
  DeviceObject(DeviceObject&& other) noexcept
      : device_(other.device_),
        handle_(std::exchange(other.handle_, Handle{VK_NULL_HANDLE})),
        destroy_(other.destroy_) {}
  DeviceObject& operator=(DeviceObject&& other) noexcept {
    if (this != &other) {
      reset();
      device_ = other.device_;
      handle_ = std::exchange(other.handle_, Handle{VK_NULL_HANDLE});
      destroy_ = other.destroy_;
    }
    return *this;
  }
  DeviceObject(const DeviceObject&) = delete;
  DeviceObject& operator=(const DeviceObject&) = delete;
  ~DeviceObject() { reset(); }

  const Handle& get() const { return handle_; }
  explicit operator bool() const { return handle_ != Handle{VK_NULL_HANDLE}; }
  void reset() {
    if (handle_ != Handle{VK_NULL_HANDLE}) destroy_(device_, handle_, nullptr);
    handle_ = Handle{VK_NULL_HANDLE};
  }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  Handle handle_ = VK_NULL_HANDLE;
  Destroy destroy_ = nullptr;
};

/// As Vulkan spells it, for the results that a viewer meets; else the number.
std::string to_string(VkResult result);

/// "vkCreateImage failed: VK_ERROR_OUT_OF_DEVICE_MEMORY".
std::string call_failed(const char* function, VkResult result);

/// Creates through `create(device, &info, nullptr, &handle)`.
template <class Handle, class Create, class Info>
Outcome<DeviceObject<Handle>> make_object(VkDevice device, Create create, const Info& info,
                                          typename DeviceObject<Handle>::Destroy destroy,
                                          const char* function) {
  Handle handle = VK_NULL_HANDLE;
  const VkResult result = create(device, &info, nullptr, &handle);
  if (result != VK_SUCCESS) return failure(call_failed(function, result));
  return DeviceObject<Handle>(device, handle, destroy);
}

}  // namespace quarry::viewer
