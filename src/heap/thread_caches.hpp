// SPDX-License-Identifier: MIT
// The caches of one allocator, one for each thread that uses it, handed on when a thread ends. A
// thread holds only pairs of (never-reused serial of the allocator, pointer); a process-wide
// registry of living allocators, which outlives threads and allocators, tells at a thread's end
// which caches are left to drain. After a fork the child's copies of other threads' caches stay as
// they are.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutex.hpp"
#include "heap/thread_cache.hpp"

namespace quarry::heap {

/// Thread-safe.
class ThreadCaches {
 public:
  /// `most_bytes`: in one thread's cache; 0: no caches.
  ThreadCaches(const HostMemory& host, Slabs& slabs, RecordTable& records, VkDeviceSize most_bytes);
  ThreadCaches(const ThreadCaches&) = delete;
  ThreadCaches& operator=(const ThreadCaches&) = delete;
  /// Slots go nowhere: the slabs end, too.
  ~ThreadCaches();

  /// The allocator that this thread used last, and its cache there.
  struct Current {
    std::uint64_t serial = 0;
    ThreadCache* cache = nullptr;
  };
  static const Current& current() { return latest; }
  bool owns(const Current& current) const { return current.serial == serial_; }
  /// This thread's cache, if it used the allocator lately; it is the one that it used last now.
  ThreadCache* find() const {
    if (owns(latest)) return latest.cache;
    const Current& recent = recents[serial_ % kRecent];
    if (!owns(recent)) return nullptr;
    latest = recent;
    return recent.cache;
  }
  /// The same, made at first use; null without host memory, without caches, or at the thread's end.
  ThreadCache* find_or_make();

  /// Whose caches they are: asked for the time, and given a cache that drains, to fold its figures.
  struct Owner {
    void* user = nullptr;
    std::uint64_t (*now)(void* user) = nullptr;
    void (*fold)(void* user, ThreadCache& cache) = nullptr;
  };
  /// Once, before the first find_or_make().
  void set_owner(const Owner& owner) { owner_ = owner; }

  /// Folds the figures of every cache.
  void fold_all();
  /// Drains every cache. The bytes given back; blocks may be empty now.
  VkDeviceSize drain_all();
  /// Drains caches whose threads did nothing for `milliseconds`.
  void drain_idle(std::uint64_t milliseconds);
  /// Of the thread that ends. Blocks may be empty now; as the registry is locked, whoever looks for
  /// them next releases them.
  void drain_of(const void* thread);

  /// From now on the end of a thread is no concern of theirs. Comes before the end of what slots
  /// are given back to.
  void close();

  /// Calls visitor(const ThreadCache&) for each; they may be in use.
  template <class Visitor>
  void for_each(Visitor&& visitor) const {
    for (const ThreadCache* cache = first_.load(std::memory_order_acquire); cache != nullptr;
         cache = cache->next)
      visitor(*cache);
  }

 private:
  friend class ThreadRegistry;
  // NOLINTNEXTLINE(*-avoid-non-const-global-variables): one a thread, that is its purpose
  [[gnu::tls_model("initial-exec")]] static constinit thread_local Current latest;
  static constexpr std::uint32_t kRecent = 8;
  /// For threads that use several allocators in turns, by serial.
  // NOLINTNEXTLINE(*-avoid-non-const-global-variables)
  [[gnu::tls_model("initial-exec")]] static constinit thread_local Current recents[kRecent];

  ThreadCache* adopt(const void* thread) QUARRY_REQUIRES(mutex_);
  VkDeviceSize drain(ThreadCache& cache, Emptied& emptied) QUARRY_REQUIRES(drain_mutex_);

  // Of the registry; before the serial, which is given out when it enters the caches in its list.
  ThreadCaches* registry_next_ = nullptr;
  ThreadCaches* registry_previous_ = nullptr;
  bool registered_ = false;
  const std::uint64_t serial_;
  const VkDeviceSize most_bytes_;
  HostMemory host_;
  Slabs& slabs_;
  RecordTable& records_;
  Owner owner_;
  std::atomic<ThreadCache*> first_{nullptr};
  base::Mutex mutex_;  ///< the list and who owns what; a leaf but for the host callbacks
  /// Of whoever claims caches; waits for owners, who take other locks but never this one.
  base::Mutex drain_mutex_;
};

}  // namespace quarry::heap
