// SPDX-License-Identifier: MIT
// The handler sets a flag and puts the default action back.
#include "viewer/interrupt.hpp"

#include <csignal>

namespace quarry::viewer {

namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

void on_signal(int number) {
  interrupt_seen = 1;
  (void)std::signal(number, SIG_DFL);
}

}  // namespace

void listen_for_interrupts() {
  (void)std::signal(SIGINT, on_signal);
  (void)std::signal(SIGTERM, on_signal);
}

bool interrupted() {
  return interrupt_seen != 0;
}

}  // namespace quarry::viewer
