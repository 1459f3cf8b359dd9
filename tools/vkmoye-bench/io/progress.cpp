// SPDX-License-Identifier: MIT
#include "io/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace vkmoye::bench {
namespace {

constexpr std::chrono::seconds kInterval(1);
// Estimates from the first steps jump: none is shown until so many steps are done, or this time has passed.
constexpr std::size_t kEnoughSteps = 5;
constexpr double kEnoughSeconds = 10;

}  // namespace

std::string time_left_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  const auto text = [](double number, const char* unit) {
    return fmt::format("about {:.0f} {} left", std::max(1.0, std::round(number)), unit);
  };
  if (seconds < 1.5 * kMinute) return text(seconds, "s");
  return seconds < 1.5 * kHour ? text(seconds / kMinute, "min") : text(seconds / kHour, "h");
}

Progress::Progress(std::chrono::milliseconds patience)
    : patience_(patience),
      columns_(terminal_of(system::Stream::error).columns),
      is_terminal_(system::is_terminal(system::Stream::error)),
      watcher_([this] { watch(); }) {}

Progress::~Progress() {
  step(0, 0);
  clear();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  watcher_.join();
}

void Progress::step(std::size_t number, std::size_t count) {
  const std::lock_guard lock(mutex_);
  step_ = count == 0 ? "" : fmt::format("[{}/{}] ", number, count);
  end_.reset();
  if (number < 2 || count == 0) return;
  const Clock::time_point now = Clock::now();
  const std::size_t done = number - 1;
  const double spent = std::chrono::duration<double>(now - start_).count();
  if (done < kEnoughSteps && spent < kEnoughSeconds) return;
  const double left = spent / static_cast<double>(done) * static_cast<double>(count - done);
  end_ = now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(left));
}

void Progress::step(std::size_t number, std::size_t count, double seconds) {
  const std::lock_guard lock(mutex_);
  step_ = fmt::format("[{}/{}] ", number, count);
  end_ = Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// One column less: some terminals begin a new line after the last column.
void Progress::put(const std::string& line) const {
  if (is_terminal_) std::cerr << "\r\x1b[K" << line.substr(0, columns_ - 1) << std::flush;
}

// The line with the time that it took so far, if that is long, and on a terminal with the time that is left.
std::string Progress::with_times(Clock::time_point now) const {
  std::string text = line_;
  if (now - since_ >= patience_) {
    const auto taken = std::chrono::duration_cast<std::chrono::seconds>(now - since_);
    text += fmt::format(", {} s so far", taken.count());
  }
  if (is_terminal_ && end_ && *end_ > now) {
    text += ", " + time_left_text(std::chrono::duration<double>(*end_ - now).count());
  }
  return text;
}

void Progress::begin(const std::string& line, bool is_slow) {
  {
    const std::lock_guard lock(mutex_);
    line_ = line.empty() ? "" : step_ + line;
    is_slow_ = is_slow;
    since_ = Clock::now();
    due_ = since_ + patience_;
    put(line_.empty() ? "" : with_times(since_));
  }
  changed_.notify_all();
}

void Progress::show(const std::string& line) { begin(line, /*is_slow=*/false); }

void Progress::begin(const char* stage, const std::string& what, const std::string& device) {
  begin(fmt::format("{} {} ({})", stage, what, device.substr(0, device.find(" ("))),
        /*is_slow=*/true);
}
void Progress::compile(const std::string& what, const std::string& device) {
  begin("compiling", what, device);
}
void Progress::launch(const std::string& what, const std::string& device) {
  begin("launching", what, device);
}

void Progress::watch() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (line_.empty() || !(is_terminal_ || is_slow_)) {
      changed_.wait(lock);
    } else if (const auto now = Clock::now(); now < due_) {
      changed_.wait_until(lock, due_);
    } else if (is_terminal_) {
      put(with_times(now));
      due_ += kInterval;
    } else {
      std::cerr << with_times(now) << std::endl;
      line_.clear();
    }
  }
}

}  // namespace vkmoye::bench
