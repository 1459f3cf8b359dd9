// SPDX-License-Identifier: MIT
#pragma once
// Products of a user's arrays: their sizes and memory orders follow from the arrays.
//
//   A (5,M,K) in C order, B (K,N) in Fortran order     batch 5; k is contiguous in A and in B

#include <memory>
#include <vector>

#include "workloads/operation.hpp"
#include "workloads/products/packed_workload.hpp"

namespace vkmoye::bench {

/// The product of the arrays A and B, C if it is read, then those that the epilogue reads. Throws ArgumentError with
/// every reason.
std::unique_ptr<Workload> product_of_arrays(const WorkloadSpec& spec,
                                            const std::vector<GivenArray>& given);

/// The operand for `pack`: an array as A or B of the product of the request's options. Throws ArgumentError with
/// every reason.
OperandToPack operand_to_pack(const WorkloadSpec& spec, bool is_a, const GivenArray& array);

/// The type of an array of rows of blocks: u8, a byte; for i8, an element.
ScalarType type_of_blocks(const gen::WeightFormat& format);

/// The shape of the rows of `array`, (N, K) or a batch of them, as rows of blocks, in bytes. Throws ArgumentError with
/// every reason: a type or a K that cannot be quantised.
std::vector<std::int64_t> shape_of_blocks(const GivenArray& array, const gen::WeightFormat& format);

/// These blocks. `data`: the elements of `array` in C order. Throws ArgumentError if one is not finite,
/// or has no code in a format without scales.
std::vector<std::byte> quantised(const GivenArray& array, const std::vector<std::byte>& data,
                                 const gen::WeightFormat& format);

}  // namespace vkmoye::bench
