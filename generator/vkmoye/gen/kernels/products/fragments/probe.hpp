// SPDX-License-Identifier: MIT
#pragma once
// Which elements of a matrix the lanes of a device hold: asked of the device itself.
//
//   src  two matrices: the row of each element, then its column
//   dst  what each lane holds of the first, lane by lane, then of the second
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

/// Which matrix is asked about: `use` a or b.
struct ProbedMatrix {
  ScalarType type = ScalarType::f16;
  ir::MatrixType matrix;
  std::uint32_t lanes = 32;
};

/// "A 16x16 f16 in 32 lanes".
std::string to_string(const ProbedMatrix& probed);

/// Lanes of the subgroups that kernels have their matrices in: 32 where the device has such, which
/// hold a matrix in as many registers as they have to spare.
std::uint32_t lanes_of_matrices(const DeviceCaps& caps);

/// One operand of the device's matrix units.
struct MatrixOperand {
  std::string name;  // "A 16x16 f16"
  std::optional<ProbedMatrix> probed;
  std::string why_not;  // probed; empty where it is
};

/// Those of `caps`: A and B, of each type, size and scope once.
std::vector<MatrixOperand> matrix_operands(const DeviceCaps& caps);

/// The order of `probed` among those that were found on the device; nullptr: none was.
const FragmentOrder* find_order(const DeviceCaps& device, const ProbedMatrix& probed);

/// One of `probed` that says nothing yet.
FragmentOrder order_without_places(const ProbedMatrix& probed);

/// Whether each element has a place, and each place an element: what is read from a file need not be so.
bool is_order(const FragmentOrder& order);

/// Bindings src (2, rows, columns) and dst (2, rows * columns), of the matrix's type: rows and columns
/// below 128 are numbers of every such type. One workgroup.
ir::Kernel fragment_probe(const ProbedMatrix& probed);

/// What src has to hold.
std::vector<std::byte> probe_input(const ProbedMatrix& probed);

/// What dst says, size_of(type) bytes an element. Without places where an element is held twice, or by no lane: it says which.
FragmentOrder probed_order(const ProbedMatrix& probed, std::span<const std::byte> dst);

}  // namespace vkmoye::gen
