// SPDX-License-Identifier: MIT
#pragma once
// A matrix product as it is typed, and what its arrays hold: gen::GemmCall (products/call.hpp) says what is
// computed.
//
//   --size 2x4x3 --a m --lda 5 --offset-a 4      A lies as an array of K rows of M elements

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/parse.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/call.hpp"
#include "workloads/products/epilogue.hpp"
#include "workloads/products/packed_file.hpp"

namespace vkmoye::bench {

/// What the arrays hold at first.
enum class Init : std::uint8_t {
  random,     // uniform in [-1, 1)
  integers,   // small whole numbers, so few that no sum is rounded
  nonfinite,  // random, with some NaN and infinities
};

struct GemmProblem : gen::GemmCall {
  Init init = Init::random;
  std::string packed =
      "none";  // operands that a kernel in fragment order finds packed: "a", "b", "ab"
  std::array<std::optional<PackedOperand>, 2> files = {};  // A and B that come packed
  bool rounds_wider =
      false;                 // of operands of two types the wider one may be rounded to the other's
  bool keeps_batch = false;  // the result has three dimensions also for a batch of one

  /// "f16", "f16,f32", "f16,f32,f16" or "f32*f16": the shortest that means these three types.
  std::string type_text() const;
};

/// "f32", "f16,f32" or "f16,f32,f16": operands, accumulator, result. One alone: accumulated in 32
/// bits or more, the result as the operands. Two: the result as the accumulator. "f32*f16" and
/// "f32*f16,f32": A holds f32 and B f16; alone, sums and result are as for the wider one. Throws
/// ArgumentError.
GemmProblem parse_gemm_type(const std::string& text);

/// What of a product the options of the command line say, beside its types and its size.
const std::vector<gen::ConfigField<GemmProblem>>& gemm_problem_fields();

/// The options of the command line that make it, without size and types.
std::vector<std::string> gemm_words(const GemmProblem& problem);

}  // namespace vkmoye::bench
