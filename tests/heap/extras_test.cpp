// SPDX-License-Identifier: MIT
#include "heap/extras.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"
#include "heap/record_table.hpp"

namespace quarry::heap {
namespace {

/// A record that is live under a handle, and can be freed.
struct Subject {
  explicit Subject(const HostMemory& host) : records(host, 1) {
    base::InsertError error{};
    slot = records.take_large(error);
    RecordTable::publish(slot.handle, *slot.record);
  }
  Record& record() const { return *slot.record; }

  RecordTable records;
  Slot slot;
};

std::string name_of(const ExtrasTable& extras, const Subject& subject) {
  std::string name = "(none)";
  extras.look(subject.slot.handle, subject.record(), [&](const Extras& entry) {
    name = entry.name == nullptr ? "(no name)" : entry.name;
  });
  return name;
}

TEST(Extras, AnEntryKeepsACopyOfTheNameUntilItIsDropped) {
  test::CountingHost host;
  {
    ExtrasTable extras(host.memory());
    Subject subject(HostMemory::standard());
    EXPECT_EQ(name_of(extras, subject), "(none)");
    std::string name = "gbuffer";
    const std::uint32_t number = extras.make(name.c_str());
    ASSERT_NE(number, 0u);
    name = "changed";
    subject.record().extras = number;
    EXPECT_EQ(name_of(extras, subject), "gbuffer");
    extras.drop_from(subject.record());
    EXPECT_EQ(subject.record().extras, 0u);
    EXPECT_EQ(name_of(extras, subject), "(none)");
    extras.drop_from(subject.record());
    extras.drop(0);
    // The entry is used again, without the old name.
    EXPECT_EQ(extras.make(nullptr), number);
    EXPECT_EQ(extras.own(number).name, nullptr);
    extras.drop(number);
  }
  EXPECT_EQ(host.outstanding(), 0u);
}

TEST(Extras, RenamingReplacesRemovesAndAdds) {
  test::CountingHost host;
  {
    ExtrasTable extras(host.memory());
    Subject subject(HostMemory::standard());
    const std::uint64_t handle = subject.slot.handle;
    EXPECT_TRUE(extras.rename(handle, subject.record(), nullptr));
    EXPECT_EQ(subject.record().extras, 0u);
    EXPECT_TRUE(extras.rename(handle, subject.record(), "a"));
    EXPECT_EQ(name_of(extras, subject), "a");
    EXPECT_TRUE(extras.rename(handle, subject.record(), "longer than before"));
    EXPECT_EQ(name_of(extras, subject), "longer than before");
    EXPECT_TRUE(extras.rename(handle, subject.record(), nullptr));
    EXPECT_EQ(name_of(extras, subject), "(no name)");
    EXPECT_TRUE(extras.rename(handle, subject.record(), ""));
    EXPECT_EQ(name_of(extras, subject), "");
    extras.drop_from(subject.record());
    EXPECT_EQ(host.outstanding(), 1u);  // the table itself
  }
  EXPECT_EQ(host.outstanding(), 0u);
}

TEST(Extras, WhatIsFreedMeanwhileIsNotNamed) {
  ExtrasTable extras(HostMemory::standard());
  Subject subject(HostMemory::standard());
  ASSERT_TRUE(subject.records.claim(subject.slot.handle));
  EXPECT_TRUE(extras.rename(subject.slot.handle, subject.record(), "late"));
  EXPECT_EQ(subject.record().extras, 0u);
  EXPECT_TRUE(extras.rename(0, subject.record(), "late"));
  EXPECT_EQ(subject.record().extras, 0u);
}

TEST(Extras, WithoutHostMemoryNothingChanges) {
  for (std::uint64_t number = 0;; ++number) {
    test::CountingHost host;
    bool failed = false;
    {
      ExtrasTable extras(host.memory());
      Subject subject(HostMemory::standard());
      const std::uint64_t handle = subject.slot.handle;
      host.fail_at(number);
      const std::uint32_t made = extras.make("first");
      failed |= made == 0;
      subject.record().extras = made;
      EXPECT_EQ(name_of(extras, subject), made == 0 ? "(none)" : "first");
      const std::string before = name_of(extras, subject);
      const bool renamed = extras.rename(handle, subject.record(), "second");
      failed |= !renamed;
      EXPECT_EQ(name_of(extras, subject), renamed ? "second" : before);
      extras.drop_from(subject.record());
      // Two more, so that entries given back by failures are seen to be whole.
      for (int i = 0; i < 2; ++i) {
        const std::uint32_t more = extras.make("more");
        if (more == 0) {
          failed = true;
          continue;
        }
        EXPECT_EQ(std::string(extras.own(more).name), "more");
      }
    }
    EXPECT_EQ(host.outstanding(), 0u);
    EXPECT_EQ(failed, host.refused() != 0);
    if (host.refused() == 0) break;
  }
}

TEST(ExtrasThreads, NamingBesideFreeingLeavesNoEntryBehind) {
  test::CountingHost host;
  {
    ExtrasTable extras(host.memory());
    RecordTable records(HostMemory::standard(), 1);
    std::atomic<std::uint64_t> current{0};
    std::atomic<Record*> current_record{nullptr};
    std::atomic<bool> done{false};
    std::vector<std::thread> namers;
    for (int i = 0; i < 2; ++i) {
      namers.emplace_back([&] {
        while (!done) {
          Record* record = current_record.load();
          if (record == nullptr) continue;
          const std::uint64_t handle = current.load();
          EXPECT_TRUE(extras.rename(handle, *record, "named"));
          extras.look(handle, *record, [](const Extras& entry) {
            EXPECT_TRUE(entry.name == nullptr || std::string(entry.name) == "named");
          });
        }
      });
    }
    for (int i = 0; i < 5'000 && !testing::Test::HasFailure(); ++i) {
      base::InsertError error{};
      const Slot slot = records.take_large(error);
      RecordTable::publish(slot.handle, *slot.record);
      current = slot.handle;
      current_record = slot.record;
      if (i % 4 == 0) std::this_thread::yield();
      EXPECT_TRUE(records.claim(slot.handle));
      extras.drop_from(*slot.record);
      // Whoever names it now has come too late and takes the name off again.
      records.release_large(slot.handle, *slot.record);
    }
    done = true;
    for (std::thread& namer : namers)
      namer.join();
    EXPECT_EQ(current_record.load()->extras, 0u);
    EXPECT_LE(host.outstanding(), 1u);  // the table itself
  }
  EXPECT_EQ(host.outstanding(), 0u);
}

}  // namespace
}  // namespace quarry::heap
