// SPDX-License-Identifier: MIT
// Matrices that subgroups hold together: what is refused, and what the twin makes of them.

#include "vkmoye/gen/dsl/matrices.hpp"

#include <cstring>

#include "support/expect.hpp"
#include "support/kernel_on_twin.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

constexpr ScalarType f16 = ScalarType::f16, f32 = ScalarType::f32;

// d = a * b of 16 x 16 each, a with neighbours along k, b and d as asked, by one subgroup.
ir::Kernel product(bool b_by_columns, bool d_by_columns, bool with_barrier = true) {
  Builder k("product", 32, 32);
  const auto axes = [](const char* first, const char* second) {
    return std::vector<Builder::AxisSpec>{{first, 16}, {second, 16}};
  };
  const Tensor a = k.input("a", f16, axes("k", "m"));
  const Tensor b = k.input("b", f16, b_by_columns ? axes("k", "n") : axes("n", "k"));
  const Tensor d = k.output("d", f32, d_by_columns ? axes("m", "n") : axes("n", "m"));
  const auto all = [](const Tensor& tensor) { return tile(tensor, {16, 16}, {0, 0}); };
  const View staged = k.shared("staged", f16, make_layout({16, 16}, {24, 1}));  // (m, k)
  const TiledCopy copy = make_tiled_copy(make_layout({2, 16}), make_layout({8, 1}));
  k.copy(partition(all(a), copy, k.thread()), partition(transpose(staged), copy, k.thread()),
         {.edges = Edges::inside, .vector = {8}});
  if (with_barrier) k.barrier();
  const Matrices left = k.matrices("left", f16, {Use::a, 16, 16}, 1, 1);
  const Matrices right = k.matrices("right", f16, {Use::b, 16, 16}, 1, 1);
  const Matrices sums = k.matrices("sums", f32, {Use::accumulator, 16, 16}, 1, 1);
  k.assign(sums, 0);
  k.load(staged, left);
  k.load(b_by_columns ? all(b) : transpose(all(b)), right);
  k.multiply(left, right, sums);
  k.store(sums, 0, d_by_columns ? all(d) : transpose(all(d)));
  return k.finish();
}

// Atoms whose vectors are fewer than lanes, or whose sides differ: any that a device may report. B and D have either
// order.
TEST(Matrices, OfEveryShapeAndOrderAreMultipliedOnTheTwin) {
  constexpr std::uint32_t kShapes[][4] = {{16, 16, 16, 32}, {16, 8, 16, 32}, {16, 8, 8, 32},
                                          {8, 8, 8, 8},     {8, 8, 8, 32},   {16, 16, 32, 32},
                                          {32, 8, 16, 64}};
  int number = 0;
  for (const auto& [m, n, depth, lanes] : kShapes) {
    for (const ScalarType sum_type : {f16, f32}) {
      ++number;
      const bool b_by_columns = number % 2 != 0, d_by_columns = number / 2 % 2 != 0;
      Builder k("shape", lanes, lanes);
      const auto declared = [](const char* first, std::int64_t x, const char* second,
                               std::int64_t y, bool swapped) {
        std::vector<Builder::AxisSpec> axes = {{first, x}, {second, y}};
        if (swapped) std::swap(axes[0], axes[1]);
        return axes;
      };
      const auto all = [](const Tensor& of, std::int64_t rows, std::int64_t columns, bool swapped) {
        return swapped ? transpose(tile(of, {columns, rows}, {0, 0}))
                       : tile(of, {rows, columns}, {0, 0});
      };
      const Tensor a = k.input("a", f16, declared("m", m, "k", depth, true));
      const Tensor b = k.input("b", f16, declared("k", depth, "n", n, !b_by_columns));
      const Tensor d = k.output("d", sum_type, declared("m", m, "n", n, !d_by_columns));
      const Matrices left = k.matrices("left", f16, {Use::a, m, depth}, 1, 1);
      const Matrices right = k.matrices("right", f16, {Use::b, depth, n}, 1, 1);
      const Matrices sums = k.matrices("sums", sum_type, {Use::accumulator, m, n}, 1, 1);
      k.assign(sums, 0);
      k.load(all(a, m, depth, true), left);
      k.load(all(b, depth, n, !b_by_columns), right);
      k.multiply(left, right, sums);
      k.store(sums, 0, all(d, m, n, !d_by_columns));

      std::vector<std::uint16_t> as(m * depth), bs(n * depth);
      for (std::uint32_t i = 0; i < as.size(); ++i) {
        as[i] = static_cast<std::uint16_t>(bits_of(f16, static_cast<int>(i * 7 % 5) - 2));
      }
      for (std::uint32_t i = 0; i < bs.size(); ++i) {
        bs[i] = static_cast<std::uint16_t>(bits_of(f16, static_cast<int>(i * 3 % 7) - 3));
      }
      std::vector<std::byte> out(std::size_t{m} * n * size_of(sum_type));
      SCOPED_TRACE(testing::Message() << m << 'x' << n << 'x' << depth);
      test::run_on_twin(k.finish(), {}, as, bs, out);
      for (std::uint32_t row = 0; row < m; ++row) {
        for (std::uint32_t column = 0; column < n; ++column) {
          double sum = 0;
          for (std::uint32_t p = 0; p < depth; ++p) {
            sum += number_of(f16, as[row * depth + p]) *
                   number_of(f16, bs[b_by_columns ? column * depth + p : p * n + column]);
          }
          std::uint64_t bits = 0;
          const std::size_t at = d_by_columns ? column * m + row : row * n + column;
          std::memcpy(&bits, &out[at * size_of(sum_type)], size_of(sum_type));
          ASSERT_EQ(number_of(sum_type, bits), sum)
              << m << 'x' << n << 'x' << depth << ' ' << row << ' ' << column;
        }
      }
    }
  }
}

