// SPDX-License-Identifier: MIT
#pragma once
// The layout of an operand in fragment order, in which a lane reads its elements of a matrix in one access.
//
//   rows (m of A, n of B) x k, in blocks of (64,32); block (i,j) is number j + blocks along k * i
//
//   inside a block of f16, for matrices of 16x16 on an H200:
//     (row, k) -> ((8,2,4),(2,4,2,2)):((32,4,256),(1,8,2,1024))
//        ((8,2),(2,4,2)):((32,4),(1,8,2))   the order of the fragment: lane * 8 + number
//        4:256, 2:1024                      its 4 fragments along the rows, 2 along k
//
// Elements past the rows and the k of the operand are 0. Weights in blocks are packed as codes and scales instead, see
// packed_weights.hpp.

#include <cstdint>
#include <string>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"
#include "vkmoye/gen/kernels/matrix_units/fragment_layout.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

struct PackedForm {
  char use = 'a';  // 'a' or 'b'
  ScalarType type = ScalarType::f16;
  std::uint32_t lanes = 32;
  std::int64_t rows = 16, depth = 16;     // elements per fragment: across and along k
  std::int64_t group = 4, steps = 2;      // fragments of a block: along the rows, along k
  const WeightFormat* weights = nullptr;  // null: elements of `type`

  std::int64_t fragment_elements() const { return rows * depth; }
  std::int64_t block_rows() const { return rows * group; }
  std::int64_t block_depth() const { return depth * steps; }
  std::int64_t block_elements() const { return block_rows() * block_depth(); }
  std::int64_t block_bytes() const;
  bool operator==(const PackedForm&) const = default;
};

/// "f16 a 16x16 x 4x2".
std::string to_string(const PackedForm& form);

/// The matrix to probe for the fragment order of `form`.
ProbedMatrix fragment_of(const PackedForm& form);

/// Declares dst, (at, k_block, block) of blocks of `elements` elements, and with `batched` a fourth axis; returns the
/// block of the workgroup.
View output_block(Builder& builder, ScalarType type, std::int64_t elements, bool batched);

struct PackedWeights;
/// How the weights of `form` are packed. Throws KernelError with the reason if the fragment order of the device does
/// not allow it. Precondition: form.weights is not null.
PackedWeights packed_weights(const PackedForm& form, const DeviceCaps& device);

/// (row, k) of a block -> offset in the block; for weights, the number of a code. Throws KernelError with the reason if
/// the fragment order of the device is not a layout.
Layout block_layout(const PackedForm& form, const DeviceCaps& device);

}  // namespace vkmoye::gen
