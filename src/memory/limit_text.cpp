// SPDX-License-Identifier: MIT
#include "memory/limit_text.hpp"

#include <cstdint>

namespace quarry::memory {

namespace {

struct Unit {
  std::string_view name;
  double bytes;
};

constexpr double kKiB = 1'024.0;
constexpr Unit kUnits[] = {{"KiB", kKiB},
                           {"MiB", kKiB* kKiB},
                           {"GiB", kKiB* kKiB* kKiB},
                           {"TiB", kKiB* kKiB* kKiB* kKiB},
                           {"B", 1.0}};
constexpr double kMostBytes = 18'446'744'073'709'549'568.0;  // the last double below 2^64

/// Takes parts off the front of a text.
class Parts {
 public:
  explicit Parts(std::string_view text) : text_(text) {}

  bool at_end() {
    skip_blanks();
    return text_.empty();
  }
  bool take(std::string_view part) {
    skip_blanks();
    if (text_.substr(0, part.size()) != part) return false;
    text_.remove_prefix(part.size());
    return true;
  }
  /// Digits, and after a point more of them where `decimal`.
  bool take_number(double& number, bool decimal) {
    skip_blanks();
    number = 0.0;
    std::size_t digits = 0;
    for (; has_digit(); ++digits)
      number = number * 10.0 + take_digit();
    if (!decimal || text_.empty() || text_.front() != '.') return digits != 0;
    text_.remove_prefix(1);
    double place = 1.0;
    for (; has_digit(); ++digits) {
      place /= 10.0;
      number += place * take_digit();
    }
    return digits != 0;
  }

 private:
  bool has_digit() const { return !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; }
  double take_digit() {
    const double digit = text_.front() - '0';
    text_.remove_prefix(1);
    return digit;
  }
  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t'))
      text_.remove_prefix(1);
  }

  std::string_view text_;
};

bool read_amount(Parts& parts, ProcessLimit& limit) {
  double amount = 0.0;
  if (!parts.take_number(amount, true) || amount <= 0.0) return false;
  if (parts.take("%")) {
    limit.share = amount / 100.0;
    return amount <= 100.0;
  }
  for (const Unit& unit : kUnits) {
    if (!parts.take(unit.name)) continue;
    const double bytes = amount * unit.bytes;
    if (bytes > kMostBytes || bytes < 1.0) return false;
    limit.bytes = static_cast<VkDeviceSize>(bytes);
    return true;
  }
  return false;
}

}  // namespace

bool read_limits(std::string_view text, HeapLimits& limits) {
  Parts parts(text);
  if (parts.at_end()) return true;
  do {
    double heap = 0.0;
    if (!parts.take_number(heap, false) || heap >= VK_MAX_MEMORY_HEAPS || !parts.take(":"))
      return false;
    if (limits.count == limits.limits.size()) return false;
    ProcessLimit& limit = limits.limits[limits.count];
    limit.heap = static_cast<std::uint32_t>(heap);
    if (!read_amount(parts, limit)) return false;
    ++limits.count;
  } while (parts.take(","));
  return parts.at_end();
}

}  // namespace quarry::memory
