// SPDX-License-Identifier: MIT
#include "io/interruption.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <iterator>
#include <utility>

namespace vkmoye::bench {
namespace {

std::atomic<int> handler_writes_to = -1;

void pass_to_thread(int signal) {
  const int error = errno;
  const auto byte = static_cast<unsigned char>(signal);
  if (write(handler_writes_to, &byte, 1) != 1) _exit(128 + signal);
  errno = error;
}

}  // namespace

Interruption::Interruption(std::function<void()> on_signal) {
  if (pipe2(ends_, O_CLOEXEC) != 0) return;  // without the pipe, signals end the program at once
  waiting_ = std::thread([on_signal = std::move(on_signal), end = ends_[0]] {
    unsigned char signal = 0;
    while (true) {
      const ssize_t count = read(end, &signal, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0 || signal == 0) return;
      on_signal();
      std::signal(signal, SIG_DFL);
      raise(signal);
    }
  });
  handler_writes_to = ends_[1];
  struct sigaction action = {};
  action.sa_handler = pass_to_thread;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    // A signal that is ignored, as in the background or under nohup, stays ignored.
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  if (ends_[0] < 0) return;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &before_[i], nullptr);
  }
  handler_writes_to = -1;
  const unsigned char none = 0;
  static_cast<void>(!write(ends_[1], &none, 1));
  waiting_.join();
  for (const int end : ends_) close(end);
}

}  // namespace vkmoye::bench
