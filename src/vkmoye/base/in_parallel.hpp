// SPDX-License-Identifier: MIT
#pragma once
// Work that is divided among the processors of the host.
//
//   in_parallel(1000, true, work)     on 4 processors: work(0, 250), work(250, 500), .. each in a thread of its own

#include <algorithm>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace vkmoye {

/// Calls `work(begin, end)` for parts of 0 .. count-1 that follow one another, and waits for all: in as many threads as
/// there are processors, or in the calling one unless it is `worth_it`. Throws what the first of them threw.
template <class Work>
void in_parallel(std::size_t count, bool worth_it, const Work& work) {
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t parts =
      worth_it ? std::clamp<std::size_t>(processors, 1, std::max<std::size_t>(1, count)) : 1;
  std::vector<std::exception_ptr> thrown(parts);
  const auto do_part = [&](std::size_t part) {
    try {
      work(count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      thrown[part] = std::current_exception();
    }
  };
  std::vector<std::thread> running;
  std::size_t part = 1;
  try {
    for (; part < parts; ++part) running.emplace_back(do_part, part);
  } catch (const std::system_error&) {  // no more threads: the rest is done here
  }
  do_part(0);
  for (; part < parts; ++part) do_part(part);
  for (std::thread& thread : running) thread.join();
  for (const std::exception_ptr& one : thrown) {
    if (one) std::rethrow_exception(one);
  }
}

}  // namespace vkmoye
