// SPDX-License-Identifier: MIT
// Traces on disk.
#pragma once

#include <string>

#include <quarry/expected.hpp>

#include "bench/traces/trace.hpp"

namespace quarry::bench {

/// The error is a sentence that names the file and, for damage, where it is.
Expected<Trace, std::string> read_trace_file(const std::string& path);
Expected<void, std::string> write_trace_file(const std::string& path, const Trace& trace);

}  // namespace quarry::bench
