// SPDX-License-Identifier: MIT
#pragma once
// The values of `layout EXPR` and `layout eval --jsonl`, whose kind is known at run time, and how they are printed.
// Except for pictures, reading the output (expression.hpp) gives the same value:
//
//   12   (2,_)   (4,8):(8,1)   [4, 8:2]   Swizzle<2,0,3>   Swizzle<2,0,3> o 24 o (8):(1)
//   12 + (4):(1)                                            an offset layout
//   access((32,8):(8,1), 4)   bank_model(32, 32, 4)         only arguments of operations
//   layout_tv (4,2):(2,1), tiler (8)   degree 2, phases 1   named parts, separated by commas
//   none   true   false

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/layout/draw.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"
#include "vkmoye/tensor/tiled_mma.hpp"

namespace vkmoye::bench {

/// Named numbers and tuples: the findings of an analysis. The names are string literals.
using Findings = std::vector<std::pair<std::string_view, IntTuple>>;

/// An argument or a result of an operation. A number is a tuple with a single leaf; std::monostate is the result of a
/// search that found nothing.
using Value =
    std::variant<std::monostate, bool, IntTuple, Layout, Tiler, Swizzle, ComposedLayout,
                 OffsetLayout, TiledCopy, TiledMma, TileAccess, BankModel, Findings, Table>;

/// "a layout", "a tuple", .., for messages.
std::string_view kind_of(const Value& value);

/// The text form of a value.
std::string to_text(const Value& value);

/// The picture of a value: the offsets of a layout, the threads and values of a tiled copy, those of C in a tiled
/// multiply-add, a bank map. Throws LayoutError if there is none.
Table table_of(const Value& value);

/// Throws LayoutError: `wanted` was expected, not `value`.
[[noreturn]] void refuse_kind(const Value& value, std::string_view wanted);

// Conversions to the types of parameters. They throw LayoutError for other kinds.

/// A shape becomes its compact layout, a tiled copy its (thread, value) layout, a tiled multiply-add that of C.
Layout to_layout(const Value& value);
Tiler to_tiler(const Value& value);
const IntTuple& to_tuple(const Value& value);
std::int64_t to_integer(const Value& value);
/// Accepts -1000 to 1000, for a mode, a bit or a number of lanes.
int to_small(const Value& value);
/// Three numbers become a swizzle, too.
Swizzle to_swizzle(const Value& value);
/// A layout becomes one without swizzle.
ComposedLayout to_storage(const Value& value);
/// A layout becomes an access with one element per request.
TileAccess to_access(const Value& value);

// Named parts: the text and JSON form of values with several parts.

using Part = std::pair<std::string_view, Value>;

/// The parts of a value, in the order in which they are printed; numbers, lists and pictures have none.
std::vector<Part> parts_of(const Value& value);

/// Whether the printed form of a value may begin with this part.
bool begins_parts(std::string_view name);

/// The value with these parts, identified by their names. Throws LayoutError if there is none, or if redundant parts
/// (the layouts of a tiled multiply-add) contradict the others.
Value from_parts(const std::vector<Part>& parts);

}  // namespace vkmoye::bench
