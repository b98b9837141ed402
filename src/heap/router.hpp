// SPDX-License-Identifier: MIT
// The way of a request: check it, choose memory types, place it in a block or in its own memory,
// climb the out-of-memory ladder on a shortage. And the way back.
#pragma once

#include <cstdint>

#include <quarry/result.hpp>

#include "heap/block_source.hpp"
#include "heap/core.hpp"
#include "heap/lookup.hpp"
#include "heap/request.hpp"

namespace quarry::heap {

/// What is wrong with a description, whatever it is for; Reason::none when nothing is.
Reason check(const Core& core, const AllocationDesc& desc);

/// Whether the type of the request's pool may serve it: candidate, or what stands in the way. The
/// pool settles the type, so that intent and preferences do not count. Precondition: has a pool.
TypeVerdict judge_pool(const Core& core, const Request& request);

/// How one memory type would serve a request: everything that depends on the type alone.
struct TypePlan {
  ArenaTraits traits;
  OffsetRequest place;  ///< size and alignment as the type needs them
};
TypePlan plan_for_type(const Core& core, const Request& request, std::uint32_t memory_type);

/// How the request was worded, for explain() afterwards.
Origin origin_of(const Request& request);
/// The size class of the slot that would serve; offset::kNoSizeClass: no slot.
std::uint32_t slot_class(const Core& core, const TypePlan& plan);

class Router {
 public:
  explicit Router(Core& core) : core_(core), blocks_(core) {}

  /// Precondition: check() found nothing. The request's pool, if any, was entered; a live
  /// allocation keeps it entered.
  Result<Allocation> allocate(const Request& request);
  /// Takes a claimed record apart: memory, mapping, name. The record is vacant afterwards.
  void free(Allocation allocation, Record& record);

  Arena* find_arena(const TypePlan& plan) const;  ///< null when there is none yet

 private:
  struct Shortage;
  /// Where a request found room: a record that nobody knows yet, and what it names.
  struct Spot {
    Slot slot;
    Location where;
    Placement placement = Placement::none;
    std::uint8_t alignment_log2 = 0;
    bool mapped_for_life = false;
    bool owes = false;
  };

  /// Takes memory over in which earlier uses may still run.
  bool take_over(const Request& request, const TypePlan& plan, bool may_wait, Spot& spot);
  /// Takes apart what a claimed allocation has beside its memory.
  void strip(const Live& live);
  Status place(const Request& request, Spot& spot, Shortage& shortage);
  Status climb(const Request& request, std::uint32_t memory_type, bool within_budget, Spot& spot,
               Shortage& shortage);
  Status attempt(const Request& request, const TypePlan& plan, bool within_budget, Growth growth,
                 Spot& spot);
  Status attempt_slot(Arena& arena, std::uint32_t size_class, bool within_budget, Growth growth,
                      Spot& spot);
  Status attempt_range(Arena& arena, const TypePlan& plan, bool within_budget, Growth growth,
                       Spot& spot);
  Status attempt_dedicated(const Request& request, const TypePlan& plan, bool within_budget,
                           Spot& spot);
  Status take_record(Spot& spot);
  Status finish(const Request& request, Spot& spot);
  std::uint32_t publish(const Request& request, const Spot& spot, std::uint32_t origin,
                        std::uint32_t extras);
  void take_back(const Request& request, const Spot& spot);
  void leave_memory(const Location& where, OffsetHandle range);
  void abandon(const Spot& spot);
  bool allows(LadderRung rung) const {
    return (core_.ladder & static_cast<std::uint32_t>(rung)) != 0;
  }
  VkDeviceSize lacking_bytes(const TypePlan& plan, bool within_budget) const;
  bool ask_owner(std::uint32_t heap, VkDeviceSize bytes, Shortage& shortage);
  Arena* make_arena(const TypePlan& plan);  ///< null without host memory

  Core& core_;
  BlockSource blocks_;
};

}  // namespace quarry::heap
