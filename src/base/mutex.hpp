// SPDX-License-Identifier: MIT
// Mutexes that Clang's thread-safety analysis understands (-Wthread-safety). Each thread counts how
// often it took one, for tests that nothing was locked.
#pragma once

#include <atomic>
#include <cstdint>
#include <shared_mutex>

#if defined(__clang__)
#define QUARRY_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define QUARRY_THREAD_ATTRIBUTE(x)
#endif

#define QUARRY_CAPABILITY(name) QUARRY_THREAD_ATTRIBUTE(capability(name))
#define QUARRY_SCOPED_CAPABILITY QUARRY_THREAD_ATTRIBUTE(scoped_lockable)
#define QUARRY_GUARDED_BY(mutex) QUARRY_THREAD_ATTRIBUTE(guarded_by(mutex))
#define QUARRY_PT_GUARDED_BY(mutex) QUARRY_THREAD_ATTRIBUTE(pt_guarded_by(mutex))
#define QUARRY_REQUIRES(...) QUARRY_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define QUARRY_REQUIRES_SHARED(...) QUARRY_THREAD_ATTRIBUTE(requires_shared_capability(__VA_ARGS__))
#define QUARRY_EXCLUDES(...) QUARRY_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define QUARRY_ACQUIRE(...) QUARRY_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define QUARRY_ACQUIRE_SHARED(...) QUARRY_THREAD_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define QUARRY_TRY_ACQUIRE(...) QUARRY_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define QUARRY_RETURN_CAPABILITY(mutex) QUARRY_THREAD_ATTRIBUTE(lock_returned(mutex))
#define QUARRY_RELEASE(...) QUARRY_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define QUARRY_RELEASE_SHARED(...) QUARRY_THREAD_ATTRIBUTE(release_shared_capability(__VA_ARGS__))
#define QUARRY_RELEASE_GENERIC(...) QUARRY_THREAD_ATTRIBUTE(release_generic_capability(__VA_ARGS__))
#define QUARRY_NO_THREAD_ANALYSIS QUARRY_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace quarry::base {

/// Mutexes of either kind that this thread took so far.
class LockCount {
 public:
  static std::uint64_t of_this_thread() { return taken; }

 private:
  friend class Mutex;
  friend class SharedMutex;
  static void add() { ++taken; }
  // NOLINTNEXTLINE(*-avoid-non-const-global-variables): one a thread, that is its purpose
  [[gnu::tls_model("initial-exec")]] static constinit thread_local std::uint64_t taken;
};

/// Four bytes, and one instruction to take while nobody else has it; whoever has to wait looks on
/// for a moment and then sleeps (Drepper, "Futexes Are Tricky", 2011, mutex 2). Not recursive.
class QUARRY_CAPABILITY("mutex") Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() QUARRY_ACQUIRE() {
    if (!try_lock()) [[unlikely]]
      wait();
  }
  bool try_lock() QUARRY_TRY_ACQUIRE(true) {
    std::uint32_t expected = kOpen;
    if (!state_.compare_exchange_strong(expected, kTaken, std::memory_order_acquire,
                                        std::memory_order_relaxed))
      return false;
    LockCount::add();
    return true;
  }
  void unlock() QUARRY_RELEASE() {
    if (state_.exchange(kOpen, std::memory_order_release) == kAwaited) [[unlikely]]
      state_.notify_one();
  }

 private:
  static constexpr std::uint32_t kOpen = 0;
  static constexpr std::uint32_t kTaken = 1;
  static constexpr std::uint32_t kAwaited = 2;  ///< taken, and somebody may be asleep

  void wait();

  std::atomic<std::uint32_t> state_{kOpen};
};

/// Holds a Mutex for a scope; may be let go early, and taken again.
class QUARRY_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) QUARRY_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() QUARRY_RELEASE() {
    if (held_) mutex_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void unlock() QUARRY_RELEASE() {
    held_ = false;
    mutex_.unlock();
  }
  void lock() QUARRY_ACQUIRE() {
    mutex_.lock();
    held_ = true;
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

class QUARRY_CAPABILITY("shared_mutex") SharedMutex {
 public:
  SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void lock() QUARRY_ACQUIRE() {
    mutex_.lock();
    LockCount::add();
  }
  void unlock() QUARRY_RELEASE() { mutex_.unlock(); }
  void lock_shared() QUARRY_ACQUIRE_SHARED() {
    mutex_.lock_shared();
    LockCount::add();
  }
  void unlock_shared() QUARRY_RELEASE_SHARED() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

class QUARRY_SCOPED_CAPABILITY ExclusiveLock {
 public:
  explicit ExclusiveLock(SharedMutex& mutex) QUARRY_ACQUIRE(mutex) : mutex_(mutex) {
    mutex_.lock();
  }
  ~ExclusiveLock() QUARRY_RELEASE() { mutex_.unlock(); }
  ExclusiveLock(const ExclusiveLock&) = delete;
  ExclusiveLock& operator=(const ExclusiveLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class QUARRY_SCOPED_CAPABILITY SharedLock {
 public:
  explicit SharedLock(SharedMutex& mutex) QUARRY_ACQUIRE_SHARED(mutex) : mutex_(mutex) {
    mutex_.lock_shared();
  }
  ~SharedLock() QUARRY_RELEASE_GENERIC() { mutex_.unlock_shared(); }
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace quarry::base
