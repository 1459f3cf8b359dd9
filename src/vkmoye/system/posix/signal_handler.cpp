// SPDX-License-Identifier: MIT
#include "vkmoye/system/signal_handler.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <thread>
#include <utility>

namespace vkmoye::system {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> handler_writes_to = -1;

void pass_to_thread(int signal) {
  const int error = errno;
  const auto byte = static_cast<unsigned char>(signal);
  if (write(handler_writes_to, &byte, 1) != 1) _exit(128 + signal);
  errno = error;
}

// A pipe that programs started by this one do not inherit.
bool open_pipe(int (&ends)[2]) {
#if defined(__APPLE__)
  if (pipe(ends) != 0) return false;
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return true;
#else
  return pipe2(ends, O_CLOEXEC) == 0;
#endif
}

}  // namespace

struct SignalHandler::State {
  int ends[2] = {-1, -1};  // ends of the pipe from the handler to the thread
  struct sigaction before[3] = {};
  std::thread waiting;
};

SignalHandler::SignalHandler(std::function<void()> on_signal) : state_(std::make_unique<State>()) {
  if (!open_pipe(state_->ends)) {
    state_.reset();
    return;
  }
  state_->waiting = std::thread([on_signal = std::move(on_signal), end = state_->ends[0]] {
    unsigned char signal = 0;
    while (true) {
      const ssize_t count = read(end, &signal, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0 || signal == 0) return;
      on_signal();
      std::signal(signal, SIG_DFL);
      ::raise(signal);
    }
  });
  handler_writes_to = state_->ends[1];
  struct sigaction action = {};
  action.sa_handler = pass_to_thread;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &state_->before[i]);
    // A signal that is ignored, as in the background or under nohup, stays ignored.
    if (state_->before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

SignalHandler::~SignalHandler() {
  if (!state_) return;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &state_->before[i], nullptr);
  }
  handler_writes_to = -1;
  const unsigned char none = 0;
  static_cast<void>(!write(state_->ends[1], &none, 1));
  state_->waiting.join();
  for (const int end : state_->ends) close(end);
}

}  // namespace vkmoye::system
