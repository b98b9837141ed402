// SPDX-License-Identifier: MIT
// Explanations as text.
#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

#include <quarry/explain.hpp>

namespace quarry {

const char* to_string(TypeVerdict verdict) {
  switch (verdict) {
    case TypeVerdict::chosen:
      return "chosen";
    case TypeVerdict::candidate:
      return "would be tried next";
    case TypeVerdict::not_in_type_bits:
      return "not allowed by the resource or the request";
    case TypeVerdict::lacks_required:
      return "lacks a required property";
    case TypeVerdict::has_forbidden:
      return "has a forbidden property";
    case TypeVerdict::protected_memory:
      return "protected, which was not asked for";
    case TypeVerdict::lazily_allocated:
      return "lazily allocated, and this is no transient attachment";
    case TypeVerdict::device_coherent:
      return "device-coherent, which is not enabled or not asked for";
    case TypeVerdict::exceeds_heap:
      return "the request is larger than its heap";
    case TypeVerdict::exceeds_driver_size:
      return "the request is larger than maxMemoryAllocationSize";
    case TypeVerdict::over_budget:
      return "no room within the heap's budget";
    case TypeVerdict::over_limit:
      return "no room within the limits";
  }
  return "unknown";
}

const char* to_string(Placement placement) {
  switch (placement) {
    case Placement::none:
      return "nowhere";
    case Placement::existing_block:
      return "in an existing block";
    case Placement::new_block:
      return "in a new block";
    case Placement::dedicated:
      return "in memory of its own";
  }
  return "unknown";
}

const char* to_string(MovableVerdict verdict) {
  switch (verdict) {
    case MovableVerdict::movable:
      return "movable";
    case MovableVerdict::pinned:
      return "not movable now: pinned";
    case MovableVerdict::mapped:
      return "not movable now: mapped";
    case MovableVerdict::not_requested:
      return "not movable: not asked for";
    case MovableVerdict::not_created_here:
      return "not movable: the resource was not created by this library";
    case MovableVerdict::unknown_create_info:
      return "not movable: its create-info holds a structure that is not known";
    case MovableVerdict::persistently_mapped:
      return "not movable: persistently mapped";
    case MovableVerdict::device_address:
      return "not movable: its device address may be held";
    case MovableVerdict::custom_pool:
      return "not movable: in a linear or buddy pool";
    case MovableVerdict::aliased:
      return "not movable: other resources may share its memory";
    case MovableVerdict::imported_or_exported:
      return "not movable: its memory is imported or exported";
    case MovableVerdict::transient:
      return "not movable: a transient attachment";
    case MovableVerdict::protected_memory:
      return "not movable: protected";
    case MovableVerdict::disjoint:
      return "not movable: a disjoint image";
    case MovableVerdict::unsupported_usage:
      return "not movable: its usage does not allow it";
  }
  return "unknown";
}

namespace {

/// Appends to a fixed buffer and counts what did not fit.
class Text {
 public:
  explicit Text(std::span<char> room) : room_(room) {
    if (!room_.empty()) room_[0] = '\0';
  }
  std::size_t length() const { return length_; }

  __attribute__((format(printf, 2, 3))) void add(const char* pattern, ...) {
    char* at = length_ < room_.size() ? room_.data() + length_ : nullptr;
    const std::size_t left = at == nullptr ? 0 : room_.size() - length_;
    std::va_list arguments;
    va_start(arguments, pattern);
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is right above
    const int written = std::vsnprintf(at, left, pattern, arguments);
    va_end(arguments);
    if (written > 0) length_ += static_cast<std::size_t>(written);
  }

 private:
  std::span<char> room_;
  std::size_t length_ = 0;
};

}  // namespace

std::size_t format(const Explanation& explanation, std::span<char> room) {
  Text text(room);
  text.add("%" PRIu64 " bytes aligned to %" PRIu64 ": ", explanation.size, explanation.alignment);
  if (explanation.placement == Placement::none) {
    text.add("cannot be placed\n");
  } else {
    text.add("memory type %u (flags 0x%x, heap %u), %s, %" PRIu64 " new bytes\n",
             explanation.memory_type, explanation.property_flags, explanation.heap,
             to_string(explanation.placement), explanation.new_bytes);
  }
  text.add("%s\n", to_string(explanation.movable));
  for (std::uint32_t type = 0; type < explanation.type_count; ++type) {
    text.add("  type %u: %s\n", type, to_string(explanation.verdicts[type]));
  }
  return text.length();
}

}  // namespace quarry
