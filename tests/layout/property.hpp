// SPDX-License-Identifier: MIT
#pragma once
// Helpers of the property tests, which compare every operation with its definition at every coordinate, on random
// layouts. The seed is fixed; the environment variable RC_PARAMS overrides it: "seed=7 max_success=100000". A failure
// is shrunk, and prints the layouts that reproduce it.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>

#include "layout/random_layout.hpp"
#include "support/effort.hpp"
#include "vkmoye/base/error.hpp"

// An operation may throw for a layout, but if it throws in nearly all cases, the property is not tested. So at least
// 15 % of the calls must return a result.
#define PROPERTY(suite, name, ...)                                                          \
  TEST(suite, name) {                                                                       \
    vkmoye::answers = {};                                                                   \
    EXPECT_TRUE(rc::check(#suite "." #name, __VA_ARGS__));                                  \
    EXPECT_GE(100 * vkmoye::answers.given, 15 * vkmoye::answers.asked)                      \
        << vkmoye::answers.given << " of " << vkmoye::answers.asked << " were not refused"; \
  }

namespace vkmoye {

// The calls of unless_refused in the current property, and those that returned a result.
struct Answers {
  std::int64_t asked = 0, given = 0;
};
inline Answers answers;

inline const int kParameters =
    setenv("RC_PARAMS",
           ("seed=20240607 max_discard_ratio=50 max_success=" + std::to_string(test::often(10000)))
               .c_str(),
           0);

using Offsets = std::multiset<std::int64_t>;

inline Offsets offsets(const Layout& layout) {
  Offsets all;
  for (std::int64_t i = 0; i < layout.size(); ++i) all.insert(layout(i));
  return all;
}

inline std::set<std::int64_t> image(const Layout& layout) {
  std::set<std::int64_t> all;
  for (std::int64_t i = 0; i < layout.size(); ++i) all.insert(layout(i));
  return all;
}

inline void same_function(const Layout& a, const Layout& b) {
  RC_ASSERT(a.size() == b.size());
  for (std::int64_t i = 0; i < a.size(); ++i) RC_ASSERT(a(i) == b(i));
}

/// The result of f; nullopt if it throws LayoutError.
template <class F>
auto unless_refused(F f) -> std::optional<decltype(f())> {
  ++answers.asked;
  try {
    std::optional<decltype(f())> result = f();
    ++answers.given;
    return result;
  } catch (const LayoutError&) {
    return std::nullopt;
  }
}

}  // namespace vkmoye
