// SPDX-License-Identifier: MIT
#include "hud/headless_gpu.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include <quarry/volk.hpp>

namespace quarry::hud {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

bool has_validation_layer() {
  std::uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  for (const VkLayerProperties& layer : layers) {
    if (std::strcmp(layer.layerName, kValidationLayer) == 0) return true;
  }
  return false;
}

VkImageMemoryBarrier change_layout(VkImage image, VkImageLayout from, VkImageLayout to,
                                   VkAccessFlags source, VkAccessFlags destination) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = source;
  barrier.dstAccessMask = destination;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  return barrier;
}

/// Clear values are light for sRGB formats; the numbers stored are to be those of `color`.
VkClearColorValue clear_value(ImU32 color, VkFormat format) {
  VkClearColorValue value{};
  for (std::size_t i = 0; i < 4; ++i) {
    float channel = static_cast<float>((color >> (8 * i)) & 255) / 255.0f;
    if (format == VK_FORMAT_R8G8B8A8_SRGB && i < 3) {
      channel =
          channel <= 0.04045f ? channel / 12.92f : std::pow((channel + 0.055f) / 1.055f, 2.4f);
    }
    value.float32[i] = channel;
  }
  return value;
}

}  // namespace

HeadlessGpu::HeadlessGpu() {
  problem_ = set_up();
}

HeadlessGpu::~HeadlessGpu() {
  allocator_.reset();
  if (device_ != VK_NULL_HANDLE) {
    vkDestroyCommandPool(device_, pool_, nullptr);
    vkDestroyDevice(device_, nullptr);
  }
  if (instance_ != VK_NULL_HANDLE) {
    vkDestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
    vkDestroyInstance(instance_, nullptr);
  }
}

std::string HeadlessGpu::set_up() {
  if (volkInitialize() != VK_SUCCESS) return "no Vulkan loader";
  for (const auto step : {&HeadlessGpu::create_instance, &HeadlessGpu::create_device,
                          &HeadlessGpu::create_allocator}) {
    std::string problem = (this->*step)();
    if (!problem.empty()) return problem;
  }
  return "";
}

VKAPI_ATTR VkBool32 VKAPI_CALL HeadlessGpu::hear(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                 VkDebugUtilsMessageTypeFlagsEXT,
                                                 const VkDebugUtilsMessengerCallbackDataEXT* data,
                                                 void* user) {
  static_cast<HeadlessGpu*>(user)->listen(data->pMessage);
  return VK_FALSE;
}

std::string HeadlessGpu::create_instance() {
  if (!has_validation_layer()) return "no validation layer";
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  const VkValidationFeatureEnableEXT synchronization =
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT features{};
  features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &synchronization;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pNext = &features;
  info.pApplicationInfo = &application;
  info.enabledLayerCount = 1;
  info.ppEnabledLayerNames = &kValidationLayer;
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = &extension;
  if (vkCreateInstance(&info, nullptr, &instance_) != VK_SUCCESS) return "no Vulkan driver";
  volkLoadInstanceOnly(instance_);
  VkDebugUtilsMessengerCreateInfoEXT messenger{};
  messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                              VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = hear;
  messenger.pUserData = this;
  vkCreateDebugUtilsMessengerEXT(instance_, &messenger, nullptr, &messenger_);
  return "";
}

std::string HeadlessGpu::create_device() {
  std::uint32_t count = 1;
  if (vkEnumeratePhysicalDevices(instance_, &count, &physical_device_) < 0 || count == 0) {
    return "no Vulkan device";
  }
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(physical_device_, &properties);
  if (properties.apiVersion < VK_API_VERSION_1_3) return "no device with Vulkan 1.3";
  std::uint32_t family_count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device_, &family_count, nullptr);
  std::vector<VkQueueFamilyProperties> families(family_count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device_, &family_count, families.data());
  while (family_ < family_count && (families[family_].queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0) {
    ++family_;
  }
  if (family_ == family_count) return "no graphics queue";

  const float priority = 1.0f;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkPhysicalDeviceVulkan13Features features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  features.dynamicRendering = VK_TRUE;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  if (vkCreateDevice(physical_device_, &info, nullptr, &device_) != VK_SUCCESS) {
    return "the device cannot be created";
  }
  volkLoadDevice(device_);
  vkGetDeviceQueue(device_, family_, 0, &queue_);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = family_;
  vkCreateCommandPool(device_, &pool, nullptr, &pool_);
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool_;
  allocate.commandBufferCount = 1;
  vkAllocateCommandBuffers(device_, &allocate, &commands_);
  return "";
}

