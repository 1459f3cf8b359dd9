// SPDX-License-Identifier: MIT
#pragma once
// The sums of a matrix product in matrix units, and how they are written to C.
//
//   GemmAccumulators sums(k, buffers, form, accumulator_shape(config, form));
//   return sums.kernel([&] {               C = epilogue(alpha * sums + beta * C)
//     k.loop("k_tile", buffers.tiles(), [&](const Expr& k_tile) {
//       ..                                 matrices of A and B <- tile number k_tile
//       sums.add_product(a, b);
//     });
//   });
//
// If the sums need no further computation and the tile is inside, matrices are stored directly to C. Else
// they go through shared memory, one row of each subgroup's matrices at a time, and adjacent lanes store
// contiguous parts of rows of C. Subgroups that share k each have a part of shared memory; their sums are
// added when they are read, in the order of k.

#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/arrays/buffers.hpp"
#include "vkmoye/gen/kernels/products/sums/gemm_atom.hpp"

namespace vkmoye::gen {

/// How the sums of a workgroup are divided among its subgroups, which are numbered over (m, n, k), m first.
struct AccumulatorShape : GemmSubgroups {
  std::int64_t rows = 64, columns = 64;  // the part of C that a subgroup computes
  std::int64_t columns_at_once = 64;     // through shared memory; divides columns
  bool direct = true;                    // whether matrices may be stored directly to C
};

/// The bytes of shared memory that sums of type `accumulator` need.
std::int64_t shared_bytes(const AccumulatorShape& shape, ScalarType accumulator);

/// The number of columns of `shape` that can go through `bytes` of shared memory at once: all, or half of
/// them, a quarter .. until they fit, but at least those of a matrix; if the number is not a power of two,
/// only one that lanes divide evenly.
std::int64_t columns_that_fit(AccumulatorShape shape, ScalarType accumulator, std::int64_t bytes);

/// Why lanes cannot divide sums of type `accumulator` among them; empty if they can.
std::vector<std::string> reasons_against(const AccumulatorShape& shape, ScalarType accumulator);

/// Every reason against these sums if they may use `limit` bytes of shared memory.
std::vector<std::string> reasons_against(const AccumulatorShape& shape, ScalarType accumulator,
                                         std::int64_t limit);

class GemmAccumulators {
 public:
  /// Declares matrices and shared memory. The arguments except `shape` must outlive this object.
  GemmAccumulators(Builder& builder, GemmBuffers& buffers, const GemmForm& form,
                   const AccumulatorShape& shape);

  /// sums += a * b for matrices of A and B, see operand_matrices. If the atom is transposed, these are sums of C^T.
  void add_product(const Matrices& a, const Matrices& b);
  /// The coordinates of this subgroup over (m, n, k).
  Expr subgroup_m() const { return builder_.subgroup() % to_index(shape_.subgroups_m); }
  Expr subgroup_n() const {
    return builder_.subgroup() / to_index(shape_.subgroups_m) % to_index(shape_.subgroups_n);
  }
  Expr subgroup_k() const {
    return builder_.subgroup() / to_index(shape_.subgroups_m * shape_.subgroups_n);
  }

  /// The verified kernel: what was recorded before; then the sums, which `sum_up` adds up from 0 if there is something
  /// to multiply; then C.
  ir::Kernel kernel(const std::function<void()>& sum_up);

 private:
  void write();
  void write_through_shared();
  // `to`, a view (rows, columns) <- atoms of C from (row, column) on.
  void store(const Expr& row, const Expr& column, const View& to);

  Builder& builder_;
  GemmBuffers& buffers_;
  const GemmForm& form_;
  AccumulatorShape shape_;
  Matrices sums_;
  View out_;
};

}  // namespace vkmoye::gen
