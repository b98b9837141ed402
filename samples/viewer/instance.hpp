// SPDX-License-Identifier: MIT
// The Vulkan instance, and the devices that it finds. One instance a process: volk's pointers are
// global.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <volk.h>

#include "viewer/outcome.hpp"
#include "viewer/validation.hpp"

namespace quarry::viewer {

class Instance {
 public:
  /// `extensions`: what a window needs; empty without one.
  static Outcome<std::unique_ptr<Instance>> create(bool validation,
                                                   const std::vector<std::string>& extensions);
  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  VkInstance handle() const { return handle_; }
  /// Null without validation.
  ValidationListener* validation() { return validation_.get(); }
  /// Never empty on success; what is not there has a reason.
  Outcome<std::vector<VkPhysicalDevice>> devices() const;
  const std::vector<std::string>& extensions() const { return extensions_; }

 private:
  VkInstance handle_ = VK_NULL_HANDLE;
  std::vector<std::string> extensions_;
  std::unique_ptr<ValidationListener> validation_;
};

}  // namespace quarry::viewer
