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
// Elements past the rows and the k of the operand are 0.

#include <cstdint>
#include <optional>
#include <string>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/matrix_units/probe.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

struct PackedForm {
  char use = 'a';  // 'a' or 'b'
  ScalarType type = ScalarType::f16;
  std::uint32_t lanes = 32;
  std::int64_t rows = 16, depth = 16;  // of a fragment, along k
  std::int64_t group = 4, steps = 2;   // fragments of a block: along the rows, along k

  std::int64_t fragment_elements() const { return rows * depth; }
  std::int64_t block_rows() const { return rows * group; }
  std::int64_t block_depth() const { return depth * steps; }
  std::int64_t block_elements() const { return block_rows() * block_depth(); }
  bool operator==(const PackedForm&) const = default;
};

/// "f16 a 16x16 x 4x2".
std::string to_string(const PackedForm& form);

/// The matrix to probe for the fragment order of `form`.
ProbedMatrix fragment_of(const PackedForm& form);

/// A fragment order as a layout, or why it is not one.
struct OrderOrReason {
  std::optional<Layout> layout;  // (row, k) -> lane * elements of a lane + number
  std::string reason;
};
OrderOrReason fragment_layout(const FragmentOrder& order);

/// The order of `probed` on the device. If it has not been probed, this is the reason.
OrderOrReason fragment_layout(const DeviceCaps& device, const ProbedMatrix& probed);

/// The number of elements of a lane that are contiguous along k in the order `layout`. If these are all its
/// elements, they are also contiguous in a plain array with k contiguous, and a lane loads them in one access
/// as from a packed array (RDNA4: 8 of 8; an H200: 2 of 8).
std::int64_t neighbours_along_k(const Layout& layout);

/// (row, k) of a block -> offset in the block. Throws KernelError with the reason if the fragment order of the
/// device is not a layout.
Layout block_layout(const PackedForm& form, const DeviceCaps& device);

}  // namespace vkmoye::gen
