// SPDX-License-Identifier: MIT
// A buffer on a real device, with the functions from the Vulkan loader or from volk. Needs a
// driver.
#ifdef CONSUMER_USES_VOLK
#include <volk.h>
#else
#include <vulkan/vulkan.h>
#endif

#include <cstdio>

#include <quarry/quarry.hpp>

#ifdef CONSUMER_USES_VOLK
#include <quarry/volk.hpp>
#endif

namespace {

int fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  return 1;
}

VkInstance make_instance() {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  return vkCreateInstance(&info, nullptr, &instance) == VK_SUCCESS ? instance : VK_NULL_HANDLE;
}

VkDevice make_device(VkPhysicalDevice physical_device) {
  const float priority = 1.0f;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  VkDevice device = VK_NULL_HANDLE;
  return vkCreateDevice(physical_device, &info, nullptr, &device) == VK_SUCCESS ? device
                                                                                : VK_NULL_HANDLE;
}

bool use(quarry::Allocator& allocator) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = 4096;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  auto made = allocator.create_buffer(info, {.intent = quarry::MemoryIntent::upload});
  if (!made) return false;
  const std::byte bytes[16] = {};
  const bool copied = allocator.copy_to(made->allocation, 64, bytes).has_value();
  return allocator.destroy(*made).has_value() && copied;
}

}  // namespace

int main() {
#ifdef CONSUMER_USES_VOLK
  if (volkInitialize() != VK_SUCCESS) return fail("no Vulkan loader");
#endif
  const VkInstance instance = make_instance();
  if (instance == VK_NULL_HANDLE) return fail("no instance");
#ifdef CONSUMER_USES_VOLK
  volkLoadInstance(instance);
#endif
  std::uint32_t count = 1;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  if (vkEnumeratePhysicalDevices(instance, &count, &physical_device) < VK_SUCCESS || count == 0) {
    return fail("no device");
  }
  const VkDevice device = make_device(physical_device);
  if (device == VK_NULL_HANDLE) return fail("no logical device");

  quarry::AllocatorDesc desc;
  desc.api_version = VK_API_VERSION_1_1;
  desc.instance = instance;
  desc.physical_device = physical_device;
  desc.device = device;
#ifdef CONSUMER_USES_VOLK
  volkLoadDevice(device);
  const quarry::VulkanFunctions functions = quarry::functions_from_volk();
  desc.functions = &functions;
#else
  desc.get_instance_proc_addr = vkGetInstanceProcAddr;
#endif
  bool used = false;
  {
    auto allocator = quarry::Allocator::create(desc);
    used = allocator.has_value() && use(*allocator);
  }
  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
  return used ? 0 : fail("the allocator did not work");
}
