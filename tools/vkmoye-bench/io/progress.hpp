// SPDX-License-Identifier: MIT
#pragma once
// The progress line on stderr: each line overwrites the one before. On a terminal:
//
//   [12/340] gemm/simt f16 2048x2048x2048: timing, 3 s so far, about 4 min left

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "io/terminal.hpp"

namespace vkmoye::bench {

/// "about 40 s left", "about 4 min left", "about 2 h left".
std::string time_left_text(double seconds);

/// Shows nothing if stderr is not a terminal, except what `compile` and `launch` say. A terminal also shows how long a
/// line has been there, once that is `patience`.
class Progress {
 public:
  explicit Progress(std::chrono::milliseconds patience = std::chrono::seconds(2));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Lines from now on are of step `number`, from 1, of `count`: they begin with "[NUMBER/COUNT]", and say how long the
  /// other steps will take if they take as long as those before. `count` 0: of no step.
  void step(std::size_t number, std::size_t count);
  /// As above, for steps that end in `seconds` or earlier.
  void step(std::size_t number, std::size_t count, double seconds);

  /// Shows as much of `line` as fits.
  void show(const std::string& line);
  /// Shows that the driver of `device` compiles `what`, until the next call. Some take minutes: after `patience`, a
  /// stderr that is no terminal gets one line:
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
  std::string with_times(Clock::time_point now) const;
  void begin(const std::string& line, bool is_slow);
  void begin(const char* stage, const std::string& what, const std::string& device);
  void watch();

  std::chrono::milliseconds patience_;
  std::size_t columns_;
  bool is_terminal_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string step_;      // "[2/7] "
  std::string line_;      // empty: nothing is shown, or nothing more is to be
  bool is_slow_ = false;  // it is also for a stderr that is no terminal
  Clock::time_point since_ = {}, due_ = {};
  const Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> end_;  // when the last step is expected to end
  bool ends_ = false;
  std::thread watcher_;  // last: it uses the others
};

}  // namespace vkmoye::bench
