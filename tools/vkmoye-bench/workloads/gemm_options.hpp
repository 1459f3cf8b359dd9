#pragma once
// The options of the command line that say which product is meant.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/registry.hpp"
#include "workloads/gemm_problem.hpp"

namespace vkmoye::bench {

class GemmOptions {
 public:
  /// For which commands an option makes sense: `run` makes its arrays, `apply` is given them,
  /// `emit` has none.
  enum class Command { run, apply, emit };
  void add_to(CLI::App& command, Command which);

  /// The product of the types in `type`, as parse_gemm_type takes them, with what was given.
  GemmProblem problem_of(const std::string& type) const;
  double beta() const { return given_.beta; }

  /// Throws ArgumentError if one was given although none of `entries` is a product.
  void refuse_without_product(const std::vector<const gen::KernelEntry*>& entries) const;

 private:
  GemmProblem given_;               // but for its types
  std::vector<std::string> names_;  // of those that were given
};

}  // namespace vkmoye::bench
