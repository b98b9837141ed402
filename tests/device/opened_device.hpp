// SPDX-License-Identifier: MIT
// A fake GPU with the library's device opened on it, and host memory that is counted.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "device/device.hpp"
#include "fakes/counting_host_callbacks.hpp"
#include "fakes/fake_gpu.hpp"

namespace quarry::device {

/// A description as the profile says, with messages kept.
struct Description {
  AllocatorDesc desc;
  std::vector<std::string> messages;

  explicit Description(const fakes::FakeGpu& gpu) : desc(gpu.allocator_desc()) {
    desc.on_message = [](void* user, Severity, const char* text) {
      static_cast<Description*>(user)->messages.emplace_back(text);
    };
    desc.message_user = this;
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
};

struct OpenedDevice {
  fakes::CountingHostCallbacks host;
  fakes::FakeGpu gpu;
  Device device;

  explicit OpenedDevice(fakes::FakeProfile profile) : gpu(std::move(profile)) {
    Description description(gpu);
    description.desc.host_callbacks = host.callbacks();
    const Status opened = device.open(description.desc);
    EXPECT_TRUE(opened) << (description.messages.empty() ? "" : description.messages.front());
    gpu.reset_calls();
  }
};

/// The same profile as a program for Vulkan 1.0 sees it, with these device extensions.
inline fakes::FakeProfile at_version_1_0(fakes::FakeProfile profile,
                                         std::vector<const char*> device_extensions = {}) {
  profile.api_version = VK_API_VERSION_1_0;
  profile.declared_version = VK_API_VERSION_1_0;
  profile.features = {};
  profile.device_extensions = std::move(device_extensions);
  return profile;
}

}  // namespace quarry::device
