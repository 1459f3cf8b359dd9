// SPDX-License-Identifier: MIT
#pragma once
// The number of cases that a test runs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace vkmoye::test {

inline bool is_quick() { return std::getenv("VKMOYE_TEST_QUICK") != nullptr; }
inline bool is_long() { return std::getenv("VKMOYE_TEST_LONG") != nullptr; }

/// `count` random cases; tools/test (VKMOYE_TEST_QUICK) runs one in `quick`, tools/test long (VKMOYE_TEST_LONG) ten
/// times as many.
inline std::int64_t often(std::int64_t count, std::int64_t quick = 5) {
  if (is_long()) return 10 * count;
  return is_quick() ? (count + quick - 1) / quick : count;
}

/// Whether case number `number` runs: one in `one_in`; tools/test long runs all.
inline bool is_drawn(std::size_t number, std::size_t one_in) {
  return is_long() || number % one_in == 0;
}

/// Whether a case of an entry runs, of `count`: tools/test runs one in three, and others for the next entry. So every
/// kernel and every type is tested, but not every combination.
inline bool takes(std::size_t row, std::size_t number, std::size_t count) {
  return !is_quick() || (row + number) % std::min<std::size_t>(count, 3) == 0;
}

}  // namespace vkmoye::test
