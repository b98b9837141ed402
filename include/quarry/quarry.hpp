// SPDX-License-Identifier: MIT
// Everything, in one include. The offset algorithms alone need no Vulkan: include tlsf.hpp,
// linear.hpp or buddy.hpp.
#pragma once

#include <quarry/allocation.hpp>
#include <quarry/allocator.hpp>
#include <quarry/buddy.hpp>
#include <quarry/budget.hpp>
#include <quarry/defragmentation.hpp>
#include <quarry/expected.hpp>
#include <quarry/explain.hpp>
#include <quarry/host_memory.hpp>
#include <quarry/linear.hpp>
#include <quarry/offset.hpp>
#include <quarry/ordered_free.hpp>
#include <quarry/pool.hpp>
#include <quarry/quota.hpp>
#include <quarry/residency.hpp>
#include <quarry/result.hpp>
#include <quarry/snapshot.hpp>
#include <quarry/statistics.hpp>
#include <quarry/tlsf.hpp>
#include <quarry/trace.hpp>
#include <quarry/unique.hpp>
#include <quarry/upload_ring.hpp>
#include <quarry/version.hpp>
#include <quarry/vulkan_functions.hpp>
