// SPDX-License-Identifier: MIT
// Creates the instance, and says in words what keeps it from being created.
#include "viewer/instance.hpp"

#include <cstdlib>

#include "viewer/device_object.hpp"

namespace quarry::viewer {

namespace {

std::string driver_hint() {
  for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
      return std::string(" (") + name + " is set to '" + value + "': does that file exist?)";
    }
  }
  return "; a driver without a GPU is in the package mesa-vulkan-drivers";
}

std::string instance_failed(VkResult result) {
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
    return "no usable Vulkan driver is installed" + driver_hint();
  }
  if (result == VK_ERROR_LAYER_NOT_PRESENT) {
    return "a Vulkan layer that was asked for is not there (VK_INSTANCE_LAYERS, VK_LAYER_PATH?)";
  }
  return call_failed("vkCreateInstance", result);
}

}  // namespace

Outcome<std::unique_ptr<Instance>> Instance::create(bool validation,
                                                    const std::vector<std::string>& extensions) {
  if (volkInitialize() != VK_SUCCESS) {
    return failure("libvulkan.so.1 cannot be loaded: install the Vulkan loader (libvulkan1)");
  }
  if (volkGetInstanceVersion() < VK_API_VERSION_1_3) {
    return failure("the Vulkan loader is older than 1.3");
  }
  if (validation && !validation_layer_present()) {
    return failure(std::string("--validation: the layer ") + kValidationLayer +
                   " is not there (package vulkan-validationlayers)");
  }
  auto instance = std::make_unique<Instance>();
  instance->extensions_ = extensions;
  auto application = structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pApplicationName = "quarry-viewer";
  application.apiVersion = VK_API_VERSION_1_3;
  auto info = structure<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;

  VkDebugUtilsMessengerCreateInfoEXT messenger{};
  auto features = structure<VkValidationFeaturesEXT>(VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT);
  const VkValidationFeatureEnableEXT synchronization =
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  if (validation) {
    instance->validation_ = std::make_unique<ValidationListener>();
    instance->extensions_.emplace_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    messenger = instance->validation_->create_info();
    features.enabledValidationFeatureCount = 1;
    features.pEnabledValidationFeatures = &synchronization;
    features.pNext = &messenger;
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kValidationLayer;
  }
  std::vector<const char*> names;
  for (const std::string& name : instance->extensions_)
    names.push_back(name.c_str());
  info.enabledExtensionCount = static_cast<std::uint32_t>(names.size());
  info.ppEnabledExtensionNames = names.data();
  const VkResult result = vkCreateInstance(&info, nullptr, &instance->handle_);
  if (result != VK_SUCCESS) return failure(instance_failed(result));
  volkLoadInstanceOnly(instance->handle_);
  if (validation) {
    auto listening = instance->validation_->listen(instance->handle_);
    if (!listening) return failure(listening.error());
  }
  return instance;
}

Instance::~Instance() {
  validation_.reset();
  if (handle_ != VK_NULL_HANDLE) vkDestroyInstance(handle_, nullptr);
}

Outcome<std::vector<VkPhysicalDevice>> Instance::devices() const {
  std::uint32_t count = 0;
  VkResult result = vkEnumeratePhysicalDevices(handle_, &count, nullptr);
  std::vector<VkPhysicalDevice> found(count);
  if (result == VK_SUCCESS) result = vkEnumeratePhysicalDevices(handle_, &count, found.data());
  if (result < VK_SUCCESS) {
    return failure("the Vulkan driver finds no device (" + to_string(result) + ")" + driver_hint());
  }
  if (found.empty()) return failure("no Vulkan device was found" + driver_hint());
  return found;
}

}  // namespace quarry::viewer
