// SPDX-License-Identifier: MIT
#include "io/progress.hpp"

#include <fmt/format.h>

#include <iostream>
#include <utility>

namespace vkmoye::bench {
namespace {

constexpr std::chrono::seconds kInterval(1);

}  // namespace

Progress::Progress(std::chrono::milliseconds patience)
    : patience_(patience),
      columns_(terminal_of(system::Stream::error).columns),
      is_terminal_(system::is_terminal(system::Stream::error)),
      watcher_([this] { watch(); }) {}

Progress::~Progress() {
  clear();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  watcher_.join();
}

// One column less: some terminals begin a new line after the last column.
void Progress::put(const std::string& line) const {
  if (is_terminal_) std::cerr << "\r\x1b[K" << line.substr(0, columns_ - 1) << std::flush;
}

void Progress::begin(std::string slow, const std::string& line) {
  {
    const std::lock_guard lock(mutex_);
    slow_ = std::move(slow);
    since_ = Clock::now();
    due_ = since_ + patience_;
    put(line);
  }
  changed_.notify_all();
}

void Progress::show(const std::string& line) { begin("", line); }

void Progress::begin(const char* stage, const std::string& what, const std::string& device) {
  const std::string text =
      fmt::format("{} {} ({})", stage, what, device.substr(0, device.find(" (")));
  begin(text, text);
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
    if (slow_.empty()) {
      changed_.wait(lock);
    } else if (const auto now = Clock::now(); now < due_) {
      changed_.wait_until(lock, due_);
    } else {
      const auto taken = std::chrono::duration_cast<std::chrono::seconds>(now - since_);
      const std::string line = fmt::format("{}, {} s so far", slow_, taken.count());
      due_ += kInterval;
      if (is_terminal_) {
        put(line);
      } else {
        std::cerr << line << std::endl;
        slow_.clear();
      }
    }
  }
}

}  // namespace vkmoye::bench
