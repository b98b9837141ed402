// SPDX-License-Identifier: MIT
#include "fakes/backing.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <sys/mman.h>
#include <unistd.h>

namespace quarry::fakes {

namespace {

/// Whole pages, 0 if the size does not fit the address space.
std::size_t pages(VkDeviceSize size) {
  const auto page = static_cast<VkDeviceSize>(sysconf(_SC_PAGESIZE));
  const VkDeviceSize rounded = (size + page - 1) / page * page;
  return rounded > std::numeric_limits<std::size_t>::max() / 2 ? 0
                                                               : static_cast<std::size_t>(rounded);
}

std::byte* reserve(VkDeviceSize size) {
  const std::size_t bytes = pages(size);
  if (bytes == 0) return nullptr;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

std::byte* at(std::byte* view, VkDeviceSize offset) {
  return view + static_cast<std::size_t>(offset);
}

}  // namespace

Backing::~Backing() {
  if (host_ != nullptr) munmap(host_, pages(size_));
  if (device_ != nullptr) munmap(device_, pages(size_));
}

void Backing::protect(bool accessible) {
  mprotect(host_, pages(size_), accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
}

std::byte* Backing::host_view() {
  if (host_ == nullptr) {
    host_ = reserve(size_);
    if (host_ != nullptr && !mapped_) protect(false);
  }
  return host_;
}

std::byte* Backing::device_view() {
  if (coherent_) return host_view();
  if (device_ == nullptr) device_ = reserve(size_);
  return device_;
}

std::byte* Backing::map() {
  if (host_view() == nullptr) return nullptr;
  mapped_ = true;
  protect(true);
  return host_;
}

void Backing::unmap() {
  mapped_ = false;
  protect(false);
}

void Backing::flush(VkDeviceSize offset, VkDeviceSize size) {
  if (coherent_ || device_view() == nullptr || host_ == nullptr) return;
  std::memcpy(at(device_, offset), at(host_, offset), static_cast<std::size_t>(size));
}

void Backing::invalidate(VkDeviceSize offset, VkDeviceSize size) {
  if (coherent_ || device_view() == nullptr || host_ == nullptr) return;
  std::memcpy(at(host_, offset), at(device_, offset), static_cast<std::size_t>(size));
}

bool Backing::read(std::byte* view, VkDeviceSize offset, std::span<std::byte> bytes) {
  if (view == nullptr) return false;
  if (bytes.empty()) return true;
  const bool hidden = view == host_ && !mapped_;
  if (hidden) protect(true);
  std::copy_n(at(view, offset), bytes.size(), bytes.data());
  if (hidden) protect(false);
  return true;
}

bool Backing::device_read(VkDeviceSize offset, std::span<std::byte> bytes) {
  return read(device_view(), offset, bytes);
}

bool Backing::host_read(VkDeviceSize offset, std::span<std::byte> bytes) {
  return read(host_view(), offset, bytes);
}

bool Backing::device_write(VkDeviceSize offset, std::span<const std::byte> bytes) {
  std::byte* view = device_view();
  if (view == nullptr) return false;
  if (bytes.empty()) return true;
  const bool hidden = view == host_ && !mapped_;
  if (hidden) protect(true);
  std::copy_n(bytes.data(), bytes.size(), at(view, offset));
  if (hidden) protect(false);
  return true;
}

}  // namespace quarry::fakes
