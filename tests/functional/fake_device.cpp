// SPDX-License-Identifier: MIT
// The functional suite's device on the fake GPU: copies are made through the bindings, as the
// device sees the memory.
#include <cstdlib>
#include <stdexcept>

#include "copy/played_shaders.hpp"
#include "fakes/fake_gpu.hpp"
#include "functional/test_device.hpp"
#include "functional/texels.hpp"

namespace quarry::functional {

namespace {

class FakeDevice : public TestDevice {
 public:
  FakeDevice() : gpu_(chosen_profile()), timeline_(gpu_.create_timeline_semaphore()) {
    copy::play_copy_shaders(gpu_);
  }

  AllocatorDesc allocator_desc() const override { return gpu_.allocator_desc(); }
  std::string description() const override {
    return std::string("fake GPU, profile ").append(profile_name());
  }
  VkDevice device() const override { return gpu_.device(); }
  PFN_vkVoidFunction device_function(const char* name) const override {
    return fakes::FakeGpu::get_instance_proc_addr(gpu_.instance(), name);
  }

  void copy_buffer(VkBuffer from, VkBuffer to, const VkBufferCopy& region) override {
    write(buffer(to), region.dstOffset, read(buffer(from), region.srcOffset, region.size));
  }
  void fill_buffer(VkBuffer target, VkDeviceSize offset, VkDeviceSize size,
                   std::uint32_t word) override {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
      bytes[i] = static_cast<std::byte>(word >> (8 * (i % 4)));
    write(buffer(target), offset, bytes);
  }
  bool supports(const VkImageCreateInfo&) const override { return true; }
  void write_image(VkBuffer from, const TestImage& image) override {
    each_subresource(image, [&](const Subresource& at) {
      gpu_.write_image(image.image, at.aspect, at.mip, at.layer, image.layout,
                       read(buffer(from), at.offset, at.bytes));
    });
  }
  void read_image(const TestImage& image, VkBuffer to) override {
    each_subresource(image, [&](const Subresource& at) {
      if (gpu_.image_layout(image.image, at.mip, at.layer) != image.layout)
        throw std::runtime_error("the image has another layout");
      write(buffer(to), at.offset, gpu_.read_image(image.image, at.aspect, at.mip, at.layer));
    });
  }

  VkSemaphore timeline() const override { return timeline_; }
  void submit_copy(VkBuffer from, VkBuffer to, const VkBufferCopy& region,
                   std::uint64_t value) override {
    gpu_.submit_buffer_read(from, region.srcOffset, region.size, timeline_, value);
    pending_.push_back({from, to, region, value});
  }
  void wait(std::uint64_t value) override {
    while (!pending_.empty() && pending_.front().value <= value) {
      const Pending next = pending_.front();
      pending_.erase(pending_.begin());
      if (next.from != VK_NULL_HANDLE) copy_buffer(next.from, next.to, next.region);
      gpu_.signal(timeline_, next.value);
    }
  }
  VkCommandBuffer begin_commands() override { return gpu_.begin_commands(); }
  void submit_commands(VkCommandBuffer commands, std::uint64_t value) override {
    gpu_.submit({&commands, 1}, timeline_, value);
    pending_.push_back({VK_NULL_HANDLE, VK_NULL_HANDLE, {}, value});
  }

  VkDeviceAddress address(VkBuffer) override { return 0; }
  bool supports_disjoint(VkFormat) const override { return true; }
  void allow_aliasing(const AllocationInfo& info) override {
    gpu_.allow_aliasing(info.memory, info.offset, info.size);
  }
  std::vector<std::string> complaints() const override {
    std::vector<std::string> all;
    for (const fakes::Violation& violation : gpu_.violations())
      all.push_back(fakes::to_string(violation));
    return all;
  }
  bool provoke_complaint() override {
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.memoryTypeIndex = VK_MAX_MEMORY_TYPES;
    info.allocationSize = 256;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    (void)fakes::FakeGpu::functions().vkAllocateMemory(gpu_.device(), &info, nullptr, &memory);
    return true;
  }

 private:
  struct Pending {
    VkBuffer from;  ///< null: the fake runs command buffers itself
    VkBuffer to;
    VkBufferCopy region;
    std::uint64_t value;
  };

  static std::string profile_name() {
    const char* name = std::getenv("QUARRY_TEST_PROFILE");
    return name != nullptr ? name : "discrete";
  }
  static fakes::FakeProfile chosen_profile() {
    for (fakes::FakeProfile& profile : fakes::profiles::all()) {
      if (profile.name == profile_name()) return profile;
    }
    throw std::runtime_error(std::string("no such profile: ").append(profile_name()));
  }
  struct Subresource {
    VkImageAspectFlagBits aspect;
    std::uint32_t mip;
    std::uint32_t layer;
    VkDeviceSize offset;  ///< in the buffer
    VkDeviceSize bytes;
  };
  template <class Visit>
  static void each_subresource(const TestImage& image, Visit visit) {
    for (const Texels::Mip& mip : texels_of(image.info).mips) {
      const VkImageSubresourceLayers& of = mip.region.imageSubresource;
      const VkDeviceSize bytes = mip.bytes / of.layerCount;
      for (std::uint32_t layer = 0; layer < of.layerCount; ++layer)
        visit(Subresource{static_cast<VkImageAspectFlagBits>(of.aspectMask), of.mipLevel, layer,
                          mip.region.bufferOffset + layer * bytes, bytes});
    }
  }

  fakes::Binding buffer(VkBuffer handle) const { return gpu_.buffer_binding(handle).value(); }
  std::vector<std::byte> read(const fakes::Binding& at, VkDeviceSize offset, VkDeviceSize size) {
    std::vector<std::byte> bytes(size);
    if (!gpu_.device_read(at.memory, at.offset + offset, bytes))
      throw std::runtime_error("device read out of range");
    return bytes;
  }
  void write(const fakes::Binding& at, VkDeviceSize offset, std::span<const std::byte> bytes) {
    if (!gpu_.device_write(at.memory, at.offset + offset, bytes))
      throw std::runtime_error("device write out of range");
  }

  fakes::FakeGpu gpu_;
  VkSemaphore timeline_;
  std::vector<Pending> pending_;
};

}  // namespace

std::unique_ptr<TestDevice> make_fake_device() {
  return std::make_unique<FakeDevice>();
}

}  // namespace quarry::functional
