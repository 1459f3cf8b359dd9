// SPDX-License-Identifier: MIT
#pragma once
// Problems of products: products/options.hpp defines them, products/check.hpp checks the result.

#include "vkmoye/gen/problems/operation.hpp"
#include "vkmoye/gen/problems/products/options.hpp"

namespace vkmoye::gen {

class GemmProblem : public Problem {
 public:
  /// `size`: {M, N, K}. Throws ArgumentError like matrices_of. `reason`: why there is no result.
  GemmProblem(const GemmOptions& options, const Extents& size, std::string reason = {});

  const GemmOptions& options() const { return options_; }

  std::vector<std::string> reasons_against_contents(
      std::size_t input, const std::vector<std::byte>& contents) const override;
  void fill(ArrayMemory& memory, std::uint64_t seed) const override;
  CheckResult check(const ArrayMemory& memory, Verify verify, std::uint64_t seed) const override;

 private:
  GemmOptions options_;
  std::vector<GemmArray> matrices_;  // A, B, C, then the further inputs
  std::vector<int> order_;           // the index among them of each of `arrays`
};

/// The problem of `options` for the kernel of `text`. Throws ArgumentError like GemmProblem, and for packed operands
/// that the kernel does not take. A kernel that reads only weights in blocks supplies a format; because the user did
/// not choose it, the problem refuses a product that the format does not fit.
std::unique_ptr<Problem> product_problem(const ProblemText& text, const GemmOptions& options,
                                         const Extents& size);

/// `problem` as a product. Throws KernelError, about `subject`, if it is another one.
const GemmProblem& as_product(const Problem& problem, const std::string& subject);

Operation products();

}  // namespace vkmoye::gen
