// SPDX-License-Identifier: MIT
// The adapter before volk has loaded anything: a table of null pointers. Needs no driver.
#include <volk.h>

#include <quarry/volk.hpp>

int main() {
  const quarry::VulkanFunctions functions = quarry::functions_from_volk();
  return functions.vkAllocateMemory == nullptr && volkGetInstanceVersion() == 0 ? 0 : 1;
}
