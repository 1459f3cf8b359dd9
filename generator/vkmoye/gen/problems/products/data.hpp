// SPDX-License-Identifier: MIT
#pragma once
// The contents of the arrays of a product before it runs: each logical element can be computed from the seed, whatever
// the layout. Weights in blocks are random numbers, quantised; finite, because scales must be. Gaps between elements
// are poisoned, and so is C if it is not read.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vkmoye/gen/problems/products/options.hpp"

namespace vkmoye::gen {

/// The numbers of `Init::integers`, so small and so few that every sum, also after the steps of an epilogue, is
/// exact in accumulator and result: magnitudes up to `max`; one element in `step` of a row of A is not 0.
struct IntegerInputs {
  std::int64_t max = 0, step = 1;
};

class GemmData {
 public:
  GemmData(const GemmOptions& problem, const Extents& size, std::uint64_t seed);

  const std::array<GemmArray, 3>& matrices() const { return matrices_; }
  /// What is read besides A, B and C, in the order of further_inputs_of.
  const std::vector<GemmArray>& inputs() const { return inputs_; }

  /// Whether the result can be computed without rounding, so that it must be exact; gelu and silu always round.
  bool is_exact() const { return integers_.max > 0 && !is_scaled_; }

  /// The first row of each expert, then m: random, some experts have no rows. Empty without experts.
  const std::vector<std::int64_t>& offsets() const { return offsets_; }

  /// All bytes of the buffer of matrix `which` (0: A, 1: B, 2: C, 3: the first of inputs()).
  std::vector<std::byte> bytes(int which) const;

 private:
  class Elements;
  std::vector<std::byte> blocks_of_weights() const;
  std::vector<std::byte> hard_blocks(std::uint64_t stream, std::int64_t count) const;
  const GemmArray& matrix_at(int which) const;
  bool is_factor(int which) const;  // whether a step of the epilogue multiplies by it

  GemmOptions problem_;
  std::array<GemmArray, 3> matrices_;
  std::vector<GemmArray> inputs_;
  std::vector<std::int64_t> offsets_;
  std::uint64_t seed_;
  bool is_scaled_ = false;  // whether sums of integers are scaled to rounded numbers
  IntegerInputs integers_;  // max is 0: other inputs, or the sums cannot be exact
};

}  // namespace vkmoye::gen
