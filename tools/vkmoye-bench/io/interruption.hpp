// SPDX-License-Identifier: MIT
#pragma once
// Runs a function before a signal ends the program.

#include <csignal>
#include <functional>
#include <thread>

namespace vkmoye::bench {

/// While an Interruption exists, SIGINT, SIGTERM and SIGHUP still end the program, but first call `on_signal` on a
/// separate thread. It must not wait long: further signals have no effect. At most one Interruption may exist.
class Interruption {
 public:
  explicit Interruption(std::function<void()> on_signal);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

  int ends_[2] = {-1, -1};  // of the pipe from the handler to the thread
  struct sigaction before_[3] = {};
  std::thread waiting_;
};

}  // namespace vkmoye::bench
