// SPDX-License-Identifier: MIT
// Who leaves the device's memory and who comes back: a picture of all resources and of the room in,
// ordered demotions and promotions out. Second chance (Corbato, "A Paging Experiment with the
// Multics System", 1968) with a time of grace that shrinks as the memory fills, and hysteresis, so
// that nothing goes to and fro. Pure; O(n log n).
#pragma once

#include <cstdint>

#include <quarry/host_memory.hpp>

#include "base/host_array.hpp"

namespace quarry::plan {

/// Shares are of ResidencyView::budget, times are milliseconds.
struct ResidencyRules {
  double relaxed_share = 0.7;            ///< up to here nobody has to leave
  double margin_share = 0.05;            ///< that is left free by those who come back
  std::uint64_t longest_grace = 60'000;  ///< what was used since stays, at the relaxed share
  std::uint64_t shortest_grace = 1'000;  ///< the same at the whole budget
  std::uint64_t hold = 10'000;  ///< between two changes of one resource, as far as possible
};

enum class ResidencyWish : std::uint8_t { none, in, out };

struct ResidencyItem {
  std::uint64_t bytes = 0;     ///< on the device, now or when it was there
  std::uint64_t last_use = 0;  ///< milliseconds
  std::uint64_t changed = 0;   ///< left or came back; 0: never
  float priority = 0.5f;
  ResidencyWish wish = ResidencyWish::none;  ///< the owner's, above everything else
  bool resident = true;
  bool kept = false;  ///< pinned or mapped
};

struct ResidencyView {
  std::uint64_t now = 0;
  std::uint64_t budget = 0;                     ///< bytes of the device's memory that there are
  std::uint64_t used = 0;                       ///< of them, what is on its way out included
  std::uint64_t leaving = 0;                    ///< on their way out
  std::uint64_t target = ~std::uint64_t{0};     ///< the owner wants no more used than that
  std::uint64_t host_room = ~std::uint64_t{0};  ///< bytes of copies that fit into host memory
  std::uint64_t max_bytes = ~std::uint64_t{0};  ///< both ways together, but for one larger item
  std::uint32_t max_moves = ~0u;
};

class ResidencyPlanner {
 public:
  explicit ResidencyPlanner(const HostMemory& host)
      : demotions(host), promotions(host), order_(host) {}

  /// Fills the two lists with indices of `items`, in the order in which to act. False without host
  /// memory.
  [[nodiscard]] bool plan(const ResidencyView& view, const ResidencyRules& rules,
                          const base::HostArray<ResidencyItem>& items);
  /// How long after its last use an item may not be asked to leave.
  static std::uint64_t grace(const ResidencyView& view, const ResidencyRules& rules);

  base::HostArray<std::uint32_t> demotions;
  base::HostArray<std::uint32_t> promotions;
  std::uint64_t bytes_out = 0;
  std::uint64_t bytes_in = 0;

 private:
  struct Candidate {
    std::uint32_t item = 0;
    std::uint32_t rank = 0;  ///< lower first
    float priority = 0;
    std::uint64_t last_use = 0;
  };
  /// What a promotion that found no room would take.
  struct Lack {
    std::uint64_t bytes = 0;
    float priority = 0;
    std::uint64_t last_use = 0;
    bool wished = false;
  };
  bool fits_step(std::uint64_t bytes) const;
  bool plan_promotions(const base::HostArray<ResidencyItem>& items, Lack& lack);
  bool plan_demotions(const base::HostArray<ResidencyItem>& items, const Lack& lack);
  bool held(const ResidencyItem& item) const;

  base::HostArray<Candidate> order_;
  ResidencyView view_;
  ResidencyRules rules_;
};

}  // namespace quarry::plan
