#pragma once
// One copy between two views, as statements.

#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// to(v) = from(v) for each value v. Coordinates that do not change with v are computed, and
/// checked against their extents, outside the loops.
/// Precondition: `from` and `to` have the same shape and look at `from_array` and `to_array`.
ir::Block copy_statements(const View& from, const ir::Array& from_array, const View& to,
                          const ir::Array& to_array);

}  // namespace vkmoye::gen
