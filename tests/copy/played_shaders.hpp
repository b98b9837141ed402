// SPDX-License-Identifier: MIT
// The copy engine's shaders played on the host, for the fake GPU: what a dispatch of their SPIR-V
// does to the fake's memory.
#pragma once

#include "fakes/fake_gpu.hpp"

namespace quarry::copy {

/// Registers both shaders, and lets block buffers lie over other resources.
void play_copy_shaders(fakes::FakeGpu& gpu);

}  // namespace quarry::copy
