// SPDX-License-Identifier: MIT
#include <utility>

#include <quarry/tlsf.hpp>

#include "base/assert.hpp"
#include "base/host_object.hpp"
#include "offset/request.hpp"
#include "offset/tlsf_state.hpp"

namespace quarry {

using offset::kNoNode;

// ---- The hot path of the bookkeeping, beside its callers so that it is inlined.

inline void Tlsf::State::link_free(std::uint32_t index, Node& node) {
  const std::uint32_t bin = bin_of(node.size);
  const std::uint32_t next = std::exchange(first_[bin], index);
  if (next != kNoNode) {
    nodes_[next].bin.previous = index;
  } else {
    bins_occupied_[bin / kBinsInRow] |= 1u << (bin % kBinsInRow);
    rows_occupied_ |= std::uint64_t{1} << (bin / kBinsInRow);
  }
  node.bin = {kNoNode, next};
  node.bin_index = bin;
}

inline void Tlsf::State::unlink_free(const Node& node) {
  const Links links = node.bin;
  if (links.next != kNoNode) nodes_[links.next].bin.previous = links.previous;
  if (links.previous != kNoNode) {
    nodes_[links.previous].bin.next = links.next;
    return;
  }
  const std::uint32_t bin = node.bin_index;
  first_[bin] = links.next;
  if (links.next != kNoNode) return;
  const std::uint32_t row = bin / kBinsInRow;
  bins_occupied_[row] &= ~(1u << (bin % kBinsInRow));
  if (bins_occupied_[row] == 0) rows_occupied_ &= ~(std::uint64_t{1} << row);
}

inline void Tlsf::State::resize_free(std::uint32_t index, Node& node, std::uint64_t size) {
  if (bin_of(size) == node.bin_index) {
    node.size = size;
    return;
  }
  unlink_free(node);
  node.size = size;
  link_free(index, node);
}

inline std::uint32_t Tlsf::State::insert_after(std::uint32_t index, std::uint64_t offset,
                                               std::uint64_t size) {
  const std::uint32_t added = nodes_.acquire();
  Node& node = nodes_[added];
  Node& before = nodes_[index];
  node.offset = offset;
  node.size = size;
  node.previous = index;
  node.next = before.next;
  (before.next == kNoNode ? last_node_ : nodes_[before.next].previous) = added;
  before.next = added;
  return added;
}

inline std::uint32_t Tlsf::State::insert_before(std::uint32_t index, std::uint64_t offset,
                                                std::uint64_t size) {
  const std::uint32_t added = nodes_.acquire();
  Node& node = nodes_[added];
  Node& after = nodes_[index];
  node.offset = offset;
  node.size = size;
  node.previous = after.previous;
  node.next = index;
  (after.previous == kNoNode ? first_node_ : nodes_[after.previous].next) = added;
  after.previous = added;
  return added;
}

inline void Tlsf::State::remove(std::uint32_t index, const Node& node) {
  (node.previous == kNoNode ? first_node_ : nodes_[node.previous].next) = node.next;
  (node.next == kNoNode ? last_node_ : nodes_[node.next].previous) = node.previous;
  nodes_.release(index);
}

inline Tlsf::State::Place Tlsf::State::find(const OffsetRequest& request) {
  const std::uint32_t exact = bin_of(request.size);
  if (request.strategy != OffsetStrategy::balanced) return find_further(request, exact);
  std::uint32_t index = first_[exact];
  for (std::uint32_t probes = kExactProbes; index != kNoNode && probes > 0; --probes) {
    ++ranges_examined_;
    const Node& node = nodes_[index];
    std::uint64_t offset = 0;
    if (place_in(node, request, offset)) return {index, offset};
    index = node.bin.next;
  }
  return find_further(request, exact);
}

// What remains of a free range keeps its node, and its place in the list as long as the bin is the
// same.
inline OffsetHandle Tlsf::State::take(const Place& place, const OffsetRequest& request,
                                      std::uint32_t serial) {
  std::uint32_t index = place.node;
  Node& hole = nodes_[index];
  const std::uint64_t front = place.offset - hole.offset;
  const std::uint64_t tail = hole.size - front - request.size;
  if (front != 0) {
    resize_free(index, hole, front);
    index = insert_after(index, place.offset, request.size);
    if (tail != 0) {
      const std::uint32_t rest = insert_after(index, place.offset + request.size, tail);
      link_free(rest, nodes_[rest]);
    }
  } else if (tail != 0) {
    hole.offset += request.size;
    resize_free(index, hole, tail);
    index = insert_before(index, place.offset, request.size);
  } else {
    unlink_free(hole);
  }
  Node& node = nodes_[index];
  node.serial = serial;
  node.user = request.user;
  return nodes_.make_handle(index, serial);
}

inline std::uint64_t Tlsf::State::give_back(OffsetHandle handle) {
  const std::uint32_t index = nodes_.find(handle);
  if (index == kNoNode) return 0;
  Node& node = nodes_[index];
  const std::uint64_t bytes = node.size;
  const std::uint32_t previous = node.previous;
  const std::uint32_t next = node.next;
  if (is_free(previous)) {
    std::uint64_t size = nodes_[previous].size + bytes;
    if (is_free(next)) {
      const Node& after = nodes_[next];
      size += after.size;
      unlink_free(after);
      remove(next, after);
    }
    remove(index, node);
    resize_free(previous, nodes_[previous], size);
  } else if (is_free(next)) {
    Node& after = nodes_[next];
    after.offset = node.offset;
    remove(index, node);
    resize_free(next, after, after.size + bytes);
  } else {
    node.serial = 0;
    link_free(index, node);
  }
  return bytes;
}

bool Tlsf::State::start(std::uint64_t size) {
  if (!nodes_.reserve(1) || !make_rows(size)) return false;
  first_node_ = last_node_ = nodes_.acquire();
  Node& node = nodes_[first_node_];
  node.size = size;
  node.next = kNoNode;
  link_free(first_node_, node);
  return true;
}

bool Tlsf::State::extend(std::uint64_t old_size, std::uint64_t new_size) {
  if (!nodes_.reserve(1) || !make_rows(new_size)) return false;
  const std::uint64_t added = new_size - old_size;
  if (is_free(last_node_)) {
    Node& last = nodes_[last_node_];
    resize_free(last_node_, last, last.size + added);
  } else {
    const std::uint32_t index = insert_after(last_node_, old_size, added);
    link_free(index, nodes_[index]);
  }
  return true;
}

// ---- The public class.

Tlsf::Tlsf(const TlsfDesc& desc)
    : size_(desc.size),
      free_bytes_(desc.size),
      max_allocations_(desc.max_allocations),
      host_(desc.host) {}

Tlsf::Tlsf(Tlsf&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      free_bytes_(std::exchange(other.free_bytes_, 0)),
      allocation_count_(std::exchange(other.allocation_count_, 0)),
      max_allocations_(other.max_allocations_),
      serial_(other.serial_),
      host_(other.host_) {}

Tlsf& Tlsf::operator=(Tlsf&& other) noexcept {
  if (this == &other) return *this;
  base::destroy_object(host_, state_);
  state_ = std::exchange(other.state_, nullptr);
  size_ = std::exchange(other.size_, 0);
  free_bytes_ = std::exchange(other.free_bytes_, 0);
  allocation_count_ = std::exchange(other.allocation_count_, 0);
  max_allocations_ = other.max_allocations_;
  serial_ = other.serial_;
  host_ = other.host_;
  return *this;
}

Tlsf::~Tlsf() {
  base::destroy_object(host_, state_);
}

bool Tlsf::make_state() {
  State* state = base::create_object<State>(host_, host_);
  if (state == nullptr) return false;
  if (!state->start(size_)) {
    base::destroy_object(host_, state);
    return false;
  }
  state_ = state;
  return true;
}

OffsetResult<OffsetAllocation> Tlsf::allocate(const OffsetRequest& request) {
  const OffsetError error =
      offset::check_request(request, free_bytes_, allocation_count_, max_allocations_);
  if (error != OffsetError::none) return Unexpected(error);
  if (request.upper) return Unexpected(OffsetError::unsupported);
  if (state_ == nullptr && !make_state()) return Unexpected(OffsetError::out_of_host_memory);
  const State::Place place = state_->find(request);
  if (place.node == kNoNode) return Unexpected(OffsetError::out_of_space);
  if (!state_->prepare_take()) return Unexpected(OffsetError::out_of_host_memory);
  serial_ = offset::next_serial(serial_);
  const OffsetHandle handle = state_->take(place, request, serial_);
  free_bytes_ -= request.size;
  ++allocation_count_;
  QUARRY_ASSERT_HEAVY(validate());
  return OffsetAllocation{place.offset, handle};
}

OffsetError Tlsf::free(OffsetHandle handle) {
  const std::uint64_t bytes = state_ == nullptr ? 0 : state_->give_back(handle);
  if (bytes == 0) return OffsetError::stale_handle;
  free_bytes_ += bytes;
  --allocation_count_;
  QUARRY_ASSERT_HEAVY(validate());
  return OffsetError::none;
}

OffsetResult<OffsetRange> Tlsf::info(OffsetHandle handle) const {
  const std::uint32_t node = state_ == nullptr ? kNoNode : state_->find_live(handle);
  if (node == kNoNode) return Unexpected(OffsetError::stale_handle);
  return state_->range(node);
}

OffsetError Tlsf::set_user(OffsetHandle handle, std::uint64_t user) {
  const std::uint32_t node = state_ == nullptr ? kNoNode : state_->find_live(handle);
  if (node == kNoNode) return OffsetError::stale_handle;
  state_->set_user(node, user);
  return OffsetError::none;
}

OffsetError Tlsf::grow(std::uint64_t new_size) {
  if (new_size < size_) return OffsetError::invalid_argument;
  if (new_size == size_) return OffsetError::none;
  if (state_ != nullptr && !state_->extend(size_, new_size)) return OffsetError::out_of_host_memory;
  free_bytes_ += new_size - size_;
  size_ = new_size;
  return OffsetError::none;
}

void Tlsf::clear() {
  base::destroy_object(host_, std::exchange(state_, nullptr));
  free_bytes_ = size_;
  allocation_count_ = 0;
}

std::uint32_t Tlsf::largest_free_class() const {
  if (state_ != nullptr) return state_->largest_free_class();
  return size_ == 0 ? 0 : class_of(size_);
}

OffsetStatistics Tlsf::statistics() const {
  OffsetStatistics statistics{size_, free_bytes_, 0, allocation_count_, 0};
  if (state_ != nullptr) {
    state_->add_free_ranges(statistics);
  } else if (size_ != 0) {
    statistics.largest_free = size_;
    statistics.free_range_count = 1;
  }
  return statistics;
}

void Tlsf::for_each_range(OffsetRangeVisitor visitor, void* context) const {
  if (state_ != nullptr) {
    state_->for_each_range(visitor, context);
  } else if (size_ != 0) {
    visitor(context, {0, size_, {}, 0});
  }
}

std::uint64_t Tlsf::ranges_examined() const {
  return state_ == nullptr ? 0 : state_->ranges_examined();
}

bool Tlsf::validate() const {
  if (state_ != nullptr) return state_->validate(size_, free_bytes_, allocation_count_);
  return free_bytes_ == size_ && allocation_count_ == 0;
}

}  // namespace quarry
