// SPDX-License-Identifier: MIT
// Attention whose scores stay in registers, with the orders that a probe of the device finds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "devices/device_executor.hpp"
#include "devices/fragments.hpp"
#include "support/attention_in_registers.hpp"
#include "support/device_fixture.hpp"
#include "support/process.hpp"
#include "vkmoye/gen/kernels/products/parts/packed_form.hpp"

namespace vkmoye::test {
namespace {

class MatrixValuesOnDevice : public DeviceTest {};

// The orders of the device's square matrices of f16 with sums in f32; nullopt if one of them is no layout.
std::optional<OrdersOfMatrices> orders_of(bench::DeviceExecutor& executor) {
  using Use = gen::ir::MatrixType::Use;
  for (const MatrixShape& shape : executor.caps().matrix_shapes) {
    const bool fits = shape.scope == "subgroup" && shape.a == "f16" && shape.c == "f32" &&
                      shape.m == shape.n && shape.n == shape.k && kWidth % shape.m == 0;
    if (!fits) continue;
    const std::uint32_t lanes = gen::lanes_of_matrices(executor.caps());
    const auto order = [&](ScalarType type, Use use) {
      return gen::fragment_layout(
                 bench::find_fragment_order(executor, {type, {use, shape.m, shape.m}, lanes}))
          .layout;
    };
    const auto sums = order(ScalarType::f32, Use::accumulator), a = order(ScalarType::f16, Use::a),
               b = order(ScalarType::f16, Use::b);
    if (sums && a && b) return OrdersOfMatrices{shape.m, lanes, *sums, *a, transpose(*b)};
  }
  return std::nullopt;
}

void expect_right_on(bench::DeviceExecutor& executor, const gen::ir::Kernel& kernel) {
  const AttentionProblem problem(11);
  std::vector<float> o(problem.o.size());
  const std::span<const std::byte> inputs[] = {std::as_bytes(std::span(problem.q)),
                                               std::as_bytes(std::span(problem.keys)),
                                               std::as_bytes(std::span(problem.v))};
  const bench::RunPlan plan{{{"q", inputs[0].size(), {}, 0},
                             {"keys", inputs[1].size(), {}, 0},
                             {"v", inputs[2].size(), {}, 0},
                             {"o", 4 * o.size(), {}, 0}},
                            {{{kernel, {}, {0, 1, 2, 3}}}},
                            0,
                            1};
  ASSERT_THAT(executor.reasons_against(plan), testing::IsEmpty());
  const auto execution = executor.prepare(plan);
  for (std::size_t i = 0; i < std::size(inputs); ++i) execution->write(i, inputs[i], 0);
  execution->run();
  execution->read(3, std::as_writable_bytes(std::span(o)), 0);
  EXPECT_EQ(execution->damage(), "");
  for (std::size_t i = 0; i < o.size(); ++i) ASSERT_NEAR(o[i], problem.o[i], problem.kBound) << i;
}

TEST_F(MatrixValuesOnDevice, AttentionIsRightInEachOrder) {
  const TemporaryFolder folder;
  for_each_device([&](Device& device) {
    bench::DeviceExecutor executor(std::move(device),
                                   bench::DeviceFacts(folder.file("orders.tsv")));
    const auto orders = orders_of(executor);
    if (!orders) return;
    if (orders->sums == orders->a) expect_right_on(executor, attention(*orders));
    expect_right_on(executor, transposed_attention(*orders));
  });
}

}  // namespace
}  // namespace vkmoye::test