TEST(Matrices, ArePrintedWithTheirOrder) {
  const std::string text = glsl::print(product(false, false));
  EXPECT_THAT(text,
              HasSubstr("coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> left[1]"));
  EXPECT_THAT(text, HasSubstr("coopMatLoad(left[0], staged, 0u, 3u, "
                              "gl_CooperativeMatrixLayoutRowMajor);"));
  EXPECT_THAT(text, HasSubstr("sums[0] = coopMatMulAdd(left[0], right[0], sums[0]);"));
  EXPECT_THAT(glsl::print(product(true, true)), HasSubstr("gl_CooperativeMatrixLayoutColumnMajor"));
}

TEST(Matrices, AskTheDeviceForWhatTheyMultiply) {
  const KernelInterface interface = interface_of(product(false, false));
  ASSERT_EQ(interface.matrices.size(), 1u);
  EXPECT_EQ(to_string(interface.matrices[0]), "16x16x16  f16 * f16 + f32 -> f32  subgroup");
  EXPECT_THAT(reasons_against(interface, common_device()),
              Contains(HasSubstr("needs products of matrices 16x16x16")));
}

TEST(Matrices, ALoadOfWhatOthersWroteNeedsABarrier) {
  EXPECT_REFUSED(product(false, false, /*with_barrier=*/false), KernelError,
                 "race in shared staged");
}

TEST(Matrices, WhatIsNoMatrixInMemoryIsRefusedWithTheMode) {
  Builder k("test", 32, 32);
  const Matrices held = k.matrices("held", f16, {Use::a, 16, 16}, 1, 1);
  const auto loading = [&](const char* name, const ComposedLayout& layout) {
    const View view = k.shared(name, f16, layout);
    return [&k, &held, view] { k.load(view, held); };
  };
  EXPECT_THAT(
      loading("odd", {{}, 0, make_layout({16, 16}, {20, 1})}),
      ThrowsMessage<LayoutError>(HasSubstr("its leading stride 20 is not a multiple of 8")));
  EXPECT_THAT(loading("apart", {{}, 0, make_layout({16, 16}, {32, 2})}),
              ThrowsMessage<LayoutError>(HasSubstr("no mode is contiguous")));
  EXPECT_THAT(loading("swizzled", {Swizzle(2, 3, 3), 0, make_layout({16, 16}, {16, 1})}),
              ThrowsMessage<LayoutError>(HasSubstr("because of the swizzle")));
  EXPECT_THAT(loading("large", {{}, 0, make_layout({32, 16}, {16, 1})}),
              ThrowsMessage<LayoutError>(HasSubstr("has the shape (32,16)")));
}

