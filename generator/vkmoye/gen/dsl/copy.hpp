#pragma once
// One copy between two views, as statements.

#include <cstddef>

#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

struct CopyRules {
  std::size_t leaf = 0;       // of the value shape: the one along which vectors are moved
  bool zero_outside = false;  // a value outside `from` is 0; otherwise it is skipped
  bool fits = false;          // the statements stand where `fits_vectors` is known to hold
  bool inside = false;        // they stand where nothing hangs over an edge: Builder::inside
};

/// What must hold of the run-time sizes so that vectors of `width` along leaf `leaf` of the value
/// shape never cross an edge and always begin at a multiple of their size; nothing: it always does.
/// Precondition: `view` looks at `array`.
std::vector<Expr> fits_vectors(const View& view, const ir::Array& array, std::uint32_t width,
                               std::size_t leaf = 0);

/// to(v) = from(v) for each value v, converted to the type of `to`. Coordinates that do not change with v are computed, and
/// checked against their extents, outside the loops.
/// `vector` above 1: `rules.leaf` of the value shape is moved at once, as one vector on each side where
/// the layouts prove that its elements are neighbours at a multiple of `vector`, element by element
/// on the other; sizes that do not fit take a scalar path in the same shader, unless the rules say
/// that they do.
/// Loops over registers are unrolled.
/// Precondition: `from` and `to` have the same shape and look at `from_array` and `to_array`;
/// `vector` is a width of their types (ir::is_width) and divides the extent of that leaf.
ir::Block copy_statements(const View& from, const ir::Array& from_array, const View& to,
                          const ir::Array& to_array, std::uint32_t vector, CopyRules rules = {});

/// to(v) = value for each value v. Precondition: `to` looks at `to_array`.
ir::Block fill_statements(const View& to, const ir::Array& to_array, std::uint32_t value);

}  // namespace vkmoye::gen
