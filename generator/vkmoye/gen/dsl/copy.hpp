#pragma once
// One copy between two views, as statements.

#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// to(v) = from(v) for each value v. Coordinates that do not change with v are computed, and
/// checked against their extents, outside the loops.
/// `vector` above 1: leaf 0 of the value shape is moved at once, as one vector on each side where
/// the layouts prove that its elements are neighbours at a multiple of `vector`, element by element
/// on the other; sizes that are no such multiple take a scalar path in the same shader.
/// Precondition: `from` and `to` have the same shape and look at `from_array` and `to_array`;
/// `vector` is a width of their type (ir::is_width) and divides the extent of leaf 0.
ir::Block copy_statements(const View& from, const ir::Array& from_array, const View& to,
                          const ir::Array& to_array, std::uint32_t vector);

}  // namespace vkmoye::gen
