// SPDX-License-Identifier: MIT
#include <cstdlib>

#include <quarry/host_memory.hpp>

namespace quarry {

namespace {

void* standard_allocate(void* /*user*/, std::size_t size, std::size_t alignment) noexcept {
  const std::size_t at_least = alignment < sizeof(void*) ? sizeof(void*) : alignment;
  void* memory = nullptr;
  return ::posix_memalign(&memory, at_least, size) == 0 ? memory : nullptr;
}

void standard_release(void* /*user*/, void* memory) noexcept {
  std::free(memory);
}

}  // namespace

HostMemory HostMemory::standard() {
  return {nullptr, standard_allocate, standard_release};
}

}  // namespace quarry
