// SPDX-License-Identifier: MIT
#include "heap/tags.hpp"

#include "device/error.hpp"

namespace quarry::heap {

Result<Tag> Tags::add(std::string_view name) {
  if (name.empty() || name.size() > kMaximumName || name.find('\0') != std::string_view::npos) {
    return device::refuse(Reason::bad_argument);
  }
  const base::MutexLock lock(mutex_);
  const std::uint32_t known = names_.find(name);
  if (known != 0 && known <= count()) return Tag{known};
  if (count() == kMaximum) return device::refuse(Reason::over_limit);
  // A name whose cell could not be made stays in the table, unknown, and gets its cell at the next
  // try.
  const std::uint32_t number = names_.add(name);
  if (number == 0) return device::refuse(Reason::out_of_host_memory);
  while (cells_.size() < number) {
    if (cells_.emplace_back() == nullptr) return device::refuse(Reason::out_of_host_memory);
  }
  count_.store(number, std::memory_order_release);
  return Tag{number};
}

Totals Tags::read(Tag tag) const {
  if (!known(tag)) return {};
  return (tag.index == 0 ? untagged_ : cells_[tag.index - 1]).read();
}

void Tags::reset_peaks() {
  for (std::uint32_t i = 0; i <= count(); ++i)
    cell(Tag{i}).reset_peaks();
}

}  // namespace quarry::heap
