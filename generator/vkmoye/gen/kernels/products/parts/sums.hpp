// SPDX-License-Identifier: MIT
#pragma once
// The sums of a matrix product in matrix units, and their way to C.
//
//   GemmSums sums(k, buffers, form, sums_shape(config, form));
//   k.multiply(a, b, sums.matrices());
//   sums.write();                          C = epilogue(alpha * sums + beta * C)
//
// Where nothing is to be done with them and the tile is inside, matrices are stored straight to C.
// Else a row of each subgroup's matrices after the other goes through shared memory, from where
// lanes that stand side by side bring rows of C to their places. Subgroups that share k have a place
// each there; what they bring to C is added up on the way, that of the first part of k first.

#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/parts/buffers.hpp"
#include "vkmoye/gen/kernels/products/parts/subgroups.hpp"

namespace vkmoye::gen {

/// How the sums of a workgroup are divided among its subgroups, which are numbered over (m, n, k), m first.
struct SumsShape : GemmSubgroups {
  std::int64_t rows = 64, columns = 64;  // of C for one subgroup
  std::int64_t columns_at_once = 64;     // through shared memory; divides columns
  bool direct = true;                    // matrices may be stored straight to C
};

/// Of shared memory, for sums of `accumulator` on their way to C.
std::int64_t shared_bytes(const SumsShape& shape, ScalarType accumulator);

/// Columns of `shape` that can go through `bytes` of shared memory at once: all, or as many halves of them
/// as fit, at least those of a matrix; where their number is no power of two, of what lanes divide.
std::int64_t columns_that_fit(SumsShape shape, ScalarType accumulator, std::int64_t bytes);

/// Why lanes cannot bring sums of `accumulator` to C; empty: they can.
std::vector<std::string> reasons_against(const SumsShape& shape, ScalarType accumulator);

class GemmSums {
 public:
  /// Declares matrices and shared memory. All but `shape` outlive it.
  GemmSums(Builder& k, GemmBuffers& buffers, const GemmForm& form, const SumsShape& shape);

  const Matrices& matrices() const { return sums_; }
  /// Of this subgroup, over (m, n, k).
  Expr subgroup_m() const { return k_.subgroup() % to_index(shape_.subgroups_m); }
  Expr subgroup_n() const {
    return k_.subgroup() / to_index(shape_.subgroups_m) % to_index(shape_.subgroups_n);
  }
  Expr subgroup_k() const {
    return k_.subgroup() / to_index(shape_.subgroups_m * shape_.subgroups_n);
  }

  /// Each sum to its place in C. Precondition: all subgroups reach it.
  void write();

 private:
  void write_through_shared();

  Builder& k_;
  GemmBuffers& buffers_;
  const GemmForm& form_;
  SumsShape shape_;
  Matrices sums_;
  View out_;
};

}  // namespace vkmoye::gen
