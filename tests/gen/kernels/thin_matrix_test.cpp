// SPDX-License-Identifier: MIT
// Few rows or columns in matrix units: fragment orders taken apart, what is described, what is refused.

#include <span>
#include <vector>

#include "support/expect.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/dsl/fragment_lanes.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/products/choice/gemm_plan.hpp"
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

// (row, k) -> place, as they were found: an H200, f16 and i8; lavapipe; as RDNA4 is documented.
constexpr const char* kH200 = "((8,2),(2,4,2)):((32,4),(1,8,2))";
constexpr const char* kH200Bytes = "((8,2),(4,4,2)):((64,8),(1,16,4))";
constexpr const char* kLavapipe = "(8,8):(1,8)";
constexpr const char* kRdna4 = "(16,(8,2)):(8,(1,128))";

// What the three layouts say of each element, against the order itself.
void expect_taken_apart(const char* text, std::int64_t held) {
  const Layout order = parse_layout(text);
  const LanesOrReason apart = split_order(order, held);
  ASSERT_TRUE(apart.lanes) << text << ": " << apart.reason;
  const FragmentLanes& x = *apart.lanes;
  const std::int64_t rows = size(order.mode(0)), depth = size(order.mode(1));
  const std::int64_t rows_of_lanes = size(x.to_lane.mode(1));
  ASSERT_EQ(size(x.to_lane.mode(0)) * size(x.k_numbers), depth);
  ASSERT_EQ(rows_of_lanes * size(x.row_numbers), rows);
  for (std::int64_t k = 0; k < depth; ++k) {
    // Coordinates of k along the modes of lanes and along those of numbers.
    std::int64_t part = 0, number = 0, parts = 1, numbers = 1, rest = k;
    for (const FragmentLanes::Mode& mode : x.k_modes) {
      std::int64_t& to = mode.of_lanes ? part : number;
      std::int64_t& count = mode.of_lanes ? parts : numbers;
      to += rest % mode.extent * count;
      count *= mode.extent;
      rest /= mode.extent;
    }
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t lane = x.to_lane.mode(0)(part) + x.to_lane.mode(1)(row % rows_of_lanes);
      const std::int64_t of_lane = x.k_numbers(number) + x.row_numbers(row / rows_of_lanes);
      ASSERT_EQ(lane * held + of_lane, order.mode(0)(row) + order.mode(1)(k))
          << text << " at row " << row << ", k " << k;
    }
  }
}

TEST(FragmentLanes, SayWhichLaneHoldsAnElementAndAsWhich) {
  expect_taken_apart(kH200, 8);
  expect_taken_apart(kH200Bytes, 16);
  expect_taken_apart(kLavapipe, 8);
  expect_taken_apart(kRdna4, 8);
  expect_taken_apart("(16,16):(16,1)", 8);  // a mode of k goes on in the next lane
  const FragmentLanes h200 = *split_order(parse_layout(kH200), 8).lanes;
  EXPECT_EQ(to_string(h200.to_lane), "(4,8):(1,4)");
  EXPECT_EQ(to_string(h200.k_numbers), "(2,2):(1,2)");
  EXPECT_EQ(to_string(h200.row_numbers), "2:4");
}

TEST(FragmentLanes, OrdersThatTheyCannotDescribeAreRefused) {
  EXPECT_THAT(split_order(parse_layout("((2,8),16):((1,16),2)"), 6).reason,
              HasSubstr("a mode straddles a lane boundary"));
  EXPECT_FALSE(
      split_order(parse_layout("((2,8),(4,4)):((4,8),(1,64))"), 8).lanes->rows_of_lanes_first);
}

KernelRequest request(const char* order_a, const char* order_b, Options options = {}) {
  GemmForm form = gemm_form(ScalarType::f16);
  form.result = ScalarType::f32;
  if (order_a != nullptr) options["order-a"] = order_a;
  if (order_b != nullptr) options["order-b"] = order_b;
  return {.form = GemmProduct(form), .options = std::move(options)};
}

std::vector<std::string> reasons(const KernelRequest& request) {
  try {
    find_kernel("gemm/thin_coopmat")->describe(request);
    return {};
  } catch (const KernelError& error) {
    return error.reasons;
  }
}

