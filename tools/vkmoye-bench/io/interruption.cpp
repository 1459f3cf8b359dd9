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

void tell(int signal) {
  const int error = errno;
  const auto byte = static_cast<unsigned char>(signal);
  if (write(handler_writes_to, &byte, 1) != 1) _exit(128 + signal);
  errno = error;
}

}  // namespace

Interruption::Interruption(std::function<void()> last_words) {
  if (pipe2(ends_, O_CLOEXEC) != 0) return;  // then signals end the program at once
  waiting_ = std::thread([last_words = std::move(last_words), end = ends_[0]] {
    unsigned char signal = 0;
    while (true) {
      const ssize_t count = read(end, &signal, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0 || signal == 0) return;
      last_words();
      std::signal(signal, SIG_DFL);
      raise(signal);
    }
  });
  handler_writes_to = ends_[1];
  struct sigaction action = {};
  action.sa_handler = tell;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    // A program in the background, or behind nohup, ignores some.
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
