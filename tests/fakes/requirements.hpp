// SPDX-License-Identifier: MIT
// What the fake driver requires for a buffer or image, from its create-info and the profile alone.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

#include "fakes/fake_profile.hpp"

namespace quarry::fakes {

/// Usage of the buffer, from VkBufferUsageFlags2CreateInfo where the chain has it.
VkFlags64 usage_of(const VkBufferCreateInfo& info);

/// Planes of the format; 1 for every format that is not multi-planar.
std::uint32_t plane_count(VkFormat format);

/// The plane that an aspect names, or plane_count(format) if it names none.
std::uint32_t plane_of(VkFormat format, VkImageAspectFlagBits aspect);

FakeRequirements buffer_requirements(const FakeProfile& profile, const VkBufferCreateInfo& info);

/// Of the whole image, or of one plane of a disjoint one.
FakeRequirements image_requirements(const FakeProfile& profile, const VkImageCreateInfo& info,
                                    std::uint32_t plane);

}  // namespace quarry::fakes
