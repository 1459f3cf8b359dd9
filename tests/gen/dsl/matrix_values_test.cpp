// SPDX-License-Identifier: MIT
// Matrices by row and column: scores of attention that stay in registers, in any order of the lanes.

#include "vkmoye/gen/dsl/matrix_values.hpp"

#include "support/attention_in_registers.hpp"
#include "support/expect.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/products/parts/packed_form.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

test::OrdersOfMatrices orders_on_twin() {
  const auto order = [](ScalarType type, Use use) {
    return fragment_layout(test::order_of_twin({type, {use, 16, 16}, 32})).layout.value();
  };
  return {16, 32, order(ScalarType::f32, Use::accumulator), order(ScalarType::f16, Use::a),
          transpose(order(ScalarType::f16, Use::b))};
}

void expect_right_on_twin(const ir::Kernel& kernel) {
  test::AttentionProblem problem(7);
  std::vector<float> o(problem.o.size());
  const auto bytes = [](auto& values) { return std::as_writable_bytes(std::span(values)); };
  const TwinReport report =
      run_on_host(kernel, {bytes(problem.q), bytes(problem.keys), bytes(problem.v), bytes(o)}, {});
  ASSERT_THAT(report.reasons, IsEmpty());
  for (std::size_t i = 0; i < o.size(); ++i) ASSERT_NEAR(o[i], problem.o[i], problem.kBound) << i;
}

TEST(MatrixValues, ScoresStayInRegistersWhereOrdersAgree) {
  const test::OrdersOfMatrices orders = orders_on_twin();
  ASSERT_EQ(orders.sums, orders.a);
  const ir::Kernel kernel = test::attention(orders);
  EXPECT_THAT(glsl::print(kernel), Not(HasSubstr("shared ")));
  expect_right_on_twin(kernel);
}

TEST(MatrixValues, ScoresGoThroughSharedMemoryWhereOrdersDiffer) {
  expect_right_on_twin(test::transposed_attention(orders_on_twin()));
}

TEST(MatrixValues, LanesShareRowsAsTheOrderSays) {
  Builder k("values", 64, 32);
  const Matrices sums = k.matrices("sums", ScalarType::f32, {Use::accumulator, 16, 16}, 2, 4);
  const MatrixValues on_h200 =
      matrix_values(k, sums, parse_layout("((8,2),(2,4,2)):((32,4),(1,8,2))"));
  EXPECT_EQ(to_string(on_h200.threads), "(4,8,2):(1,4,32)");
  EXPECT_EQ(to_string(on_h200.by_row.shape()), "(((2,2),4),(2,2))");
  // RDNA3 and RDNA4, as their manuals have it: a lane holds one column.
  const MatrixValues on_rdna3 = matrix_values(k, sums, parse_layout("((2,8),16):((128,1),8)"));
  EXPECT_EQ(to_string(on_rdna3.by_row.shape()), "((1,4),(8,2))");
  const MatrixValues on_rdna4 = matrix_values(k, sums, parse_layout("((8,2),16):((1,128),8)"));
  EXPECT_EQ(to_string(on_rdna4.threads), "(16,2,2):(1,16,32)");
}

TEST(MatrixValues, RefusesWhatIsNoOrderAndConversionsBetweenTwo) {
  Builder k("values", 32, 32);
  const Matrices sums = k.matrices("sums", ScalarType::f32, {Use::accumulator, 16, 16}, 1, 2);
  const Matrices a = k.matrices("a", ScalarType::f16, {Use::a, 16, 16}, 1, 2);
  const Matrices other = k.matrices("other", ScalarType::f16, {Use::a, 16, 16}, 2, 1);
  const auto refused = [&](const char* order, const char* why) {
    EXPECT_REFUSED(matrix_values(k, sums, parse_layout(order)), LayoutError, why);
  };
  refused("(16,8):(8,1)",
          "matrix_values(sums, (16,8):(8,1)): the order must have 16 rows and 16 columns");
  refused("(16,16):(1,0)", "does not give each element one place");
  Builder without("values", 32);
  EXPECT_REFUSED(matrix_values(without, sums, parse_layout("(16,16):(16,1)")), LayoutError,
                 "the kernel has no subgroups");
  const Layout order = parse_layout("(16,16):(16,1)"), transposed = parse_layout("(16,16):(1,16)");
  const MatrixValues from = matrix_values(k, sums, order);
  EXPECT_REFUSED(convert_matrices(k, from, matrix_values(k, a, transposed)), LayoutError,
                 "the orders differ");
  EXPECT_REFUSED(convert_matrices(k, from, matrix_values(k, other, order)), LayoutError,
                 "the numbers or sizes of the matrices differ");
}

}  // namespace
}  // namespace vkmoye::gen
