// SPDX-License-Identifier: MIT
// Debug messenger of VK_EXT_debug_utils.
#include "viewer/validation.hpp"

#include <cstdio>
#include <cstring>
#include <vector>

#include "viewer/device_object.hpp"

namespace quarry::viewer {

namespace {

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                          VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data,
                                          void* user) {
  constexpr std::uint64_t kPrintedAtMost = 20;
  auto& count = *static_cast<MessageCount*>(user);
  if (count.provoking.load()) {
    ++count.provoked;
    return VK_FALSE;
  }
  if (++count.counted <= kPrintedAtMost) {
    (void)std::fprintf(stderr, "quarry-viewer: validation: %s\n", data->pMessage);
  }
  return VK_FALSE;
}

}  // namespace

ValidationListener::~ValidationListener() {
  if (messenger_ != VK_NULL_HANDLE) {
    vkDestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
  }
}

VkDebugUtilsMessengerCreateInfoEXT ValidationListener::create_info() {
  auto info = structure<VkDebugUtilsMessengerCreateInfoEXT>(
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = on_message;
  info.pUserData = &count_;
  return info;
}

Outcome<void> ValidationListener::listen(VkInstance instance) {
  const auto info = create_info();
  const VkResult result = vkCreateDebugUtilsMessengerEXT(instance, &info, nullptr, &messenger_);
  if (result != VK_SUCCESS) {
    return failure("the validation layer takes no listener (vkCreateDebugUtilsMessengerEXT)");
  }
  instance_ = instance;
  return {};
}

Outcome<void> ValidationListener::prove(VkDevice device) {
  // A buffer of size 0: VUID-VkBufferCreateInfo-size-00912.
  auto mistake = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  mistake.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  count_.provoking = true;
  VkBuffer buffer = VK_NULL_HANDLE;
  const VkResult result = vkCreateBuffer(device, &mistake, nullptr, &buffer);
  if (result == VK_SUCCESS) vkDestroyBuffer(device, buffer, nullptr);
  count_.provoking = false;
  if (count_.provoked.load() == 0) {
    return failure("the validation layer is there but does not object to a known mistake");
  }
  return {};
}

bool validation_layer_present() {
  std::uint32_t count = 0;
  if (vkEnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkLayerProperties> layers(count);
  if (vkEnumerateInstanceLayerProperties(&count, layers.data()) < VK_SUCCESS) return false;
  for (const VkLayerProperties& layer : layers) {
    if (std::strcmp(layer.layerName, kValidationLayer) == 0) return true;
  }
  return false;
}

}  // namespace quarry::viewer
