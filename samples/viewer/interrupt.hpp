// SPDX-License-Identifier: MIT
// Ctrl-C and the like: the first asks the program to end in order, the second ends it at once.
#pragma once

namespace quarry::viewer {

void listen_for_interrupts();
bool interrupted();

}  // namespace quarry::viewer
