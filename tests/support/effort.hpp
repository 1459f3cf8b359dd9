// SPDX-License-Identifier: MIT
#pragma once
// How many cases a test takes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace vkmoye::test {

inline bool is_quick() { return std::getenv("VKMOYE_TEST_QUICK") != nullptr; }

/// `count` random cases, of which tools/test (VKMOYE_TEST_QUICK) takes one in `quick`, tools/test long
/// (VKMOYE_TEST_LONG) ten times as many.
inline std::int64_t often(std::int64_t count, std::int64_t quick = 5) {
  if (std::getenv("VKMOYE_TEST_LONG") != nullptr) return 10 * count;
  return is_quick() ? (count + quick - 1) / quick : count;
}

/// Whether a row's case is taken, of `count`: tools/test takes one in three, others for the next row; so every
/// kernel comes, and every type, but not each with each.
inline bool takes(std::size_t row, std::size_t number, std::size_t count) {
  return !is_quick() || (row + number) % std::min<std::size_t>(count, 3) == 0;
}

}  // namespace vkmoye::test