TEST(ThinMatrix, ALaneReads16BytesOfARowForSeveralMatrices) {
  const std::string text =
      glsl::print(find_kernel("gemm/thin_coopmat")->describe(request(kH200, kH200)));
  // Lane 4 * g + t: rows g and g + 8, k 8 * t .. 8 * t + 7 of a block of 32.
  EXPECT_THAT(text, HasSubstr("a_x8[128u * k_tile + 8u * subgroup + (lane & 3u) + 4u * v1"));
  EXPECT_THAT(text, HasSubstr("+ ((lda * (a_m + 8u * v2)) >> 3u)];"));
  EXPECT_THAT(text, HasSubstr("matrices_a[0][3] = unpackFloat2x16(read_a[0].y)[1];"));
  EXPECT_THAT(text, HasSubstr("matrices_a[1][0] = unpackFloat2x16(read_a[0].z)[0];"));
  EXPECT_THAT(text, HasSubstr("matrices_a[0][4] = unpackFloat2x16(read_a[2].x)[0];"));
  // A lane of RDNA4 holds 8 neighbours: one access, one matrix.
  const std::string rdna4 =
      glsl::print(find_kernel("gemm/thin_coopmat")->describe(request(kRdna4, kRdna4)));
  EXPECT_THAT(rdna4, HasSubstr("matrices_b[0][7] = unpackFloat2x16(read_b[0].w)[1];"));
}

TEST(ThinMatrix, FewRowsAreTheColumnsOfTransposedMatrices) {
  KernelRequest few = request("(8,(2,4,2)):(16,(1,4,2))", kH200,
                              {{"atom", "8x16x16"}, {"tile", "8x32"}, {"transposed", "yes"}});
  const std::string text = glsl::print(find_kernel("gemm/thin_coopmat")->describe(few));
  EXPECT_THAT(text, HasSubstr("16, 16, gl_MatrixUseA> matrices_b["));
  EXPECT_THAT(text, HasSubstr("16, 8, gl_MatrixUseB> matrices_a["));
  EXPECT_THAT(text, HasSubstr("16, 8, gl_MatrixUseAccumulator> sums[2];"));
  EXPECT_THAT(text, HasSubstr("coopMatMulAdd(matrices_b[i], matrices_a[0], sums[i]);"));
  EXPECT_THAT(text, HasSubstr("gl_CooperativeMatrixLayoutColumnMajor);"));
  few.options["transposed"] = "no";
  EXPECT_THAT(reasons(few), IsEmpty());  // of a device whose matrices are 8x16x16
  few.device.matrix_shapes = {{16, 8, 16, "f16", "f16", "f32", "f32", "subgroup"}};
  const KernelEntry& entry = *find_kernel("gemm/thin_coopmat");
  EXPECT_THAT(entry.refuse(few), Contains(HasSubstr("does not multiply matrices 8x16x16 of")));
  few.options["transposed"] = "yes";
  EXPECT_THAT(entry.refuse(few), Not(Contains(HasSubstr("does not multiply"))));
}

TEST(ThinMatrix, TransposedProductsAreRight) {
  constexpr std::int64_t n = 40, k = 144;
  for (const std::int64_t m : {1, 8, 11}) {
    KernelRequest few = request(nullptr, nullptr, {{"atom", "8x16x16"}, {"transposed", "yes"}});
    const ir::Kernel kernel = test::described(*find_kernel("gemm/thin_coopmat"), few);
    const auto a = [](std::int64_t row, std::int64_t at) { return (3 * row + at) % 7 - 3; };
    const auto b = [](std::int64_t row, std::int64_t at) { return (row + 5 * at) % 9 - 4; };
    const auto halves = [](std::int64_t rows, const auto& number) {
      std::vector<std::uint16_t> out;
      for (std::int64_t i = 0; i < rows * k; ++i) {
        out.push_back(static_cast<std::uint16_t>(
            bits_of(ScalarType::f16, static_cast<double>(number(i / k, i % k)))));
      }
      return out;
    };
    std::vector<std::uint16_t> rows_of_a = halves(m, a), rows_of_b = halves(n, b);
    std::vector<float> c(static_cast<std::size_t>(m * n));
    const Arguments arguments = {{"m", m},   {"n", n},   {"k", k},      {"lda", k},
                                 {"ldb", k}, {"ldc", n}, {"alpha", 1.0}};
    ASSERT_THAT(run_on_host(kernel, {rows_of_a, rows_of_b, c}, arguments).reasons, IsEmpty());
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t column = 0; column < n; ++column) {
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < k; ++i) sum += a(row, i) * b(column, i);
        ASSERT_EQ(c[static_cast<std::size_t>(row * n + column)], static_cast<float>(sum))
            << m << " rows, at (" << row << ',' << column << ')';
      }
    }
  }
}

