// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/identical.hpp"

#include <algorithm>
#include <ranges>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "vkmoye/gen/ir/members.hpp"

namespace vkmoye::gen::ir {
namespace {

// Pairs of nodes that were found equal. Each pair is compared once, however often both are shared.
using Pairs = std::set<std::pair<const Node*, const Node*>>;

bool are_equal(const Expr& a, const Expr& b, Pairs& known) {
  if (&*a == &*b || known.contains({&*a, &*b})) return true;
  const bool agree =
      a->op == b->op && a->type == b->type && a->bound == b->bound &&
      a->alignment == b->alignment && a->value == b->value && a->builtin == b->builtin &&
      a->name == b->name &&
      std::ranges::equal(a->operands, b->operands,
                         [&](const Expr& x, const Expr& y) { return are_equal(x, y, known); });
  if (agree) known.emplace(&*a, &*b);
  return agree;
}

// Handles expressions, ranges, variants, structs and plain values.
template <class T>
bool is_one(const T& a, const T& b, Pairs& known) {
  if constexpr (std::is_same_v<T, Expr>) {
    return are_equal(a, b, known);
  } else if constexpr (std::ranges::range<T>) {
    return std::ranges::equal(a, b,
                              [&](const auto& x, const auto& y) { return is_one(x, y, known); });
  } else if constexpr (kIsVariant<T>) {
    return a.index() == b.index() && std::visit(
                                         [&](const auto& of_a) {
                                           using Held = std::decay_t<decltype(of_a)>;
                                           return is_one(of_a, std::get<Held>(b), known);
                                         },
                                         a);
  } else if constexpr (requires { members(a); }) {
    return std::apply(
        [&](const auto&... of_a) {
          return std::apply([&](const auto&... of_b) { return (is_one(of_a, of_b, known) && ...); },
                            members(b));
        },
        members(a));
  } else {
    return a == b;
  }
}

}  // namespace

bool identical(const Kernel& a, const Kernel& b) {
  Pairs known;
  return is_one(a, b, known);
}

}  // namespace vkmoye::gen::ir