TEST(Matrices, UsesAndTypesThatDoNotFitAreRefused) {
  Builder k("test", 32, 32);
  const Matrices a = k.matrices("a", f16, {Use::a, 16, 16}, 1, 1);
  const Matrices b = k.matrices("b", f16, {Use::b, 16, 16}, 1, 2);
  const Matrices sums = k.matrices("sums", f32, {Use::accumulator, 16, 16}, 1, 1);
  EXPECT_REFUSED(k.multiply(a, b, sums), LayoutError, "do not match");
  k.assign(sums, 0);
  std::vector<ir::Element> of_a;
  for (std::uint32_t i = 0; i < 8; ++i) of_a.push_back({"a", {i}});
  k.add({"", ir::statements(ir::MatrixFill{{"a", 0, of_a}, ir::number(f32, 0)})});
  k.multiply(a, a, sums);
  EXPECT_REFUSED(k.finish(), KernelError,
                 AllOf(HasSubstr("matrix of f16 in a, filled with f32"),
                       HasSubstr("sums = a * a + sums: uses or sizes do not fit")));
  Builder without("test", 32);
  EXPECT_REFUSED(without.matrices("a", f16, {Use::a, 16, 16}, 1, 1), KernelError,
                 "a number of lanes");
}

// One matrix, or as many as a part of C has, for each group: extents are numbers, nothing is asked.
ir::Kernel stored_by_groups(const Extent& columns, const Extent& rows, std::int64_t at_once = 1,
                            std::uint32_t beyond = 0) {
  Builder k("stored", 32, 32);
  const Tensor d = k.output("d", f32, {{"n", columns}, {"m", rows}});
  const Matrices sums = k.matrices("sums", f32, {Use::accumulator, 16, 16}, 1, at_once);
  k.grid(0, columns, 16 * at_once);
  k.grid(1, rows, 16);
  k.assign(sums, 7);
  const View part = tile(d, {16 * at_once, 16}, {k.block_x() + beyond, k.block_y()});
  k.store(sums, 0, 0, transpose(part));
  return k.finish();
}

TEST(Matrices, AStoreOfEachGroupNeedsNoGuardWhereTilesDivideTheExtents) {
  // 96 at once: no power of two.
  for (const auto& [columns, at_once] : {std::pair{64, 1}, {16, 1}, {64, 4}, {96, 6}, {288, 6}}) {
    const ir::Kernel kernel = stored_by_groups(columns, 32, at_once);
    std::vector<float> d(static_cast<std::size_t>(columns) * 32);
    SCOPED_TRACE(columns);
    test::run_on_twin(kernel, {}, d);
    EXPECT_THAT(d, Each(7.0f)) << columns;
    EXPECT_THAT(glsl::print(kernel), Not(HasSubstr("if ("))) << columns;
  }
}

TEST(Matrices, AStoreOfEachGroupThatMayHangOverAnEdgeIsRefused) {
  const auto refused = [](const Extent& columns, const Extent& rows, std::int64_t at_once,
                          std::uint32_t beyond, const std::string& reason) {
    EXPECT_REFUSED(stored_by_groups(columns, rows, at_once, beyond), KernelError, reason)
        << to_string(columns) << ' ' << to_string(rows) << ' ' << at_once << ' ' << beyond;
  };
  refused(60, 32, 1, 0, "along n that is not proved to be below 60");
  refused(68, 32, 1, 0, "along n that is not proved to be below 68");
  refused(64, 40, 1, 0, "along m that is not proved to be below 40");
  refused(96, 32, 4, 0, "along n that is not proved to be below 96");
  refused(64, 32, 1, 1, "along n that is not proved to be below 64");  // the neighbour's
  refused("n", 32, 1, 0, "along n that is not proved to be below n");
  refused(64, "m", 1, 0, "along m that is not proved to be below m");
}

