// SPDX-License-Identifier: MIT
#include "base/asymmetric_fence.hpp"

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif

namespace quarry::base {

namespace {

#if defined(__linux__)
bool membarrier(int command) {
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}
#endif

bool register_process() {
#if defined(__linux__)
  return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
#elif defined(_WIN32)
  return true;
#else
  return false;
#endif
}

}  // namespace

bool has_asymmetric_fence() {
  static const bool has = register_process();
  return has;
}

void full_fence() {
  // ThreadSanitizer knows no fences, and GCC says so. What the fence is for, it does all the same.
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
  std::atomic_thread_fence(std::memory_order_seq_cst);
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
}

void heavy_fence() {
  full_fence();
  if (!has_asymmetric_fence()) return;
#if defined(__linux__)
  // A forked child has to register again.
  if (!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) && register_process())
    membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
#elif defined(_WIN32)
  FlushProcessWriteBuffers();
#endif
}

}  // namespace quarry::base
