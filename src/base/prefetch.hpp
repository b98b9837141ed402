// SPDX-License-Identifier: MIT
// A hint to the processor, for lines that another one may have written. Changes nothing.
#pragma once

namespace quarry::base {

/// Begins to fetch the line at `address`, to be written. Any address is allowed.
inline void prefetch_for_write(const void* address) {
#if defined(__x86_64__) || defined(__i386__)
  // Compilers fall back to fetching for reading unless they are told that the processor knows this
  // instruction; those that do not ignore it.
  __asm__ volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#elif defined(__GNUC__)
  __builtin_prefetch(address, 1);
#else
  (void)address;
#endif
}

}  // namespace quarry::base
