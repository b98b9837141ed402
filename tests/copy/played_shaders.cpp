// SPDX-License-Identifier: MIT
#include "copy/played_shaders.hpp"

#include <cstring>
#include <vector>

#include "copy/pipelines.hpp"
#include "copy/shader_words.hpp"
#include "copy/share.hpp"
#include "copy/step.hpp"

namespace quarry::copy {

namespace {

template <class Value>
Value value_of(std::span<const std::byte> bytes) {
  Value value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::size_t bytes_of(std::uint32_t units) {
  const VkDeviceSize unit = (units & kWordUnits) != 0 ? kWordBytes : kQuadBytes;
  return static_cast<std::size_t>((units & ~kWordUnits) * unit);
}

void play_addresses(fakes::ShaderMemory& memory, std::span<const std::byte> constants,
                    std::array<std::uint32_t, 3>) {
  const auto push = value_of<AddressPush>(constants);
  for (std::uint32_t i = 0; i < push.count; ++i) {
    AddressEntry entry;
    const VkDeviceAddress at = push.list + VkDeviceSize{push.first + i} * sizeof entry;
    if (!memory.read(at, std::as_writable_bytes(std::span(&entry, 1)))) return;
    std::vector<std::byte> bytes(bytes_of(entry.units));
    if (!memory.read(entry.source, bytes) || !memory.write(entry.destination, bytes)) return;
  }
}

void play_windows(fakes::ShaderMemory& memory, std::span<const std::byte> constants,
                  std::array<std::uint32_t, 3>) {
  const auto push = value_of<WindowPush>(constants);
  for (std::uint32_t i = 0; i < push.count; ++i) {
    WindowEntry entry;
    const VkDeviceSize at = VkDeviceSize{push.first + i} * sizeof entry;
    if (!memory.read_binding(2, at, std::as_writable_bytes(std::span(&entry, 1)))) return;
    std::vector<std::byte> bytes(bytes_of(entry.units));
    if (!memory.read_binding(0, entry.source * kWordBytes, bytes) ||
        !memory.write_binding(1, entry.destination * kWordBytes, bytes)) {
      return;
    }
  }
}

}  // namespace

void play_copy_shaders(fakes::FakeGpu& gpu) {
  gpu.register_shader(kCopyAddressesWords, play_addresses);
  gpu.register_shader(kCopyWindowsWords, play_windows);
  gpu.allow_block_buffers();
}

}  // namespace quarry::copy
