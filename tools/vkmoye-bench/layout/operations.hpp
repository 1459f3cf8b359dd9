#pragma once
// Every operation of the layout algebra by its name, on values whose kind is known at run time:
// what `layout EXPR` and `layout eval --jsonl` share. One row per operation in
// layout_operations.cpp.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/layout/draw.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye::bench {

/// Named numbers and tuples: what an analysis found.
using Findings = std::vector<std::pair<std::string_view, IntTuple>>;

/// What an operation takes and gives. A number is a tuple that is one leaf; std::monostate is what
/// a search gives that found nothing.
using Value = std::variant<std::monostate, bool, IntTuple, Layout, Tiler, Swizzle, ComposedLayout,
                           OffsetLayout, TiledCopy, TileAccess, BankModel, Findings, Table>;

/// "a layout", "a tuple", ..: for messages.
std::string_view kind_of(const Value& value);

/// The text form of a value.
std::string to_text(const Value& value);

/// The picture of a value: offsets of a layout, threads and values of a tiled copy, a bank map.
/// LayoutError for what has none.
Table table_of(const Value& value);

using Arguments = std::span<const Value>;

struct LayoutOperation {
  std::string_view name;
  std::string_view parameters;  // "layout, tiler"
  int least;                    // number of arguments
  int most;
  Value (*apply)(Arguments);
};

/// All operations, sorted by name.
std::span<const LayoutOperation> layout_operations();

/// The operation called `name`. LayoutError, with the nearest name, if there is none.
const LayoutOperation& find_layout_operation(std::string_view name);

/// Applies it. LayoutError for a wrong number or kind of arguments, and where the operation
/// refuses.
Value apply_operation(const LayoutOperation& operation, Arguments arguments);

}  // namespace vkmoye::bench
