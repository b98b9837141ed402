// SPDX-License-Identifier: MIT
#include <quarry/host_memory.hpp>
#include <quarry/version.hpp>
int main() {
  const quarry::HostMemory memory = quarry::HostMemory::standard();
  void* block = memory.allocate(memory.user, 64, 64);
  if (block == nullptr) return 1;
  memory.release(memory.user, block);
  return 0;
}
