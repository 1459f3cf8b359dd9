// SPDX-License-Identifier: MIT
// Sizes from a buffer: which sizes are accepted, the groups that follow from them, and the kernel that reads them. All
// on the host; kernels_device/sizes_from_buffer_test.cpp runs the same plans on devices.

#include "vkmoye/gen/passes/sizes_from_buffer.hpp"

#include <numeric>
#include <random>

#include "support/expect.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/argument_names.hpp"
#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen {
namespace {

using Words = std::vector<std::uint32_t>;

ir::Kernel shipped(const char* name) { return find_kernel(name)->describe({ScalarType::f32}); }

// What step 0 of `plan` writes for `sizes`.
struct Checked {
  Words status = {77}, command = {77, 77, 77}, sizes;
};
Checked check(const KernelPlan& plan, Words sizes) {
  Checked out;
  out.sizes.assign(sizes.size(), 77);
  const TwinReport report =
      run_on_host(plan.steps[0].kernel, {sizes, out.status, out.command, out.sizes}, {});
  EXPECT_THAT(report.reasons, IsEmpty());
  return out;
}

TEST(SizesFromBuffer, IsAPlanOfTwoSteps) {
  const KernelPlan plan = with_sizes_from_buffer(shipped("gemm/moye_simple"), {"m", "k"},
                                                 {{"m", 70}, {"n", 33}, {"k", 20}, {"alpha", 1.5}});
  ASSERT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.main, 1u);
  std::vector<std::string> names;
  for (const PlanArray& array : plan.arrays) names.push_back(array.name);
  EXPECT_THAT(names, ElementsAre("a", "b", "c", "sizes", "status"));
  EXPECT_EQ(plan.arrays[0].bytes, 4u * 70 * 20);
  EXPECT_EQ(plan.arrays[3].bytes, 8u);
  EXPECT_EQ(plan.array(5).bytes, kCommandBytes);
  EXPECT_THAT(plan.steps[0].arrays, ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(plan.steps[1].arrays, ElementsAre(0, 1, 2, 6));
  EXPECT_EQ(plan.steps[1].indirect, 5u);
  EXPECT_EQ(plan.steps[1].arguments.at("lda"), Argument(20));
  // The interface has a binding more and two push constants less; a runtime needs to know nothing else.
  const KernelInterface before = ir::interface_of(shipped("gemm/moye_simple"));
  const KernelInterface after = ir::interface_of(plan.steps[1].kernel);
  EXPECT_EQ(after.bindings.size(), before.bindings.size() + 1);
  EXPECT_EQ(after.bindings.back().alignment, 4u);
  EXPECT_EQ(after.push_constants.size() + 2, before.push_constants.size());
  const CompiledPlan compiled = compile(plan, common_device());
  EXPECT_THAT(reasons_against(compiled), IsEmpty());
  EXPECT_THAT(
      compiled.steps[1].kernel.glsl,
      HasSubstr("layout(std430, binding = 3) readonly restrict buffer Checked { uint m, k; };"));
  EXPECT_THAT(compiled.steps[0].kernel.glsl,
              HasSubstr("// generated: sizes/check  max_m=70  max_k=20"));
}

// The groups of a launch from the host, whatever the grid looks like.
TEST(SizesFromBuffer, ComputesTheGroupsOfEveryGrid) {
  std::mt19937_64 random(3);
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  for (int i = 0; i < 200; ++i) {
    ir::Kernel kernel;
    kernel.name = "grid";
    kernel.arguments = {"m", "n", "batch"};
    kernel.arrays = {
        {"dst", ScalarType::u32, ir::Array::Space::buffer, Access::write, {{"i", "m", 1}}, ""}};
    Arguments maxima;
    for (const char* name : {"m", "n", "batch"}) maxima[name] = 1 + below(1000);
    for (GridDimension& dimension : kernel.grid) {
      const Extent extents[] = {1 + below(1000),     "m", "n", "batch", Extent("m", "n"),
                                Extent("n", "batch")};
      dimension.extent = extents[random() % std::size(extents)];
      if (random() % 3 == 0) dimension.extent = Extent::parts(dimension.extent, 1 + below(100));
      dimension.tile = random() % 8 == 0 ? std::int64_t{1} << 40 : 1 + below(64);
      if (random() % 3 == 0) dimension.max_groups = 1 + below(50);
    }
    kernel.grid[random() % 3].extent = "n";
    const KernelPlan plan = with_sizes_from_buffer(kernel, {"m", "n"}, maxima);
    if (i < 20) {
      EXPECT_THAT(verify(plan.steps[0].kernel), IsEmpty());
    }
    for (int turn = 0; turn < 8; ++turn) {
      const auto max = [&](const char* name) { return std::get<std::int64_t>(maxima[name].value); };
      const std::int64_t m = turn == 0 ? max("m") : below(max("m") + 1),
                         n = turn == 1 ? max("n") : below(max("n") + 1);
      const Checked out =
          check(plan, {static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(n)});
      const auto groups =
          group_count(ir::interface_of(kernel), {{"m", m}, {"n", n}, {"batch", maxima["batch"]}});
      EXPECT_THAT(out.status, ElementsAre(0));
      EXPECT_THAT(out.command, ElementsAre(groups[0], groups[1], groups[2])) << i;
      EXPECT_THAT(out.sizes, ElementsAre(m, n));
    }
  }
}

TEST(SizesFromBuffer, RefusesTheFirstSizeThatIsTooLarge) {
  const KernelPlan plan =
      with_sizes_from_buffer(shipped("gemm/moye_simple"), {"m", "n", "k"},
                             {{"m", 64}, {"n", 33}, {"k", kMaxExtent / 64}, {"alpha", 1.0}});
  constexpr std::uint32_t kLargest = 0xffffffff;
  struct Case {
    Words sizes;
    std::uint32_t status;
  };
  for (const Case& one :
       {Case{{65, 33, 1}, 1}, Case{{64, 34, 1}, 2}, Case{{kLargest, kLargest, 1}, 1},
        Case{{0, kLargest, 1}, 2}, Case{{0, 0, kLargest}, 3}}) {
    const Checked out = check(plan, one.sizes);
    EXPECT_THAT(out.status, ElementsAre(one.status));
    EXPECT_THAT(out.command, ElementsAre(0, 0, 0));
    EXPECT_THAT(out.sizes, ElementsAre(0, 0, 0));
  }
  EXPECT_THAT(check(plan, {64, 33, 1}).status, ElementsAre(0));
  // As in a launch from the host, no group runs where an extent of the grid is 0.
  const Checked none = check(plan, {0, 33, 1});
  EXPECT_THAT(none.status, ElementsAre(0));
  EXPECT_THAT(none.command, Contains(0));
}

// Copies whole vectors, which the author says that the rows consist of.
ir::Kernel copy_of_fours() {
  Builder k("copy_of_fours", 32);
  const Tensor src = k.input("src", ScalarType::f32, {{"i", "n"}});
  const Tensor dst = k.output("dst", ScalarType::f32, {{"i", "n"}});
  const Expr n = src.extent(0), by = k.argument("by", ScalarType::u32);
  k.assume(not_equal(by, 0), "it is a divisor");
  k.assume(equal(n % 4, 0), "rows are padded");
  k.assume(less(n, 100 * by), "there are enough parts");
  const Layout threads = make_layout({32});
  k.copy(parallelize(tile(src, {128}, {k.block_x()}), threads, k.thread()),
         parallelize(tile(dst, {128}, {k.block_x()}), threads, k.thread()));
  return k.finish();
}

TEST(SizesFromBuffer, ChecksTheAssumptionsOnSizes) {
  const KernelPlan plan = with_sizes_from_buffer(copy_of_fours(), {"n"}, {{"n", 1000}, {"by", 5}});
  EXPECT_THAT(verify(plan.steps[0].kernel), IsEmpty());
  EXPECT_THAT(check(plan, {496}).status, ElementsAre(0));
  EXPECT_THAT(check(plan, {0}).status, ElementsAre(0));
  EXPECT_THAT(check(plan, {498}).status, ElementsAre(1));  // no multiple of 4
  EXPECT_THAT(check(plan, {500}).status, ElementsAre(1));  // not below 100 * by
  EXPECT_THAT(check(plan, {1004}).status, ElementsAre(1));
  EXPECT_REFUSED(with_sizes_from_buffer(copy_of_fours(), {"n"}, {{"n", 8}, {"by", 0}}),
                 ArgumentError, "the values break the assumption 'by != 0");
}

// The kernel runs on arrays of the largest size, and accesses the elements of the size in the buffer.
TEST(SizesFromBuffer, RunOnTheHost) {
  const KernelPlan plan =
      with_sizes_from_buffer(shipped("copy/simple"), {"rows"}, {{"cols", 5}, {"rows", 40}});
  std::vector<float> src(5 * 40), dst(src.size());
  std::iota(src.begin(), src.end(), 1.0f);
  for (const std::uint32_t rows : {0, 1, 33, 40, 41}) {
    std::fill(dst.begin(), dst.end(), -1.0f);
    Checked checked = check(plan, {rows});
    const TwinReport report =
        run_on_host(plan.steps[1].kernel, {src, dst, checked.sizes}, plan.steps[1].arguments);
    EXPECT_THAT(report.reasons, IsEmpty());
    const std::size_t copied = rows > 40 ? 0 : 5 * rows;
    for (std::size_t i = 0; i < dst.size(); ++i) EXPECT_EQ(dst[i], i < copied ? src[i] : -1.0f);
  }
  Words too_many(2);
  EXPECT_REFUSED(run_on_host(plan.steps[1].kernel, {src, dst, too_many}, plan.steps[1].arguments),
                 ArgumentError, "checked has 1 arguments of 4 bytes, but the buffer");
}

// Every extent of every shipped kernel that no stride depends on.
TEST(SizesFromBuffer, TakesEveryKernelThatShips) {
  std::size_t plans = 0;
  for (const KernelEntry& entry : registry()) {
    const ir::Kernel kernel = test::described(entry, request_of(entry.types.front()));
    const KernelInterface interface = ir::interface_of(kernel);
    Arguments maxima;
    for (const PushConstant& argument : interface.push_constants) {
      if (!is_set_by_runtime(argument)) maxima[argument.name] = 256;
    }
    for (const std::string& name : extent_names(interface)) {
      maxima[name] = 256;
    }
    std::vector<std::string> names;
    for (const std::string& name : extent_names(interface)) {
      try {
        with_sizes_from_buffer(kernel, {name}, maxima);
        names.push_back(name);
      } catch (const ArgumentError&) {
      }
    }
    if (names.empty()) continue;
    const KernelPlan plan = with_sizes_from_buffer(kernel, names, maxima);
    for (const KernelStep& step : plan.steps) {
      EXPECT_THAT(verify(step.kernel), IsEmpty()) << entry.name << ' ' << step.kernel.name;
    }
    ++plans;
  }
  EXPECT_GT(plans, registry().size() / 2);
}

TEST(SizesFromBuffer, IsRefusedWithEveryReason) {
  const ir::Kernel copy = shipped("copy/simple");
  const auto refusal = [](const ir::Kernel& kernel, const std::vector<std::string>& names,
                          const Arguments& maxima) -> std::string {
    try {
      with_sizes_from_buffer(kernel, names, maxima);
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(
      refusal(copy, {"cols"}, {{"cols", 4}, {"rows", 4}}),
      "sizes from a buffer for copy/simple: cols is part of a stride (src along row, dst along "
      "row), so that elements would lie elsewhere for each size");
  EXPECT_THAT(refusal(copy, {"rows", "rows", "width"}, {{"rows", 0}, {"cols", 4}, {"colour", 1}}),
              AllOf(HasSubstr("rows is named twice"),
                    HasSubstr("the maximum rows = 0 is outside 1..4294963200"),
                    HasSubstr("'width' is not an extent of its arrays or its grid (cols, rows)"),
                    HasSubstr("'colour' is not an argument of it")));
  EXPECT_THAT(refusal(copy, {"rows"}, {{"cols", 4}}), HasSubstr("rows has no maximum"));
  EXPECT_THAT(refusal(copy, {"rows"}, {{"rows", 4}}), HasSubstr("argument 'cols' is missing"));
  EXPECT_THAT(refusal(copy, {"rows"}, {{"rows", 1.5}, {"cols", 4}}), HasSubstr("rows = 1.5"));
  EXPECT_THAT(refusal(copy, {"rows"}, {{"rows", 1 << 20}, {"cols", 1 << 20}}),
              HasSubstr("elements exceed the 2^32 that a 32-bit index reaches"));
  EXPECT_THAT(refusal(copy, {}, {{"rows", 4}, {"cols", 4}}), HasSubstr("no size is named"));
  EXPECT_THAT(refusal(shipped("gemm/moye_simple"), {"alpha", "lda"},
                      {{"m", 4}, {"n", 4}, {"k", 4}, {"alpha", 1.0}}),
              AllOf(HasSubstr("'alpha' is not an extent"), HasSubstr("lda is part of a stride")));
  EXPECT_THAT(refusal(bake(copy, {{"rows", 4}}), {"rows"}, {{"rows", 4}, {"cols", 4}}),
              HasSubstr("'rows' is not an extent of its arrays or its grid (cols)"));
  const ir::Kernel twice =
      with_sizes_from_buffer(copy, {"rows"}, {{"rows", 4}, {"cols", 4}}).steps[1].kernel;
  EXPECT_THAT(refusal(twice, {"rows"}, {{"rows", 4}, {"cols", 4}}),
              HasSubstr("it already has sizes from a buffer"));
  EXPECT_REFUSED(bake(twice, {{"rows", 4}}), ArgumentError, "rows is read from a buffer");
}

TEST(SizesFromBuffer, DeclarationsAreVerified) {
  const ir::Kernel good =
      with_sizes_from_buffer(shipped("copy/simple"), {"rows"}, {{"rows", 4}, {"cols", 4}})
          .steps[1]
          .kernel;
  EXPECT_THAT(verify(good), IsEmpty());
  ir::Kernel kernel = good;
  kernel.arguments_in_buffer->names = {"height"};
  EXPECT_THAT(verify(kernel),
              Contains(HasSubstr("'height' in the array checked is not an argument of type u32")));
  kernel = good;
  kernel.arguments_in_buffer->names = {"rows", "cols"};
  EXPECT_THAT(verify(kernel), Contains(HasSubstr("2 arguments are in the array checked, which is "
                                                 "not a read-only buffer of 2 u32")));
  kernel = good;
  kernel.arguments_in_buffer->array = "src";
  EXPECT_THAT(verify(kernel),
              Contains(HasSubstr("1 arguments are in the array src, which is not")));
  kernel = good;
  kernel.body.emplace_back(ir::Load{"size", {"checked", {0}, "checked[0]"}});
  EXPECT_THAT(
      verify(kernel),
      Contains(HasSubstr("the array checked holds arguments, so no statement may access it")));
}

}  // namespace
}  // namespace vkmoye::gen
