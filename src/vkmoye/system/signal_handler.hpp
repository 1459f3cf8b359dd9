// SPDX-License-Identifier: MIT
#pragma once
// Runs a function before a user or the system ends the program.

#include <functional>
#include <memory>

namespace vkmoye::system {

/// While a SignalHandler exists, SIGINT, SIGTERM and SIGHUP (Windows: Ctrl+C, Ctrl+Break, the end of the console or of
/// the session) still end the program, but first call `on_signal` on a separate thread. It must not wait long: further
/// signals have no effect. At most one SignalHandler may exist.
class SignalHandler {
 public:
  explicit SignalHandler(std::function<void()> on_signal);
  ~SignalHandler();
  SignalHandler(const SignalHandler&) = delete;
  SignalHandler& operator=(const SignalHandler&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;  // null: signals end the program at once
};

}  // namespace vkmoye::system
