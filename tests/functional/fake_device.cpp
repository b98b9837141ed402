// SPDX-License-Identifier: MIT
// The functional suite's device on the fake GPU: copies are made through the bindings, as the
// device sees the memory.
#include <cstdlib>
#include <stdexcept>

#include "fakes/fake_gpu.hpp"
#include "functional/test_device.hpp"

namespace quarry::functional {

namespace {

class FakeDevice : public TestDevice {
 public:
  FakeDevice() : gpu_(chosen_profile()), timeline_(gpu_.create_timeline_semaphore()) {}

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
  void write_image(VkBuffer from, VkDeviceSize offset, VkImage target, VkExtent2D extent) override {
    write(image(target), 0, read(buffer(from), offset, bytes_of(extent)));
  }
  void read_image(VkImage source, VkExtent2D extent, VkBuffer to) override {
    write(buffer(to), 0, read(image(source), 0, bytes_of(extent)));
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
      copy_buffer(next.from, next.to, next.region);
      gpu_.signal(timeline_, next.value);
    }
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
    VkBuffer from;
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
  static VkDeviceSize bytes_of(VkExtent2D extent) {
    return VkDeviceSize{4} * extent.width * extent.height;
  }

  fakes::Binding buffer(VkBuffer handle) const { return gpu_.buffer_binding(handle).value(); }
  fakes::Binding image(VkImage handle) const { return gpu_.image_binding(handle).value(); }
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
