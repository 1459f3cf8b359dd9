#pragma once
// Which elements of a matrix the lanes of a device hold: asked of the device itself.
//
//   src  two matrices: the row of each element, then its column
//   dst  what each lane holds of the first, lane by lane, then of the second
//
//   lane 5 of 32 holds rows 1 1 9 9 1 1 9 9 and columns 2 3 2 3 10 11 10 11 of A 16x16 f16 (an H200)

#include <cstddef>
#include <cstdint>
#include <span>
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

/// Those of `caps` whose elements are moved by lanes: of A and of B, of each type and size once.
std::vector<ProbedMatrix> probed_matrices(const DeviceCaps& caps);

/// Bindings src (2, rows, columns of the matrix's type) and dst (2, rows * columns of i32); one
/// workgroup.
ir::Kernel fragment_probe(const ProbedMatrix& probed);

/// What src has to hold.
std::vector<std::byte> probe_input(const ProbedMatrix& probed);

/// What dst says. Without places where an element is held twice, or by no lane.
FragmentOrder probed_order(const ProbedMatrix& probed, std::span<const std::int32_t> dst);

}  // namespace vkmoye::gen
