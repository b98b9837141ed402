// SPDX-License-Identifier: MIT
// Errors of the library made from a Reason or a VkResult, in one place, so that the same reason
// always carries the same code.
#pragma once

#include <vulkan/vulkan_core.h>

#include <quarry/result.hpp>

namespace quarry::device {

/// The VkResult that a Vulkan program would expect for a refusal of the library itself.
VkResult code_of(Reason reason);

/// What a failed driver call means. Precondition: `code` is an error.
Reason reason_of(VkResult code);

/// A refusal of the library itself.
Unexpected<Error> refuse(Reason reason, VkDeviceSize requested_bytes = 0);

/// A failed driver call. Precondition: `code` is an error.
Unexpected<Error> driver_failed(VkResult code, VkDeviceSize requested_bytes = 0);

}  // namespace quarry::device
