// SPDX-License-Identifier: MIT
#pragma once
// Every operation of the layout algebra by its name: what `layout EXPR` and `layout eval --jsonl`
// share. One row per operation in operations.cpp.

#include <span>
#include <string_view>

#include "layout/value.hpp"

namespace vkmoye::bench {

using Arguments = std::span<const Value>;

/// A function on values and how many it takes.
struct Call {
  int least;
  int most;
  Value (*apply)(Arguments);
};

struct LayoutOperation {
  std::string_view name;
  std::string_view parameters;  // "layout, tiler"
  Call call;
};

/// All operations, sorted by name.
std::span<const LayoutOperation> layout_operations();

/// The operation called `name`. LayoutError, with the nearest name, if there is none.
const LayoutOperation& find_layout_operation(std::string_view name);

/// Applies it. LayoutError for a wrong number or kind of arguments, and where the operation
/// refuses.
Value apply_operation(const LayoutOperation& operation, Arguments arguments);

}  // namespace vkmoye::bench
