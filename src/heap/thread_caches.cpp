// SPDX-License-Identifier: MIT
#include "heap/thread_caches.hpp"

#include <utility>

#include "base/host_object.hpp"

namespace quarry::heap {

constinit thread_local ThreadCaches::Current ThreadCaches::latest;
constinit thread_local ThreadCaches::Current ThreadCaches::recents[kRecent];

/// Which allocators live. Constant-initialised and never destroyed, so that any thread may end at
/// any time.
class ThreadRegistry {
 public:
  std::uint64_t enlist(ThreadCaches& caches) {
    const base::MutexLock lock(mutex_);
    caches.registry_next_ = first_;
    if (first_ != nullptr) first_->registry_previous_ = &caches;
    first_ = &caches;
    caches.registered_ = true;
    return ++last_serial_;
  }
  void strike(ThreadCaches& caches) {
    const base::MutexLock lock(mutex_);
    if (!std::exchange(caches.registered_, false)) return;
    (caches.registry_previous_ == nullptr ? first_ : caches.registry_previous_->registry_next_) =
        caches.registry_next_;
    if (caches.registry_next_ != nullptr)
      caches.registry_next_->registry_previous_ = caches.registry_previous_;
  }
  /// The lock keeps allocators from ending meanwhile. Objects of the thread that end later find no
  /// cache: it may be another thread's by then.
  void thread_ends(const void* thread) {
    ThreadCaches::latest = {};
    for (ThreadCaches::Current& each : ThreadCaches::recents)
      each = {};
    const base::MutexLock lock(mutex_);
    for (ThreadCaches* caches = first_; caches != nullptr; caches = caches->registry_next_)
      caches->drain_of(thread);
  }

 private:
  base::Mutex mutex_;
  ThreadCaches* first_ QUARRY_GUARDED_BY(mutex_) = nullptr;
  std::uint64_t last_serial_ QUARRY_GUARDED_BY(mutex_) = 0;
};

namespace {

// NOLINTBEGIN(*-avoid-non-const-global-variables): process-wide and thread-wide by purpose
constinit ThreadRegistry registry;

/// Its address names the thread. True: the thread's objects are being destroyed.
constinit thread_local bool thread_is_over = false;

struct ThreadEnd {
  ~ThreadEnd() {
    thread_is_over = true;
    registry.thread_ends(&thread_is_over);
  }
  void note() const {}
};
thread_local ThreadEnd thread_end;
// NOLINTEND(*-avoid-non-const-global-variables)

}  // namespace

ThreadCaches::ThreadCaches(const HostMemory& host, Slabs& slabs, RecordTable& records,
                           VkDeviceSize most_bytes)
    : serial_(registry.enlist(*this)),
      most_bytes_(most_bytes),
      host_(host),
      slabs_(slabs),
      records_(records) {}

void ThreadCaches::close() {
  registry.strike(*this);
}

ThreadCaches::~ThreadCaches() {
  close();
  ThreadCache* cache = first_.load(std::memory_order_relaxed);
  while (cache != nullptr) {
    ThreadCache* next = cache->next;
    base::destroy_object(host_, cache);
    cache = next;
  }
}

ThreadCache* ThreadCaches::adopt(const void* thread) {
  ThreadCache* vacant = nullptr;
  std::uint32_t number = 0;
  for (ThreadCache* cache = first_.load(std::memory_order_relaxed); cache != nullptr;
       cache = cache->next) {
    if (cache->owner == thread) return cache;
    if (cache->owner == nullptr) vacant = cache;
    ++number;
  }
  if (vacant == nullptr) {
    vacant = base::create_object<ThreadCache>(host_, host_, slabs_, most_bytes_, number);
    if (vacant == nullptr) return nullptr;
    vacant->next = first_.load(std::memory_order_relaxed);
    first_.store(vacant, std::memory_order_release);
  }
  vacant->owner = thread;
  return vacant;
}

ThreadCache* ThreadCaches::find_or_make() {
  if (ThreadCache* found = find()) return found;
  // A destructor of the thread's own may come after its end was noted.
  if (most_bytes_ == 0 || thread_is_over) return nullptr;
  thread_end.note();  // the first use in a thread is what has it destroyed at the end
  const base::MutexLock lock(mutex_);
  ThreadCache* cache = adopt(&thread_is_over);
  if (cache != nullptr) latest = recents[serial_ % kRecent] = {serial_, cache};
  return cache;
}

VkDeviceSize ThreadCaches::drain(ThreadCache& cache, Emptied& emptied) {
  cache.claim();
  owner_.fold(owner_.user, cache);
  cache.drain_large(records_);
  const VkDeviceSize bytes = cache.drain(owner_.now(owner_.user), emptied);
  cache.release();
  return bytes;
}

void ThreadCaches::fold_all() {
  const base::MutexLock lock(drain_mutex_);
  for (ThreadCache* cache = first_.load(std::memory_order_acquire); cache != nullptr;
       cache = cache->next) {
    cache->claim();
    owner_.fold(owner_.user, *cache);
    cache->release();
  }
}

VkDeviceSize ThreadCaches::drain_all() {
  VkDeviceSize bytes = 0;
  Emptied emptied;  // who asked looks for empty blocks anyway
  const base::MutexLock lock(drain_mutex_);
  for (ThreadCache* cache = first_.load(std::memory_order_acquire); cache != nullptr;
       cache = cache->next)
    bytes += drain(*cache, emptied);
  return bytes;
}

void ThreadCaches::drain_idle(std::uint64_t milliseconds) {
  const std::uint64_t now = owner_.now(owner_.user);
  Emptied emptied;
  const base::MutexLock lock(drain_mutex_);
  for (ThreadCache* cache = first_.load(std::memory_order_acquire); cache != nullptr;
       cache = cache->next) {
    const std::uint64_t work = cache->work();
    if (work != cache->seen_work) {
      cache->seen_work = work;
      cache->idle_since = now;
      cache->drained_idle = false;
    } else if (!cache->drained_idle && now - cache->idle_since >= milliseconds) {
      (void)drain(*cache, emptied);
      cache->drained_idle = true;
    }
  }
}

void ThreadCaches::drain_of(const void* thread) {
  ThreadCache* ended = nullptr;
  {
    const base::MutexLock lock(mutex_);
    for (ThreadCache* cache = first_.load(std::memory_order_relaxed); cache != nullptr;
         cache = cache->next) {
      if (cache->owner == thread) ended = cache;
    }
  }
  if (ended == nullptr) return;
  {
    Emptied emptied;
    const base::MutexLock lock(drain_mutex_);
    (void)drain(*ended, emptied);
  }
  const base::MutexLock lock(mutex_);
  ended->owner = nullptr;
}

}  // namespace quarry::heap
