// SPDX-License-Identifier: MIT
// An offset algorithm and the version header, in a program that knows no Vulkan.
#include <string>

#include <quarry/tlsf.hpp>
#include <quarry/version.hpp>

namespace {

// Where the build told the package's version, the header must say the same.
bool version_is_right() {
#ifdef CONSUMER_EXPECTS_VERSION
  const std::string said = std::to_string(QUARRY_VERSION_MAJOR) + "." +
                           std::to_string(QUARRY_VERSION_MINOR) + "." +
                           std::to_string(QUARRY_VERSION_PATCH);
  return said == CONSUMER_EXPECTS_VERSION;
#else
  return true;
#endif
}

}  // namespace

int main() {
  quarry::Tlsf ranges({.size = 1000});
  const quarry::OffsetResult<quarry::OffsetAllocation> whole = ranges.allocate({.size = 1000});
  if (!whole || ranges.free_bytes() != 0) return 1;
  if (ranges.free(whole->handle) != quarry::OffsetError::none) return 1;
  return ranges.empty() && version_is_right() ? 0 : 1;
}
