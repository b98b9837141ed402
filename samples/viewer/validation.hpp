// SPDX-License-Identifier: MIT
// Listens to the validation layer and counts what it says.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <volk.h>

#include "viewer/outcome.hpp"

namespace quarry::viewer {

inline constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

/// Warnings and errors since creation. Shared with the driver's threads.
struct MessageCount {
  std::atomic<std::uint64_t> counted{0};
  std::atomic<std::uint64_t> provoked{0};
  std::atomic<bool> provoking{false};
};

/// Must be destroyed before its instance.
class ValidationListener {
 public:
  ValidationListener() = default;
  ValidationListener(const ValidationListener&) = delete;
  ValidationListener& operator=(const ValidationListener&) = delete;
  ~ValidationListener();

  /// For VkInstanceCreateInfo::pNext, so that messages of the creation itself count.
  VkDebugUtilsMessengerCreateInfoEXT create_info();
  Outcome<void> listen(VkInstance instance);
  /// Makes one known mistake and fails when nobody objects to it: then the layer does not listen.
  Outcome<void> prove(VkDevice device);

  std::uint64_t messages() const { return count_.counted.load(); }

 private:
  MessageCount count_;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

/// True when the loader finds the layer.
bool validation_layer_present();

}  // namespace quarry::viewer
