// SPDX-License-Identifier: MIT
#pragma once
// What `layout EXPR` and `layout eval --jsonl` compute with: values whose kind is known at run time,
// and how they are printed. Whatever is printed is read back as the same value (expression.hpp),
// pictures excepted:
//
//   12   (2,_)   (4,8):(8,1)   [4, 8:2]   Swizzle<2,0,3>   Swizzle<2,0,3> o 24 o (8):(1)
//   12 + (4):(1)                                            an offset layout
//   access((32,8):(8,1), 4)   bank_model(32, 32, 4)         what only other operations take
//   layout_tv (4,2):(2,1), tiler (8)   degree 2, phases 1   named parts, between commas
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

/// Named numbers and tuples: what an analysis found. The names are literals.
using Findings = std::vector<std::pair<std::string_view, IntTuple>>;

/// What an operation takes and gives. A number is a tuple that is one leaf; std::monostate is what
/// a search gives that found nothing.
using Value =
    std::variant<std::monostate, bool, IntTuple, Layout, Tiler, Swizzle, ComposedLayout,
                 OffsetLayout, TiledCopy, TiledMma, TileAccess, BankModel, Findings, Table>;

/// "a layout", "a tuple", ..: for messages.
std::string_view kind_of(const Value& value);

/// The text form of a value.
std::string to_text(const Value& value);

/// The picture of a value: offsets of a layout, threads and values of a tiled copy, those of C of a
/// tiled multiply-add, a bank map. LayoutError for what has none.
Table table_of(const Value& value);

/// LayoutError: `wanted` was expected where `value` is.
[[noreturn]] void refuse_kind(const Value& value, std::string_view wanted);

// A value as an operation wants it. LayoutError for another kind.

/// A shape without strides is its compact layout, a tiled copy its (thread, value) layout, a tiled
/// multiply-add that of C.
Layout to_layout(const Value& value);
Tiler to_tiler(const Value& value);
const IntTuple& to_tuple(const Value& value);
std::int64_t to_integer(const Value& value);
/// -1000 to 1000: a mode, a bit, a number of lanes.
int to_small(const Value& value);
/// Also as its three numbers.
Swizzle to_swizzle(const Value& value);
/// A layout is one without swizzle.
ComposedLayout to_storage(const Value& value);
/// A layout is an access of one element each.
TileAccess to_access(const Value& value);

// Named parts: how a value of several is printed, an object in JSON.

using Part = std::pair<std::string_view, Value>;

/// The parts of a value, in the order in which they are printed; none of a number, a list or a
/// picture.
std::vector<Part> parts_of(const Value& value);

/// Whether what `layout` prints may begin with this part.
bool begins_parts(std::string_view name);

/// The value that has these parts, told by their names. LayoutError if there is none, or if parts
/// that follow from others (the layouts of a tiled multiply-add) are not what follows.
Value from_parts(const std::vector<Part>& parts);

}  // namespace vkmoye::bench
