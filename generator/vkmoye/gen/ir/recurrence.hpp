// SPDX-License-Identifier: MIT
#pragma once
// How a value follows the rounds of one loop: whether it repeats, from which round on, and after how many rounds.
//
//   r              grows by 1 each round                     period 1, step 1
//   r / 4          grows by 1 every four rounds              period 4, step 1
//   (r / 4) % 3    repeats after 12 rounds                   period 12, step 0
//   min(r, 5)      is 5 from round 5 on                      first 5, period 1, step 0
//   r < 5          is false from round 5 on                  first 6, period 1, step 0
//   r * r          does neither                              nothing is known
//
// e(r + period) = e(r) + step for every round r from `first` on, modulo 2^32. Everything else, also the
// variables of other loops, counts as constant: a value that depends on two loops has a recurrence in each of them.
//
// A value that may wrap around at 2^32 follows no period when it is divided: (r - 50) % 3 is 0 in round 49
// and in round 50. So a quotient, and a remainder by anything but a power of two, needs a value that does not wrap.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

struct Recurrence {
  std::uint64_t period = 1;
  std::uint64_t step = 0;  // modulo 2^32
  std::uint64_t first = 0;
  /// The smallest and the largest value; `max` from kUnbounded on: it may wrap.
  std::uint64_t min = 0, max = kUnbounded - 1;
};

/// Longer periods are not followed, nor values that only repeat from a later round on.
inline constexpr std::uint64_t kMaxPeriod = 1 << 16, kMaxFirst = 64;

/// What is known of the names that follow a loop; nullopt: nothing. Other names do not follow it.
using Recurrences = std::map<std::string, std::optional<Recurrence>>;

/// A loop with a non-constant end is assumed to run at most this many rounds; more would not finish in practice.
inline constexpr std::uint64_t kMaxRounds = std::uint64_t{1} << 31;

/// The recurrence of the variable of a loop, which is r in round r < `end`.
Recurrence recurrence_of_rounds(const Expr& end);

/// The recurrence of `e`; nullopt if it has none, or a longer period than kMaxPeriod.
std::optional<Recurrence> recurrence_of(const Expr& e, const Recurrences& names);

/// The recurrence of two values together, one with `a` and one with `b`; nullopt if its period would be too long.
std::optional<Recurrence> combined(const Recurrence& a, const Recurrence& b);

}  // namespace vkmoye::gen::ir
