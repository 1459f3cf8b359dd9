// SPDX-License-Identifier: MIT
#pragma once
// How many random cases a test takes.

#include <cstdint>
#include <cstdlib>

namespace vkmoye::test {

/// `count`, of which tools/test takes a fifth (VKMOYE_TEST_QUICK), tools/test long ten times as many
/// (VKMOYE_TEST_LONG).
inline std::int64_t often(std::int64_t count) {
  if (std::getenv("VKMOYE_TEST_LONG") != nullptr) return 10 * count;
  return std::getenv("VKMOYE_TEST_QUICK") != nullptr ? (count + 4) / 5 : count;
}

}  // namespace vkmoye::test
