// SPDX-License-Identifier: MIT
#pragma once
// The orders in which GPUs hold fragments of 16x16 f16 matrices in 32 lanes, for tests on machines without such a
// GPU.

#include <cstdint>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::test {

/// (row, k) -> place of A 16x16 f16, as measured on an H200.
inline const Layout kOnAnH200 = Layout({{8, 2}, {2, 4, 2}}, {{32, 4}, {1, 8, 2}});

/// Of B 16x8 f16 there.
inline const Layout kOfEightOnAnH200 = Layout({8, {2, 4, 2}}, {16, {1, 4, 2}});

/// On RDNA4 a lane holds 8 neighbours of a row, which are contiguous in a plain array.
inline const Layout kOnRdna4 = Layout({16, {8, 2}}, {8, {1, 128}});

/// Accumulators 16x16 f32, (row, column): those of an H200 are like A; RDNA3 and RDNA4 have columns in lanes.
inline const Layout kSumsOnRdna3 = Layout({{2, 8}, 16}, {{128, 1}, 8});
inline const Layout kSumsOnRdna4 = Layout({{8, 2}, 16}, {{1, 128}, 8});

/// The order in which element (row, k) of `rows` x 16 has the place layout(row, k); for B, rows are its columns.
inline FragmentOrder order_of(const Layout& layout, char use, const char* type = "f16",
                              std::uint32_t rows = 16) {
  const bool is_b = use == 'b';
  FragmentOrder order{use, type, is_b ? 16 : rows, is_b ? rows : 16, 32};
  for (std::int64_t second = 0; second < order.columns; ++second) {
    for (std::int64_t first = 0; first < order.rows; ++first) {
      const std::int64_t row = is_b ? second : first, k = is_b ? first : second;
      order.places.push_back(static_cast<std::uint32_t>(layout(row + rows * k)));
    }
  }
  return order;
}

/// The order of the twin: lane l holds the elements l, l + lanes, .., counted along k first.
inline FragmentOrder order_of_twin(const gen::ProbedMatrix& matrix) {
  const bool is_a = matrix.matrix.use != gen::ir::MatrixType::Use::b;  // or an accumulator
  const std::uint32_t held = matrix.matrix.rows * matrix.matrix.columns / matrix.lanes;
  const std::uint32_t depth = is_a ? matrix.matrix.columns : matrix.matrix.rows;
  FragmentOrder order = gen::order_without_places(matrix);
  for (std::uint32_t column = 0; column < matrix.matrix.columns; ++column) {
    for (std::uint32_t row = 0; row < matrix.matrix.rows; ++row) {
      const std::uint32_t element = is_a ? row * depth + column : column * depth + row;
      order.places.push_back(element % matrix.lanes * held + element / matrix.lanes);
    }
  }
  return order;
}

/// The kernel of `entry` for a device with the orders of the twin.
inline gen::ir::Kernel described(const gen::KernelEntry& entry, gen::KernelRequest request) {
  if (entry.probes) {
    for (const gen::ProbedMatrix& matrix : entry.probes(request)) {
      request.device.fragment_orders.push_back(order_of_twin(matrix));
    }
  }
  return entry.describe(request);
}

}  // namespace vkmoye::test