std::string HeadlessGpu::create_allocator() {
  const VulkanFunctions functions = functions_from_volk();
  AllocatorDesc desc;
  desc.api_version = VK_API_VERSION_1_3;
  desc.instance = instance_;
  desc.physical_device = physical_device_;
  desc.device = device_;
  desc.functions = &functions;
  Result<Allocator> allocator = Allocator::create(desc);
  if (!allocator) return std::string("no allocator: ") + to_string(allocator.error().reason);
  allocator_.emplace(std::move(*allocator));
  return "";
}

void HeadlessGpu::record(VkImage image, VkImageView view, VkBuffer buffer, VkExtent2D extent,
                         const VkClearColorValue& clear,
                         const std::function<void(VkCommandBuffer)>& outside,
                         const std::function<void(VkCommandBuffer)>& inside) {
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  vkBeginCommandBuffer(commands_, &begin);
  outside(commands_);
  const VkImageMemoryBarrier to_target =
      change_layout(image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, 0,
                    VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT);
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0, 0, nullptr, 0, nullptr, 1,
                       &to_target);
  VkRenderingAttachmentInfo attachment{};
  attachment.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  attachment.imageView = view;
  attachment.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  attachment.clearValue.color = clear;
  VkRenderingInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  rendering.renderArea = {{0, 0}, extent};
  rendering.layerCount = 1;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachments = &attachment;
  vkCmdBeginRendering(commands_, &rendering);
  inside(commands_);
  vkCmdEndRendering(commands_);
  const VkImageMemoryBarrier to_source = change_layout(
      image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
      VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT);
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                       VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1, &to_source);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {extent.width, extent.height, 1};
  vkCmdCopyImageToBuffer(commands_, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer, 1,
                         &region);
  VkMemoryBarrier to_host{};
  to_host.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  to_host.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  to_host.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                       &to_host, 0, nullptr, 0, nullptr);
  vkEndCommandBuffer(commands_);
}

Picture HeadlessGpu::render(VkFormat format, VkExtent2D extent, ImU32 background,
                            const std::function<void(VkCommandBuffer)>& outside,
                            const std::function<void(VkCommandBuffer)>& inside) {
  VkImageCreateInfo target{};
  target.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  target.imageType = VK_IMAGE_TYPE_2D;
  target.format = format;
  target.extent = {extent.width, extent.height, 1};
  target.mipLevels = 1;
  target.arrayLayers = 1;
  target.samples = VK_SAMPLE_COUNT_1_BIT;
  target.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  AllocationDesc target_desc;
  target_desc.name = "colour target";
  const UniqueImage image(*allocator_, allocator_->create_image(target, target_desc).value());
  VkBufferCreateInfo copy{};
  copy.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  copy.size = VkDeviceSize{4} * extent.width * extent.height;
  copy.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  AllocationDesc copy_desc;
  copy_desc.intent = MemoryIntent::readback;
  copy_desc.mapped = true;
  copy_desc.name = "read back";
  const UniqueBuffer buffer(*allocator_, allocator_->create_buffer(copy, copy_desc).value());
  VkImageViewCreateInfo view_info{};
  view_info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view_info.image = image->image;
  view_info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view_info.format = format;
  view_info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkImageView view = VK_NULL_HANDLE;
  vkCreateImageView(device_, &view_info, nullptr, &view);

  record(image->image, view, buffer->buffer, extent, clear_value(background, format), outside,
         inside);
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands_;
  vkQueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE);
  vkQueueWaitIdle(queue_);

  Picture picture{static_cast<int>(extent.width), static_cast<int>(extent.height), {}};
  picture.pixels.resize(std::size_t{extent.width} * extent.height);
  const AllocationInfo info = allocator_->info(buffer->allocation).value();
  std::memcpy(picture.pixels.data(), info.mapped, picture.pixels.size() * sizeof(Pixel));
  vkDestroyImageView(device_, view, nullptr);
  return picture;
}

}  // namespace quarry::hud
