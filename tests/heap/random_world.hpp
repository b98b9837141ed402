// SPDX-License-Identifier: MIT
// A program that does anything an allocator's user may do, in random order, and knows what should
// have come of it: contents, totals, who owns which bytes. The fake GPU checks every call on the
// way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <quarry/quarry.hpp>

#include "base/seed.hpp"
#include "heap/modes.hpp"
#include "heap/rig.hpp"

namespace quarry::test {

class RandomWorld {
 public:
  RandomWorld(fakes::FakeProfile profile, const Mode& mode, std::uint64_t seed);

  /// One random operation.
  void step();
  /// What holds between operations: totals, budgets, snapshot against the model and the driver's
  /// view.
  void check() const;
  /// Destroys everything in random order; afterwards no memory is left.
  void finish();

  bool is_faulty() const { return !rig_.gpu.violations().empty(); }

 private:
  enum class Kind : std::uint8_t { buffer, image, raw };

  struct Live {
    Kind kind = Kind::buffer;
    Buffer buffer;
    Image image;
    Allocation raw;
    VkBuffer own_buffer = VK_NULL_HANDLE;  ///< bound to `raw` by the program itself
    ResourceKind raw_kind = ResourceKind::linear;
    std::uint32_t maps = 0;
    std::vector<std::byte> contents;  ///< what the device should see at the start; empty: unknown

    Allocation first() const {
      return kind == Kind::buffer ? buffer.allocation
                                  : (kind == Kind::image ? image.allocations[0] : raw);
    }
  };

  AllocationDesc any_desc();
  VkBufferCreateInfo any_buffer_info();
  VkImageCreateInfo any_image_info();
  VkDeviceSize any_size();
  Live* any_live();

  void create_buffer();
  void create_image();
  void allocate_raw();
  void allocate_for_own_buffer();
  /// Requests of the kind that threads keep slots for, many in a row.
  void come_and_go_plainly();
  void in_another_thread();
  void destroy_any();
  void destroy(std::size_t index);
  void map_or_unmap();
  void write_contents();
  void check_contents(Live& live);
  void flush_or_invalidate();
  void alias();
  void explain();
  void create_or_destroy_pool();
  void keep_up();
  void break_something();
  void misuse();

  void give_claim(const Live& live);
  void take_claim(const Live& live);
  void free_raw(const Live& live);
  void expect_plausible(const Error& error) const;
  void expect_survivable(const Status& status) const;
  VkDeviceSize live_bytes() const;
  std::uint64_t live_allocations() const;

  Rig rig_;
  Random random_;
  bool has_mapping_cap_;
  fakes::FakeProfile profile_;
  bool growing_ = true;
  std::vector<Live> live_;
  std::vector<Pool> pools_;
  std::vector<Tag> tags_;
  std::vector<Allocation> dead_;
  VulkanFunctions vk_ = fakes::FakeGpu::functions();
};

}  // namespace quarry::test
