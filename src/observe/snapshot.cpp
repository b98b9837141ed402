// SPDX-License-Identifier: MIT
// Copies the layout of the whole heap: block by block, each under its arena's lock, so that every
// block is consistent in itself. Linear in the number of ranges.
#include <cstring>
#include <utility>

#include <quarry/allocator.hpp>
#include <quarry/snapshot.hpp>

#include "base/host_array.hpp"
#include "base/host_object.hpp"
#include "device/error.hpp"
#include "heap/core.hpp"
#include "heap/range_parts.hpp"

namespace quarry {

struct Snapshot::Data {
  explicit Data(const HostMemory& memory) noexcept
      : host(memory), blocks(memory), ranges(memory), text(memory) {}

  HostMemory host;
  base::HostArray<SnapshotBlock> blocks;
  base::HostArray<SnapshotRange> ranges;
  base::HostArray<char> text;  ///< names, each with its terminator; byte 0 is the empty one
};

namespace {

class Builder {
 public:
  Builder(heap::Core& core, Snapshot::Data& data) : core_(core), data_(data) {}

  /// False when host memory ran out.
  bool run() {
    good_ = data_.text.push_back('\0');
    core_.for_each_arena([this](const heap::Arena& arena) {
      arena.for_each_block([&](const heap::Block& block) { add(block, arena.traits()); });
    });
    core_.dedicated.for_each([this](const heap::Block& block) { add_dedicated(block); });
    return good_;
  }

 private:
  SnapshotBlock common(const heap::Block& block) const {
    SnapshotBlock entry;
    entry.memory = block.memory.handle();
    entry.size = block.memory.size();
    entry.memory_type = block.memory.memory_type();
    entry.heap = block.memory.heap();
    entry.mapped = block.memory.is_mapped();
    entry.first_range = static_cast<std::uint32_t>(data_.ranges.size());
    return entry;
  }

  void add(const heap::Block& block, const heap::ArenaTraits& traits) {
    SnapshotBlock entry = common(block);
    used_bytes_ = 0;
    entry.pool = traits.pool != nullptr ? traits.pool->handle : Pool{};
    entry.optimal = traits.optimal;
    entry.emptying = block.closed;
    entry.lifetime = traits.lifetime;
    block.space->for_each_range(
        [](void* context, const OffsetRange& range) {
          Builder& builder = *static_cast<Builder*>(context);
          heap::for_each_part(builder.core_.records, range,
                              [&](const heap::RangePart& part) { builder.add_part(part); });
        },
        this);
    entry.used_bytes = used_bytes_;
    entry.range_count = static_cast<std::uint32_t>(data_.ranges.size()) - entry.first_range;
    good_ = good_ && data_.blocks.push_back(entry);
  }

  void add_dedicated(const heap::Block& block) {
    SnapshotBlock entry = common(block);
    entry.used_bytes = block.used_bytes;
    entry.pool = block.pool;
    entry.dedicated = true;
    entry.range_count = 1;
    const auto found = core_.records.lookup(block.allocation.value);
    add_part({.offset = 0,
              .size = block.used_bytes,
              .handle = block.allocation.value,
              .record = found.record});
    good_ = good_ && data_.blocks.push_back(entry);
  }

  void add_part(const heap::RangePart& part) {
    SnapshotRange entry;
    entry.offset = part.offset;
    entry.size = part.size;
    if (part.handle != 0) {
      used_bytes_ += part.size;
      entry.allocation = Allocation{part.handle};
    }
    if (part.record != nullptr) {
      entry.tag = part.record->tag();
      core_.extras.look(part.handle, *part.record, [&](const heap::Extras& extras) {
        if (extras.name != nullptr) entry.name = add_name(extras.name);
      });
    }
    good_ = good_ && data_.ranges.push_back(entry);
  }

  std::uint32_t add_name(const char* name) {
    const std::size_t length = std::strlen(name) + 1;
    const std::size_t offset = data_.text.size();
    good_ = good_ && data_.text.resize(offset + length);
    if (!good_) return 0;
    std::memcpy(data_.text.data() + offset, name, length);
    return static_cast<std::uint32_t>(offset);
  }

  heap::Core& core_;
  Snapshot::Data& data_;
  VkDeviceSize used_bytes_ = 0;  ///< of the block that is walked
  bool good_ = true;
};

}  // namespace

Result<Snapshot> Allocator::snapshot() const {
  auto* data = base::create_object<Snapshot::Data>(core_->host, core_->host);
  if (data == nullptr) return device::refuse(Reason::out_of_host_memory);
  Snapshot snapshot(data);
  if (!Builder(*core_, *data).run()) return device::refuse(Reason::out_of_host_memory);
  return snapshot;
}

Snapshot::Snapshot(Snapshot&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}

Snapshot& Snapshot::operator=(Snapshot&& other) noexcept {
  std::swap(data_, other.data_);
  return *this;
}

Snapshot::~Snapshot() {
  if (data_ != nullptr) base::destroy_object(data_->host, data_);
}

std::span<const SnapshotBlock> Snapshot::blocks() const {
  return data_ == nullptr ? std::span<const SnapshotBlock>() : std::as_const(*data_).blocks.span();
}

std::span<const SnapshotRange> Snapshot::ranges() const {
  return data_ == nullptr ? std::span<const SnapshotRange>() : std::as_const(*data_).ranges.span();
}

std::span<const SnapshotRange> Snapshot::ranges(const SnapshotBlock& block) const {
  return ranges().subspan(block.first_range, block.range_count);
}

const char* Snapshot::text(std::uint32_t offset) const {
  return data_ == nullptr || offset >= data_->text.size() ? "" : data_->text.data() + offset;
}

}  // namespace quarry
