// SPDX-License-Identifier: MIT
#include "vkmoye/system/signal_handler.hpp"

#include <mutex>
#include <utility>

#include "vkmoye/system/windows/windows.hpp"

namespace vkmoye::system {
namespace {

std::mutex
    mutex;  // held while the function runs, which therefore has ended when its SignalHandler has
std::function<void()> function_to_call;

// Windows calls it on a thread of its own, and ends the program if it returns FALSE.
BOOL WINAPI call_function(DWORD /*whichever event*/) {
  const std::lock_guard lock(mutex);
  if (function_to_call) std::exchange(function_to_call, nullptr)();
  return FALSE;
}

}  // namespace

struct SignalHandler::State {};

SignalHandler::SignalHandler(std::function<void()> on_signal) : state_(std::make_unique<State>()) {
  {
    const std::lock_guard lock(mutex);
    function_to_call = std::move(on_signal);
  }
  SetConsoleCtrlHandler(call_function, TRUE);
}

SignalHandler::~SignalHandler() {
  SetConsoleCtrlHandler(call_function, FALSE);
  const std::lock_guard lock(mutex);
  function_to_call = nullptr;
}

}  // namespace vkmoye::system
