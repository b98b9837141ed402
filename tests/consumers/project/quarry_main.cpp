// SPDX-License-Identifier: MIT
// The whole library with a table of functions of the program's own, here an empty one: no driver is
// needed to be refused.
#include <cstdio>
#include <cstring>

#include <quarry/quarry.hpp>

int main() {
  const quarry::VulkanFunctions functions;
  quarry::AllocatorDesc desc;
  desc.functions = &functions;
  const quarry::Result<quarry::Allocator> made = quarry::Allocator::create(desc);
  if (made.has_value()) return 1;
  std::printf("refused: %s\n", quarry::to_string(made.error().reason));
  return std::strlen(quarry::to_string(made.error().reason)) > 0 ? 0 : 1;
}
