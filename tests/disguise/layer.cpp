// SPDX-License-Identifier: MIT
#include "disguise/layer.hpp"

#include <utility>

namespace quarry::disguise {

namespace {

/// Instances and devices by dispatch key. Its lock is a leaf.
template <class Object>
class Registry {
 public:
  void add(void* key, std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    objects_[key] = std::move(object);
  }
  std::shared_ptr<Object> find(void* key) {
    const std::lock_guard lock(mutex_);
    const auto it = objects_.find(key);
    return it == objects_.end() ? nullptr : it->second;
  }
  std::shared_ptr<Object> take(void* key) {
    const std::lock_guard lock(mutex_);
    const auto it = objects_.find(key);
    if (it == objects_.end()) return nullptr;
    std::shared_ptr<Object> object = std::move(it->second);
    objects_.erase(it);
    return object;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<void*, std::shared_ptr<Object>> objects_;
};

Registry<Instance>& instances() {
  static Registry<Instance> registry;
  return registry;
}

Registry<Device>& devices() {
  static Registry<Device> registry;
  return registry;
}

}  // namespace

void remember(void* key, std::shared_ptr<Instance> instance) {
  instances().add(key, std::move(instance));
}

void remember(void* key, std::shared_ptr<Device> device) {
  devices().add(key, std::move(device));
}

std::shared_ptr<Instance> instance_of(void* key) {
  return instances().find(key);
}

std::shared_ptr<Device> device_of(void* key) {
  return devices().find(key);
}

std::shared_ptr<Instance> forget_instance(void* key) {
  return instances().take(key);
}

std::shared_ptr<Device> forget_device(void* key) {
  return devices().take(key);
}

std::vector<const char*> added_extensions(const Profile& profile) {
  std::vector<const char*> names{VK_EXT_MEMORY_BUDGET_EXTENSION_NAME,
                                 VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME, "VK_KHR_maintenance5"};
  if (profile.device_coherent) names.push_back(VK_AMD_DEVICE_COHERENT_MEMORY_EXTENSION_NAME);
  return names;
}

std::vector<VkExtensionProperties> driver_extensions(const Instance& instance,
                                                     VkPhysicalDevice device) {
  const auto enumerate = instance.next.enumerate_device_extension_properties;
  std::uint32_t count = 0;
  enumerate(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  enumerate(device, nullptr, &count, extensions.data());
  extensions.resize(count);
  return extensions;
}

}  // namespace quarry::disguise
