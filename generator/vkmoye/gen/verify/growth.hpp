// SPDX-License-Identifier: MIT
#pragma once
// How an index follows the rounds of a loop: whether it repeats, and after how many of them.
//
//   r              grows by 1 each round                  period 1, step 1
//   r / 4          grows by 1 every four rounds           period 4, step 1
//   (r / 4) % 3    repeats after 12 rounds                period 12, step 0
//   min(r, 5)      neither                                nothing is known
//
// e(r + period) = e(r) + step for every round r. Names that stand for such values count with them, so
// it does not matter in how many steps an author writes an index. Numbers are those of rounds that
// a launch can reach: products of them with a factor may wrap, so a remainder of such a product by
// anything else than a power of two is not taken for periodic.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen {

struct Growth {
  std::uint64_t period = 1;
  std::uint64_t step = 0;  // modulo 2^32
};

/// Longer rings are never followed.
inline constexpr std::uint64_t kMaxPeriod = 1 << 16;

/// What is known of the names that follow a loop; absent value: nothing. Other names do not follow it.
using Growths = std::map<std::string, std::optional<Growth>>;

/// The growth of `e`; nothing where it has none, or a longer period than kMaxPeriod.
std::optional<Growth> growth_of(const ir::Expr& e, const Growths& names);

}  // namespace vkmoye::gen
