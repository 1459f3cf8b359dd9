// SPDX-License-Identifier: MIT
#pragma once
// Writes the sums of a product to C: the last step of every product kernel.
//
//   C(M,N) = epilogue(alpha * sums + beta * C)
//
// Bindings: the inputs of the epilogue, c, the output of its last step if it has one. Arguments: ldc, alpha and, if C
// is read, beta, then those of the epilogue; for a batch also batch and stride_c. Each workgroup along z writes to one
// matrix of the batch.
//
// With split_k, C is a matrix of sums for each slice of k, with the slices of one product of a batch
// consecutive; each workgroup along z writes to one of these matrices.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::gen {

/// The tile (first, second) at (i, j) of matrix number `which` along the third axis of `tensor`; nullopt if
/// `tensor` has two axes.
View matrix_tile(const Tensor& tensor, std::int64_t first, std::int64_t second, const Expr& i,
                 const Expr& j, const std::optional<Expr>& which);

class GemmResult {
 public:
  /// Declares buffers and arguments. `builder` and `form` must outlive this object. Precondition: m and n are
  /// arguments.
  GemmResult(Builder& builder, const GemmForm& form);

  /// The tile (bN, bM) of C at tile coordinates (at_n, at_m).
  View c(std::int64_t tile_n, std::int64_t tile_m, const Expr& at_n, const Expr& at_m) const;
  const Expr& alpha() const { return alpha_; }
  const Tensor& tensor() const { return c_; }
  /// The number of slices of k. Precondition: split_k.
  const Expr& slices() const { return slices_; }

  /// c = epilogue(alpha * sums + beta * c), rounded to its type. `c`: any part of c() that no other thread
  /// writes; elements past an edge are not written. `sums`: registers of the same shape. `vector`: of
  /// accesses to C and to the inputs of the epilogue.
  void write(const View& sums, const View& c, const Vector& vector);

 private:
  Expr argument(const std::string& name);
  std::vector<Builder::AxisSpec> axes_of(GemmInput::Along along) const;
  View registers(const std::string& name, ScalarType type, const IntTuple& shape);
  View held(const GemmInput& input, const View& c, const Vector& of_c);
  void finish(const View& sums, const View& c, const View& result, const Vector& vector);
  void write_output(const EpilogueOp& step, const View& c, const View& result,
                    const Vector& vector);

  Builder& builder_;
  const GemmForm& form_;
  GemmEpilogue steps_;  // that change C
  Tensor c_;
  Expr alpha_ = 0, slices_ = 1;
  std::optional<Expr> beta_;
  std::map<std::string, View> registers_;  // declared by write()
};

}  // namespace vkmoye::gen
