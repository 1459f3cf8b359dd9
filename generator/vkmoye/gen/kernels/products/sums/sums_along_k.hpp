// SPDX-License-Identifier: MIT
#pragma once
// The sums of a product of single values whose threads divide k, and how they are written to C.
//
//   128 threads, 32 along k, 4 across: a thread sums its k for 2 rows of the large operand and all of the small one
//     sums       (2 rows, rows of the small operand), in registers
//     kernel     from 0, those that `sum_up` adds; then the sums of the 32 threads are added, and the first writes C

#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/arrays/buffers.hpp"

namespace vkmoye::gen {

/// The rows of the large operand that a thread has: blocks of contiguous ones; and how many of the small one.
struct RowsOfSums {
  bool n_is_small = false;  // else m
  std::int64_t block = 1, blocks = 1, small = 1;
};

class SumsAlongK {
 public:
  /// Declares registers. `threads`: (along k, across). `builder`, `buffers` and `form` must outlive this object.
  SumsAlongK(Builder& builder, GemmBuffers& buffers, const GemmForm& form, const Layout& threads,
             const RowsOfSums& rows);

  /// (rows of the large operand, rows of the small one).
  const View& view() const { return sums_; }
  /// The coordinates of this thread: along k, across.
  const std::vector<Expr>& at() const { return at_; }

  /// The verified kernel: what was recorded before, then what is described above.
  ir::Kernel kernel(const std::function<void()>& sum_up);

 private:
  void write();

  Builder& builder_;
  GemmBuffers& buffers_;
  const GemmForm& form_;
  Layout threads_;
  RowsOfSums rows_;
  std::vector<Expr> at_;
  View sums_;
};

}  // namespace vkmoye::gen
