// SPDX-License-Identifier: MIT
#pragma once
// What is still to be done when a signal ends the program.

#include <csignal>
#include <functional>
#include <thread>

namespace vkmoye::bench {

/// While it lives, SIGINT, SIGTERM and SIGHUP end the program as ever, but `last_words` come first, on
/// a thread of their own. They must not wait for long: further signals do nothing. One at a time.
class Interruption {
 public:
  explicit Interruption(std::function<void()> last_words);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

  int ends_[2] = {-1, -1};  // of a pipe: what the handler writes, the thread reads
  struct sigaction before_[3] = {};
  std::thread waiting_;
};

}  // namespace vkmoye::bench
