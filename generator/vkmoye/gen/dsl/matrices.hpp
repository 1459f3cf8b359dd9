// SPDX-License-Identifier: MIT
#pragma once
// Cooperative matrices: values that are distributed over the lanes of a subgroup, for matrix units.
//
//   Matrices a = k.matrices("a", f16, {Use::a, 16, 16}, 4, 1);             // 64 x 16 in total
//   Matrices b = k.matrices("b", f16, {Use::b, 16, 16}, 1, 4);             // 16 x 64
//   Matrices sums = k.matrices("sums", f32, {Use::accumulator, 16, 16}, 4, 4);
//   k.load(tile(shared_a, {64, 16}, {m, kk}), a);                          // coopMatLoad, 4 times
//   k.load(transpose(tile(shared_b, {64, 16}, {n, kk})), b);
//   k.multiply(a, b, sums);                                                // 16 times
//
// GL_KHR_cooperative_matrix, SPV_KHR_cooperative_matrix. They are loaded, stored, filled and
// multiplied as a whole. The view that is loaded or stored must be a matrix in memory; see as_matrix
// in matrix_in_memory.hpp. Which lane holds which element is defined by the device. The elements that a lane holds
// can be changed by an operation that does the same to each of them:
//
//   k.apply(k.elements(sums), relu, k.elements(sums))    // (8, 16) of the thread: 8 elements of each of 16 matrices
//
// Accesses to single ones, by lane or number, depend on the device; the verifier accepts them if the kernel states the
// order that it is made for:
//
//   k.assume_order(a, "as packed");
//   k.copy(mine, k.elements(a));                         // in the lane's own order

#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// rows x columns matrices of one type; matrix (i, j) is number first + i + rows * j of the array.
struct Matrices {
  std::string array;
  ir::MatrixType type;
  std::int64_t rows = 1, columns = 1;
  Expr first = 0;
};

/// Column `column` of `matrices`. `column` is an index of registers, a constant after unrolling. elements_of() does not
/// apply to it.
Matrices column_of(const Matrices& matrices, const Expr& column);

/// The array of registers for `matrices`: elements of `type`, distributed over `lanes`. Throws
/// LayoutError unless `lanes` divides the number of elements of a matrix.
ir::Array matrices_array(const std::string& name, ScalarType type, const Matrices& matrices,
                         std::uint32_t lanes);

/// The elements that a lane holds: (elements of a matrix, matrices), matrix (i, j) at i + rows * j.
View elements_of(const Matrices& matrices, std::uint32_t lanes);

/// Each matrix (i, j) <- tile (i, j) of `from`, which must have the shape of all matrices together.
/// Throws LayoutError, with the reason, if its shape differs or a tile is not a matrix in memory. `max_width`: for an
/// array that is also accessed by elements, the elements of the widest vector as which it is declared.
ir::Titled load_statements(const ArrayView& from, const Matrices& to, std::uint32_t lanes,
                           std::uint32_t max_width);

/// Tile (i, j) of `to` <- matrix (row + i, column + j), for as many matrices as fill `to`. Throws as
/// load_statements. `row` and `column` are indices of registers: constants after unrolling.
ir::Titled store_statements(const Matrices& from, const Expr& row, const Expr& column,
                            const ArrayView& to, std::uint32_t lanes);

/// Sets each element to `value`, a number.
ir::Titled assign_statements(const Matrices& to, const Expr& value, std::uint32_t lanes);

/// c += a * b. Throws LayoutError if the numbers or sizes of the matrices do not match.
ir::Titled multiply_statements(const Matrices& a, const Matrices& b, const Matrices& c,
                               std::uint32_t lanes);

}  // namespace vkmoye::gen
