// SPDX-License-Identifier: MIT
#pragma once
// The progress line on stderr: each line overwrites the one before.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

#include "io/terminal.hpp"

namespace vkmoye::bench {

/// Shows nothing if stderr is not a terminal, except what `compile` and `launch` say.
class Progress {
 public:
  explicit Progress(std::chrono::milliseconds patience = std::chrono::seconds(2));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows as much of `line` as fits.
  void show(const std::string& line);
  /// Shows that the driver of `device` compiles `what`, until the next call. Some take minutes: after `patience` a
  /// terminal also shows the time so far, and any other stderr gets one line:
  ///
  ///   compiling gemm/packed_weights f16 128x128x128 (llvmpipe), 2 s so far
  void compile(const std::string& what, const std::string& device);
  /// Shows, in the same way, that `what` is launched: some drivers compile a kernel when it is launched first.
  ///
  ///   launching gemm/packed_weights f16 128x128x128 (llvmpipe), 2 s so far
  void launch(const std::string& what, const std::string& device);
  void clear() { show(""); }

 private:
  using Clock = std::chrono::steady_clock;
  void put(const std::string& line) const;
  void begin(std::string slow, const std::string& line);
  void begin(const char* stage, const std::string& what, const std::string& device);
  void watch();

  std::chrono::milliseconds patience_;
  std::size_t columns_;
  bool is_terminal_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string slow_;  // what may take long; empty: nothing that is still to be shown
  Clock::time_point since_ = {}, due_ = {};
  bool ends_ = false;
  std::thread watcher_;  // last: it uses the others
};

}  // namespace vkmoye::bench
