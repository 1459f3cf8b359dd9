// SPDX-License-Identifier: MIT
#pragma once
// Determines which elements of a matrix each lane of a device holds, by running a kernel on it.
//
//   src  two matrices: the row of each element, then its column
//   dst  the elements that each lane holds of the first matrix, lane by lane, then of the second
//
//   lane 5 of 32 holds rows 1 1 9 9 1 1 9 9 and columns 2 3 2 3 10 11 10 11 of A 16x16 f16 (an H200)

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// 'a', 'b', or 'c' for an accumulator.
char letter_of(ir::MatrixType::Use use);

/// The matrix to probe.
struct ProbedMatrix {
  ScalarType type = ScalarType::f16;
  ir::MatrixType matrix;
  std::uint32_t lanes = 32;
};

/// "A 16x16 f16 in 32 lanes".
std::string to_string(const ProbedMatrix& probed);
std::string to_string(const FragmentOrder& order);

/// The subgroup size that kernels use for matrices: 32 if the device supports it, because it spreads a matrix
/// over as many registers as are available.
std::uint32_t lanes_of_matrices(const DeviceCaps& caps);

/// One operand of the device's matrix units, or its accumulator.
struct MatrixOperand {
  std::string name;  // "A 16x16 f16"
  std::optional<ProbedMatrix> probed;
  std::string why_not;  // why it cannot be probed; empty if it can
};

/// The operands of `caps`: A, B and the accumulator C, once for each type, size and scope.
std::vector<MatrixOperand> matrix_operands(const DeviceCaps& caps);

/// The order of `probed` among those found on the device; null if it has not been probed.
const FragmentOrder* find_order(const DeviceCaps& device, const ProbedMatrix& probed);

/// An order for `probed` without places.
FragmentOrder order_without_places(const ProbedMatrix& probed);

/// Whether each element has exactly one place. An order read from a file may violate this.
bool is_order(const FragmentOrder& order);

/// Bindings src (2, rows, columns) and dst (2, rows * columns), of the matrix's type, which can represent
/// rows and columns below 128. One workgroup.
ir::Kernel fragment_probe(const ProbedMatrix& probed);

/// The contents of src.
std::vector<std::byte> probe_input(const ProbedMatrix& probed);

/// The order that the contents of dst describe; size_of(type) bytes for each element. If an element is held
/// twice, or by no lane, the order has no places, and why_none names the element.
FragmentOrder probed_order(const ProbedMatrix& probed, std::span<const std::byte> dst);

}  // namespace vkmoye::gen
