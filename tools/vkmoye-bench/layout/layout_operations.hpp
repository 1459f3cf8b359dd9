// SPDX-License-Identifier: MIT
#pragma once
// The table of the operations of the layout algebra, for `layout EXPR` and `layout eval --jsonl`. Each operation has
// one entry in operations.cpp.

#include <span>
#include <string_view>

#include "layout/value.hpp"

namespace vkmoye::bench {

using Arguments = std::span<const Value>;

/// A function on values and its number of arguments.
struct Call {
  int min_arguments;
  int max_arguments;
  Value (*apply)(Arguments);
};

struct LayoutOperation {
  std::string_view name;
  std::string_view parameters;  // "layout, tiler"
  Call call;
};

/// All operations, sorted by name.
std::span<const LayoutOperation> layout_operations();

/// The operation `name`. Throws LayoutError with the most similar name if there is none.
const LayoutOperation& find_layout_operation(std::string_view name);

/// Applies the operation. Throws LayoutError for a wrong number or kind of arguments, and whatever the operation
/// throws.
Value apply_operation(const LayoutOperation& operation, Arguments arguments);

}  // namespace vkmoye::bench
