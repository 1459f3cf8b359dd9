// SPDX-License-Identifier: MIT
#pragma once
// Products of a user's arrays: their sizes and memory orders follow from the arrays.
//
//   A (5,M,K) in C order, B (K,N) in Fortran order     batch 5; k is contiguous in A and in B

#include <memory>
#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/problems/operation.hpp"
#include "vkmoye/gen/problems/products/options.hpp"

namespace vkmoye::gen {

/// The product of the arrays A and B, C if it is read, then those that the epilogue reads. Throws ArgumentError with
/// every reason.
std::unique_ptr<Problem> product_of_arrays(const ProblemText& text,
                                           const std::vector<GivenArray>& given);

/// An operand of a product that `pack` takes as an array.
struct OperandToPack {
  const KernelEntry* entry = nullptr;
  KernelRequest request;  // for the product
  GemmOptions product;
  Extents size;  // {M, N, K}; the extent that the operand does not have is 0
  bool is_a = false;
  std::optional<std::int64_t> batch = {};
};

/// The operand for `pack`: an array as A or B of the product of the request's options. Throws ArgumentError with
/// every reason.
OperandToPack operand_to_pack(const ProblemText& text, bool is_a, const GivenArray& array);

/// The type of an array of rows of blocks: u8, a byte; for i8, an element.
ScalarType type_of_blocks(const WeightFormat& format);

/// The shape of the rows of `array`, (N, K) or a batch of them, as rows of blocks, in bytes. Throws ArgumentError with
/// every reason: a type or a K that cannot be quantised.
std::vector<std::int64_t> shape_of_blocks(const GivenArray& array, const WeightFormat& format);

/// These blocks. `data`: the elements of `array` in C order. Throws ArgumentError if one is not finite,
/// or has no code in a format without scales.
std::vector<std::byte> quantised(const GivenArray& array, const std::vector<std::byte>& data,
                                 const WeightFormat& format);

}  // namespace vkmoye::gen