TEST(ThinMatrix, UpToEightRowsOfPackedWeightsAreTransposedWhereTheOrderOfWeightsIsTheSame) {
  DeviceCaps gpu;
  gpu.subgroup_size = 32;
  gpu.max_shared_bytes = 49152;
  for (const std::uint32_t n : {16u, 8u}) {
    gpu.matrix_shapes.push_back({16, n, 16, "f16", "f16", "f32", "f32", "subgroup"});
  }
  gpu.fragment_orders = {test::order_of(test::kOnAnH200, 'a'), test::order_of(test::kOnAnH200, 'b'),
                         test::order_of(test::kOfEightOnAnH200, 'b', "f16", 8)};
  const auto config = [&](std::int64_t m, Options options = {}) {
    GemmCall call;
    call.a_type = ScalarType::f16;
    call.result = ScalarType::f32;
    call.weights = find_weight_format("q4_0");
    const KernelRequest request = request_of(call, {m, 8192, 8192}, gpu, std::move(options));
    return packed_weights_config(typed_request<GemmProduct>("", nullptr, request));
  };
  for (const std::int64_t m : {1, 8}) {
    EXPECT_TRUE(config(m).transposed) << m;
    EXPECT_EQ(config(m).tile_m, 8);
  }
  EXPECT_FALSE(config(9).transposed);
  EXPECT_EQ(config(9).order_b.layout, config(1).order_b.layout);  // so packed weights serve both
  EXPECT_FALSE(config(1, {{"atom", "16x16x16"}}).transposed);
  // What is printed as the default can be given.
  for (const Options& options :
       {Options{{"transposed", "yes"}}, Options{{"atom", "8x16x16"}, {"transposed", "yes"}}}) {
    EXPECT_EQ(config(3, options).atom_m, 8);
    EXPECT_EQ(config(3, options).order_a.layout, config(3).order_a.layout);
    EXPECT_EQ(config(3, options).order_b.layout, config(3).order_b.layout);
  }
  gpu.fragment_orders[0] = test::order_of(test::kOnRdna4, 'a');
  EXPECT_FALSE(config(1).transposed);
}

TEST(ThinMatrix, RefusesOrdersThatDoNotServe) {
  EXPECT_THAT(reasons(request(kH200, kH200)), IsEmpty());
  EXPECT_THAT(
      reasons(request(nullptr, kH200)),
      ElementsAre("A 16x16 f16 in 32 lanes: its fragment order has not been probed; use --order-a "
                  "to give one"));
  EXPECT_THAT(reasons(request(kH200, kRdna4)),
              ElementsAre(HasSubstr("divide k differently among lanes")));
  EXPECT_THAT(
      reasons(request("(8,16):(1,8)", "(16,16):(1,1)")),
      ElementsAre(
          HasSubstr("A 16x16 f16 in 32 lanes: the order (8,16):(1,8) does not cover each"),
          HasSubstr("B 16x16 f16 in 32 lanes: the order (16,16):(1,1) does not cover each")));
  EXPECT_THAT(reasons(request("(16,16):(1,16)", "(16,16):(16,1)")),
              ElementsAre(HasSubstr("a lane holds adjacent rows, and other lanes the following")));
  KernelRequest elsewhere = request(kH200, kH200);
  elsewhere.device.fragment_orders = {vkmoye::test::order_of(vkmoye::test::kOnRdna4, 'a'),
                                      vkmoye::test::order_of(vkmoye::test::kOnAnH200, 'b')};
  EXPECT_THAT(reasons(elsewhere),
              ElementsAre("A 16x16 f16 in 32 lanes: the device has the order "
                          "(16,(8,2)):(8,(1,128)), not ((8,2),(2,4,2)):((32,4),(1,8,2))"));
  EXPECT_THAT(reasons(request(kH200, kH200, {{"tile", "64x64"}, {"reads", "8"}})),
              ElementsAre(HasSubstr("512 elements of a tile, but at most 256"),
                          HasSubstr("512 elements of a tile, but at most 256")));
  EXPECT_THAT(reasons(request(kH200, kH200, {{"subgroups", "64"}, {"tile", "8x24"}})),
              ElementsAre(HasSubstr("tile n = 24 is not a power of two")));
  EXPECT_THAT(reasons(request(kH200, kH200, {{"subgroups", "64"}, {"tile", "8x16"}})),
              ElementsAre("2048 threads, but a workgroup has at most 1024",
                          "atom m = 16 does not divide 8"));
}

}  // namespace
}  // namespace vkmoye::gen
