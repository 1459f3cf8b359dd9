// SPDX-License-Identifier: MIT
#pragma once
// Turns a function on layouts into a function on values, which takes its arguments according to the parameter
// types.
//
//   call([](const Layout& layout, int modes) { return append(layout, modes); })
//     2 arguments: a value that to_layout accepts, and a number from -1000 to 1000
//
// Trailing parameters may be std::optional (the argument may be left out), and the last one may be std::vector
// (one or more arguments) or SharedAccesses.

#include <algorithm>
#include <concepts>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "layout/layout_operations.hpp"

namespace vkmoye::bench {

/// The largest number of arguments of a call.
inline constexpr int kMaxArguments = 16;

template <class T>
T value_as(const Value& value) {
  if constexpr (std::same_as<T, Value>) return value;
  if constexpr (std::same_as<T, Layout>) return to_layout(value);
  if constexpr (std::same_as<T, Tiler>) return to_tiler(value);
  if constexpr (std::same_as<T, IntTuple>) return to_tuple(value);
  if constexpr (std::same_as<T, std::int64_t>) return to_integer(value);
  if constexpr (std::same_as<T, int>) return to_small(value);
  if constexpr (std::same_as<T, Swizzle>) return to_swizzle(value);
  if constexpr (std::same_as<T, ComposedLayout>) return to_storage(value);
  if constexpr (std::same_as<T, TileAccess>) return to_access(value);
}

/// Takes the arguments of a parameter from the front of `rest`.
template <class T>
struct Parameter {
  static constexpr int kMin = 1, kMax = 1;
  static T take(Arguments& rest) {
    const Value& first = rest[0];
    rest = rest.subspan(1);
    return value_as<T>(first);
  }
};

template <class T>
struct Parameter<std::optional<T>> {
  static constexpr int kMin = 0, kMax = 1;
  static std::optional<T> take(Arguments& rest) {
    if (rest.empty()) return std::nullopt;
    return Parameter<T>::take(rest);
  }
};

template <class T>
struct Parameter<std::vector<T>> {
  static constexpr int kMin = 1, kMax = kMaxArguments;
  static std::vector<T> take(Arguments& rest) {
    std::vector<T> all;
    while (!rest.empty()) all.push_back(Parameter<T>::take(rest));
    return all;
  }
};

/// access, .. [, element bytes] [, bank model]
struct SharedAccesses {
  std::vector<TileAccess> accesses;
  std::int64_t element_bytes = 4;
  BankModel model;
};

template <>
struct Parameter<SharedAccesses> {
  static constexpr int kMin = 1, kMax = kMaxArguments;
  static SharedAccesses take(Arguments& rest);
};

namespace detail {

template <class Result>
Value result_of(Result&& result) {
  using Plain = std::remove_cvref_t<Result>;
  if constexpr (std::integral<Plain> && !std::same_as<Plain, bool>) {
    return IntTuple(static_cast<std::int64_t>(result));
  } else {
    return std::forward<Result>(result);
  }
}

template <class F, class Result, class... Taken>
constexpr Call call_of(Result (F::*)(Taken...) const) {
  return {(0 + ... + Parameter<std::remove_cvref_t<Taken>>::kMin),
          std::min(kMaxArguments, (0 + ... + Parameter<std::remove_cvref_t<Taken>>::kMax)),
          [](Arguments rest) -> Value {
            // In braces, arguments are evaluated from left to right.
            std::tuple<std::remove_cvref_t<Taken>...> taken{
                Parameter<std::remove_cvref_t<Taken>>::take(rest)...};
            return result_of(std::apply(F(), taken));
          }};
}

}  // namespace detail

/// Precondition: F has no captures.
template <class F>
constexpr Call call(F) {
  return detail::call_of<F>(&F::operator());
}

/// A Call of an operation that only rearranges the coordinates of its first argument, a layout. If the layout is
/// swizzled, the operation applies to the layout inside the swizzle. Precondition: F has no captures.
template <class F>
constexpr Call inside_swizzle(F) {
  return {call(F()).min_arguments, call(F()).max_arguments, [](Arguments arguments) -> Value {
            const Call plain = call(F());
            const auto* composed = std::get_if<ComposedLayout>(&arguments[0]);
            if (composed == nullptr) return plain.apply(arguments);
            std::vector<Value> inner(arguments.begin(), arguments.end());
            inner[0] = composed->layout;
            return composed->with([&](const Layout&) { return to_layout(plain.apply(inner)); });
          }};
}

}  // namespace vkmoye::bench
