// SPDX-License-Identifier: MIT
#pragma once
// The members of the structs that a kernel consists of, for functions that treat all of them in one way: whether two
// kernels are identical, and the fingerprint of a kernel.
//
//   members(Load{"x", {"src", {i}, "src"}})       std::tie(name, from)

#include <concepts>
#include <tuple>
#include <variant>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

// The members of each struct. It does not compile if one is missing.
template <std::same_as<Extent> S>  // without this, every number and text would convert
auto members(const S& s) {
  const auto& [value, symbol, times, per] = s;
  return std::tie(value, symbol, times, per);
}
template <std::same_as<PushConstant> S>
auto members(const S& s) {
  const auto& [name, type] = s;
  return std::tie(name, type);
}
inline auto members(const MatrixType& s) {
  const auto& [use, rows, columns] = s;
  return std::tie(use, rows, columns);
}
inline auto members(const Assumption& s) {
  const auto& [array, why, kind, phase] = s;
  return std::tie(array, why, kind, phase);
}
inline auto members(const ArgumentsInBuffer& s) {
  const auto& [array, names] = s;
  return std::tie(array, names);
}
inline auto members(const Axis& s) {
  const auto& [coordinate, extent, stride] = s;
  return std::tie(coordinate, extent, stride);
}
inline auto members(const Array& s) {
  const auto& [name, type, space, access, axes, layout, matrix, vector, reach, scratch] = s;
  return std::tie(name, type, space, access, axes, layout, matrix, vector, reach, scratch);
}
inline auto members(const GridDimension& s) {
  const auto& [extent, tile, max_groups] = s;
  return std::tie(extent, tile, max_groups);
}
inline auto members(const Element& s) {
  const auto& [array, coordinates, source_text, width, not_wider, as_words, axes] = s;
  return std::tie(array, coordinates, source_text, width, not_wider, as_words, axes);
}
inline auto members(const Let& s) {
  const auto& [name, value, exact] = s;
  return std::tie(name, value, exact);
}
inline auto members(const Load& s) {
  const auto& [name, from] = s;
  return std::tie(name, from);
}
inline auto members(const Store& s) {
  const auto& [to, value] = s;
  return std::tie(to, value);
}
inline auto members(const If& s) {
  const auto& [condition, body, otherwise] = s;
  return std::tie(condition, body, otherwise);
}
inline auto members(const For& s) {
  const auto& [variable, end, body, unroll] = s;
  return std::tie(variable, end, body, unroll);
}
inline auto members(const Barrier&) { return std::tuple<>(); }
inline auto members(const GridBarrier&) { return std::tuple<>(); }
inline auto members(const GridLoop& s) {
  const auto& [title, variables, grid, body] = s;
  return std::tie(title, variables, grid, body);
}
inline auto members(const Subgroup& s) {
  const auto& [name, kind, combine, value, lane] = s;
  return std::tie(name, kind, combine, value, lane);
}
inline auto members(const Atomic& s) {
  const auto& [name, combine, to, value] = s;
  return std::tie(name, combine, to, value);
}
inline auto members(const MatrixPart& s) {
  const auto& [array, number, elements] = s;
  return std::tie(array, number, elements);
}
inline auto members(const MatrixRegion& s) {
  const auto& [first, stride, by_columns, rows, columns, lanes, vectors] = s;
  return std::tie(first, stride, by_columns, rows, columns, lanes, vectors);
}
inline auto members(const MatrixLoad& s) {
  const auto& [to, from] = s;
  return std::tie(to, from);
}
inline auto members(const MatrixStore& s) {
  const auto& [to, from] = s;
  return std::tie(to, from);
}
inline auto members(const MatrixFill& s) {
  const auto& [to, value] = s;
  return std::tie(to, value);
}
inline auto members(const MatrixMultiply& s) {
  const auto& [to, a, b, c] = s;
  return std::tie(to, a, b, c);
}
inline auto members(const Assume& s) {
  const auto& [condition, why] = s;
  return std::tie(condition, why);
}
inline auto members(const Titled& s) {
  const auto& [title, body, function, parameters] = s;
  return std::tie(title, body, function, parameters);
}
template <std::same_as<Stmt> S>  // without this, every statement would convert to a Stmt
auto members(const S& s) {
  return std::tie(s.value);
}
inline auto members(const Kernel& s) {
  const auto& [name, config, why, arrays, arguments, grid, threads, subgroup, body, assumptions,
               verified, command, hand_written, in_buffer, specialised, summing_threads, arrivals,
               most_polls] = s;
  return std::tie(name, config, why, arrays, arguments, grid, threads, subgroup, body, assumptions,
                  hand_written, in_buffer, specialised, summing_threads, arrivals, most_polls);
}

template <class T>
constexpr bool kIsVariant = false;
template <class... Ts>
constexpr bool kIsVariant<std::variant<Ts...>> = true;

}  // namespace vkmoye::gen::ir
