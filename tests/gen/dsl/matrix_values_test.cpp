// SPDX-License-Identifier: MIT
// Matrices by row and column. That scores of attention stay in registers, the tests of attention/coopmat show.

#include "vkmoye/gen/dsl/matrix_values.hpp"

#include <numeric>

#include "support/expect.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/products/packing/packed_form.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

// Accumulators become operands B, which lanes hold in another order, and are stored again.
TEST(MatrixValues, GoThroughSharedMemoryWhereOrdersDiffer) {
  const auto order = [](ScalarType type, Use use) {
    return fragment_layout(test::order_of_twin({type, {use, 16, 16}, 32})).layout.value();
  };
  const Layout of_sums = order(ScalarType::f32, Use::accumulator);
  const Layout of_b = transpose(order(ScalarType::f16, Use::b));
  ASSERT_FALSE(of_sums == of_b);
  Builder k("converted", 64, 32);
  const Tensor x = k.input("x", ScalarType::f32, {{"column", 32}, {"row", 32}});
  const Tensor y = k.output("y", ScalarType::f16, {{"column", 32}, {"row", 32}});
  const auto rows = [&](const Tensor& of) {  // 16 rows of each subgroup
    return transpose(tile(of, {32, 16}, {0, k.subgroup()}));
  };
  const Matrices sums = k.matrices("sums", ScalarType::f32, {Use::accumulator, 16, 16}, 1, 2);
  const Matrices b = k.matrices("b", ScalarType::f16, {Use::b, 16, 16}, 1, 2);
  const View staging = k.shared("staging", ScalarType::f16, Layout({16, 32, 2}, {33, 1, 16 * 33}));
  k.load(rows(x), sums);
  convert_matrices(k, matrix_values(k, sums, of_sums), matrix_values(k, b, of_b),
                   select(staging, 2, k.subgroup()));
  k.store(b, 0, 0, rows(y));
  std::vector<float> in(32 * 32);
  std::vector<std::uint16_t> out(in.size());
  std::iota(in.begin(), in.end(), 0.0f);
  EXPECT_THAT(run_on_host(k.finish(), {in, out}, {}).reasons, IsEmpty());
  for (std::size_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(number_of(ScalarType::f16, out[i]), in[i]) << i;
  }
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
