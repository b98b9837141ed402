// SPDX-License-Identifier: MIT
#include "heap/tags.hpp"

#include "device/error.hpp"

namespace quarry::heap {

namespace {

constexpr char kSeparator = '/';

bool is_name(std::string_view name) {
  const std::string_view empty_part("//");
  return !name.empty() && name.size() <= Tags::kMaximumName &&
         name.find('\0') == std::string_view::npos && name.front() != kSeparator &&
         name.back() != kSeparator && name.find(empty_part) == std::string_view::npos;
}

std::string_view name_above(std::string_view name) {
  const std::size_t end = name.rfind(kSeparator);
  return end == std::string_view::npos ? std::string_view() : name.substr(0, end);
}

}  // namespace

Result<Tag> Tags::add(std::string_view name) {
  if (!is_name(name)) return device::refuse(Reason::bad_argument);
  const base::MutexLock lock(mutex_);
  for (std::size_t end = name.find(kSeparator);; end = name.find(kSeparator, end + 1)) {
    const auto added = add_locked(name.substr(0, end));
    if (!added) return Unexpected(added.error());
    if (end == std::string_view::npos) return Tag{*added};
  }
}

Result<std::uint32_t> Tags::add_locked(std::string_view name) {
  const std::uint32_t known = names_.find(name);
  if (known != 0 && known <= count()) return known;
  if (count() == kMaximum) return device::refuse(Reason::over_limit);
  // A name whose cell could not be made stays in the table, unknown, and gets its cell at the next
  // try.
  const std::uint32_t number = names_.add(name);
  if (number == 0) return device::refuse(Reason::out_of_host_memory);
  while (cells_.size() < number) {
    Cell* const made = cells_.emplace_back();
    if (made == nullptr) return device::refuse(Reason::out_of_host_memory);
    // Those above were added before.
    made->parent = names_.find(name_above(names_.name(cells_.size())));
    if (made->parent != 0)
      made->limited.store(limited(Tag{made->parent}), std::memory_order_relaxed);
  }
  count_.store(number, std::memory_order_release);
  return number;
}

Tag Tags::parent(Tag tag) const {
  return tag.index == 0 || !known(tag) ? Tag{} : Tag{cell(tag.index).parent};
}

bool Tags::within(Tag tag, Tag above) const {
  while (tag.index > above.index)
    tag = parent(tag);
  return tag == above;
}

// ---- Counting

void Tags::add_allocations(Tag tag, std::int64_t count, std::int64_t bytes) {
  if (tag.index == 0) {
    untagged_.add_allocations(count, bytes);
    return;
  }
  cell(tag.index).alone.add_allocations(count, bytes);
  for (std::uint32_t each = tag.index; each != 0; each = cell(each).parent)
    cell(each).with_below.add_allocations(count, bytes);
}

std::uint32_t Tags::without_room(Tag tag, VkDeviceSize bytes) const {
  for (std::uint32_t each = tag.index; each != 0; each = cell(each).parent) {
    if (!cell(each).with_below.has_room(bytes, cell(each).hard.load(std::memory_order_relaxed)))
      return each;
  }
  return 0;
}

std::uint32_t Tags::try_add_allocations(Tag tag, std::uint32_t count, VkDeviceSize bytes) {
  const auto change = static_cast<std::int64_t>(bytes);
  if (!limited(tag)) {
    add_allocations(tag, count, change);
    return 0;
  }
  // Looked at first, so that a refused request is seen nowhere but in a race for the last bytes.
  if (const std::uint32_t refusing = without_room(tag, bytes); refusing != 0) return refusing;
  for (std::uint32_t each = tag.index; each != 0; each = cell(each).parent) {
    Cell& counted = cell(each);
    if (counted.with_below.add_allocations_within(count, bytes,
                                                  counted.hard.load(std::memory_order_relaxed)))
      continue;
    for (std::uint32_t undone = tag.index; undone != each; undone = cell(undone).parent)
      cell(undone).with_below.add_allocations(-std::int64_t{count}, -change);
    return each;
  }
  cell(tag.index).alone.add_allocations(count, change);
  return 0;
}

// ---- Reading

Totals Tags::read(Tag tag) const {
  if (!known(tag)) return {};
  return (tag.index == 0 ? untagged_ : cell(tag.index).with_below).read();
}

Totals Tags::read_alone(Tag tag) const {
  if (!known(tag)) return {};
  return (tag.index == 0 ? untagged_ : cell(tag.index).alone).read();
}

void Tags::reset_peaks() {
  untagged_.reset_peaks();
  for (std::uint32_t i = 1; i <= count(); ++i) {
    cell(i).alone.reset_peaks();
    cell(i).with_below.reset_peaks();
  }
}

// ---- Quotas

bool Tags::set_quota(Tag tag, const TagQuota& quota) {
  const base::MutexLock lock(mutex_);
  std::size_t place = 0;
  while (place < soft_.size() && soft_[place].tag != tag)
    ++place;
  if (quota.soft == VK_WHOLE_SIZE) {
    if (place < soft_.size()) soft_.erase(place);
  } else if (place == soft_.size() && !soft_.push_back({.tag = tag, .gauge = {}})) {
    return false;
  }
  cell(tag.index).soft.store(quota.soft, std::memory_order_relaxed);
  cell(tag.index).hard.store(quota.hard, std::memory_order_relaxed);
  // In this order each comes after the one above it.
  for (std::uint32_t i = 1; i <= count(); ++i) {
    Cell& each = cell(i);
    each.limited.store(
        each.hard.load(std::memory_order_relaxed) != VK_WHOLE_SIZE || limited(Tag{each.parent}),
        std::memory_order_release);
  }
  return true;
}

TagQuota Tags::quota(Tag tag) const {
  if (tag.index == 0 || !known(tag)) return {};
  return {.soft = cell(tag.index).soft.load(std::memory_order_relaxed),
          .hard = cell(tag.index).hard.load(std::memory_order_relaxed)};
}

bool Tags::soft_tag(std::size_t number, Tag& tag) {
  const base::MutexLock lock(mutex_);
  if (number >= soft_.size()) return false;
  tag = soft_[number].tag;
  return true;
}

bool Tags::crossed(std::size_t number, VkDeviceSize bytes, double hysteresis,
                   QuotaCrossing& crossing) {
  constexpr double kWhole[] = {1.0};
  const base::MutexLock lock(mutex_);
  if (number >= soft_.size() || soft_[number].tag != crossing.tag) return false;
  crossing.quota = quota(crossing.tag);
  crossing.bytes = bytes;
  plan::PressureGauge& gauge = soft_[number].gauge;
  const std::uint32_t before = gauge.level();
  crossing.reached = gauge.observe(bytes, crossing.quota.soft, kWhole, hysteresis) != 0;
  return crossing.reached != (before != 0);
}

}  // namespace quarry::heap
