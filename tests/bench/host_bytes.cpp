// SPDX-License-Identifier: MIT
#include "bench/host_bytes.hpp"

#include "bench/pair_loop.hpp"
#include "bench/subjects.hpp"
#include "fakes/counting_host_callbacks.hpp"

namespace quarry::bench {

HostBytes count_host_bytes(Workload workload, std::uint64_t seed, std::size_t live) {
  const PairDesc pair{workload, live, 0, seed};
  const auto count = static_cast<double>(live);
  HostBytes result;
  {
    const fakes::CountingHostCallbacks host;
    SubjectDesc desc;
    desc.host_callbacks = host.callbacks();
    QuarrySubject subject(desc);
    subject.set_tag("bench");
    PairRig<QuarrySubject> rig(subject, pair);
    rig.run(live);
    result.quarry = static_cast<double>(host.live_bytes()) / count;
  }
  ReferenceSubject subject(SubjectDesc{});
  PairRig<ReferenceSubject> rig(subject, pair);
  rig.run(live);
  result.reference = static_cast<double>(subject.allocator().host_bytes()) / count;
  return result;
}

}  // namespace quarry::bench