// By hand, since k.load() asks for no such region.
TEST(Matrices, RegionsThatLanesDoNotMakeUpAreRefused) {
  const auto refused = [](const auto& change, const std::string& reason) {
    ir::Kernel kernel = product(true, true);
    const auto look = [&](const auto& self, ir::Body& body) -> void {
      for (ir::Stmt& statement : body) {
        if (auto* load = std::get_if<ir::MatrixLoad>(&statement.value)) change(kernel, load->from);
        if (auto* block = std::get_if<ir::Titled>(&statement.value)) self(self, block->body);
      }
    };
    look(look, kernel.body);
    EXPECT_THAT(verify(kernel), Contains(HasSubstr(reason)));
  };
  using Region = ir::MatrixRegion;
  refused([](ir::Kernel&, Region& region) { region.lanes = 0; },
          "1 vectors of 8 elements by each of 0 lanes do not make it up");
  refused([](ir::Kernel&, Region& region) { region.lanes = 64; }, "each of 64 lanes");
  refused([](ir::Kernel&, Region& region) { region.vectors.clear(); }, "0 vectors of 8 elements");
  refused([](ir::Kernel& kernel, Region&) { kernel.subgroup_size = 0; },
          "0 lanes cannot share its 256 elements equally");
}

// What a lane holds of a matrix goes to memory and comes back into the same places.
TEST(Matrices, TheElementsOfALaneAreMovedInItsOwnOrder) {
  Builder k("held", 32, 32);
  const auto matrix = [&](const char* name, Use use) {
    return k.matrices(name, f16, {use, 16, 16}, 1, 1);
  };
  const Tensor src = k.input("src", f16, {{"n", 16}, {"m", 16}});
  const Tensor dst = k.output("dst", f16, {{"n", 16}, {"m", 16}});
  const Tensor held = k.in_out("held", f16, {{"at", 256}});
  const Matrices first = matrix("first", Use::a), second = matrix("second", Use::a);
  const View mine = partition(tile(held, {256}, {0}),
                              make_tiled_copy(Layout(IntTuple(32)), Layout(IntTuple(8))), k.lane());
  for (const Matrices& one : {first, second}) k.assume_order(one, "the same for both");
  k.load(transpose(tile(src, {16, 16}, {0, 0})), first);
  k.copy(k.elements(first), mine, {.edges = Edges::inside, .vector = {8}});
  k.copy(mine, k.elements(second), {.edges = Edges::inside, .vector = {8}});
  k.store(second, 0, transpose(tile(dst, {16, 16}, {0, 0})));
  const ir::Kernel kernel = k.finish();
  EXPECT_THAT(glsl::print(kernel), HasSubstr("second[0][7] = "));

  std::vector<std::uint16_t> in(256), out(256), between(256);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(0x3c00 + i);
  test::run_on_twin(kernel, {}, in, out, between);
  EXPECT_EQ(in, out);
  EXPECT_EQ(between[8 * 5 + 3], in[5 + 32 * 3]);  // number 3 of lane 5
}

TEST(Matrices, APartOfThemIsStored) {
  Builder k("test", 32, 32);
  const Matrices sums = k.matrices("sums", f32, {Use::accumulator, 16, 16}, 2, 4);
  const View two = k.shared("two", f32, make_layout({16, 32}, {36, 1}));
  k.assign(sums, 0);
  k.store(sums, 1, 2, two);
  const std::string text = glsl::print(k.finish());
  EXPECT_THAT(text, HasSubstr("coopMatStore(sums[1u + 2u * (2u + j)], two, 4u * j, 9u"));
  const View odd = k.shared("odd", f32, make_layout({16, 24}, {36, 1}));
  EXPECT_REFUSED(k.store(sums, 0, 0, odd), LayoutError, "has the shape (16,24)");
}

}  // namespace
}  // namespace vkmoye::gen
