// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/identical.hpp"

#include <algorithm>
#include <concepts>
#include <ranges>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace vkmoye::gen::ir {
namespace {

// The members of each struct. It does not compile if one is missing.
auto members(const Axis& s) {
  const auto& [coordinate, extent, stride] = s;
  return std::tie(coordinate, extent, stride);
}
auto members(const Array& s) {
  const auto& [name, type, space, access, axes, layout, matrix, vector, reach] = s;
  return std::tie(name, type, space, access, axes, layout, matrix, vector, reach);
}
auto members(const GridDimension& s) {
  const auto& [extent, tile, max_groups] = s;
  return std::tie(extent, tile, max_groups);
}
auto members(const Element& s) {
  const auto& [array, coordinates, source_text, width, not_wider, as_words] = s;
  return std::tie(array, coordinates, source_text, width, not_wider, as_words);
}
auto members(const Let& s) {
  const auto& [name, value] = s;
  return std::tie(name, value);
}
auto members(const Load& s) {
  const auto& [name, from] = s;
  return std::tie(name, from);
}
auto members(const Store& s) {
  const auto& [to, value] = s;
  return std::tie(to, value);
}
auto members(const If& s) {
  const auto& [condition, body, otherwise] = s;
  return std::tie(condition, body, otherwise);
}
auto members(const For& s) {
  const auto& [variable, end, body, unroll] = s;
  return std::tie(variable, end, body, unroll);
}
auto members(const Barrier&) { return std::tuple<>(); }
auto members(const Subgroup& s) {
  const auto& [name, kind, combine, value, lane] = s;
  return std::tie(name, kind, combine, value, lane);
}
auto members(const Atomic& s) {
  const auto& [name, combine, to, value] = s;
  return std::tie(name, combine, to, value);
}
auto members(const MatrixPart& s) {
  const auto& [array, number, elements] = s;
  return std::tie(array, number, elements);
}
auto members(const MatrixRegion& s) {
  const auto& [first, stride, by_columns, rows, columns, lanes, vectors] = s;
  return std::tie(first, stride, by_columns, rows, columns, lanes, vectors);
}
auto members(const MatrixLoad& s) {
  const auto& [to, from] = s;
  return std::tie(to, from);
}
auto members(const MatrixStore& s) {
  const auto& [to, from] = s;
  return std::tie(to, from);
}
auto members(const MatrixFill& s) {
  const auto& [to, value] = s;
  return std::tie(to, value);
}
auto members(const MatrixMultiply& s) {
  const auto& [to, a, b, c] = s;
  return std::tie(to, a, b, c);
}
auto members(const Assume& s) {
  const auto& [condition, why] = s;
  return std::tie(condition, why);
}
auto members(const Block& s) {
  const auto& [title, body] = s;
  return std::tie(title, body);
}
template <std::same_as<Stmt> S>  // without this, every statement would convert to a Stmt
auto members(const S& s) {
  return std::tie(s.value);
}
auto members(const Kernel& s) {
  const auto& [name, config, why, arrays, arguments, grid, threads, subgroup, body, assumptions,
               verified, command, hand_written, in_buffer, specialised] = s;
  return std::tie(name, config, why, arrays, arguments, grid, threads, subgroup, body, assumptions,
                  hand_written, in_buffer, specialised);
}

template <class T>
constexpr bool kIsVariant = false;
template <class... Ts>
constexpr bool kIsVariant<std::variant<Ts...>> = true;

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
