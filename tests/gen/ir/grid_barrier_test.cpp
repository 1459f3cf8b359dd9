// SPDX-License-Identifier: MIT
// Kernels whose workgroups wait for each other: what is accepted, what is refused, what the twin computes.

#include "vkmoye/gen/ir/grid_barrier.hpp"

#include <vector>

#include "support/expect.hpp"
#include "support/phases.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/interface_json.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/passes/sizes_from_buffer.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/gen/verify/claims.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen {
namespace {

using test::doubled_and_reversed;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// The reasons why finish refuses what `describe` records.
std::vector<std::string> refused(const std::function<void()>& describe) {
  try {
    describe();
  } catch (const KernelError& error) {
    return error.reasons;
  }
  return {};
}

TEST(GridBarrier, LetsTheNextPhaseReadWhatOtherWorkgroupsWrote) {
  const ir::Kernel kernel = doubled_and_reversed(2);
  for (const std::size_t n : {0, 1, 63, 64, 65, 130}) {
    std::vector<float> src(n), middle(n, 9), dst(n, 7);
    std::vector<std::uint32_t> arrivals(ir::kArrivals);
    for (std::size_t i = 0; i < n; ++i) src[i] = static_cast<float>(i + 1);
    const TwinReport report = run_on_host(kernel, {src, middle, dst, arrivals}, {{"n", n}});
    EXPECT_THAT(report.reasons, IsEmpty()) << n;
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(dst[i], 2 * static_cast<float>(n - i)) << n;
  }
}

TEST(GridBarrier, DividesAKernelIntoKernels) {
  const std::vector<ir::Kernel> phases = ir::phases_of(doubled_and_reversed(2));
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].find("middle")->access, Access::write);
  EXPECT_EQ(phases[0].find("dst"), nullptr);
  EXPECT_EQ(phases[1].find("middle")->access, Access::read);
  EXPECT_EQ(phases[1].find("dst")->access, Access::write);
  EXPECT_EQ(phases[0].grid[0].extent, Extent("n"));
}

TEST(GridBarrier, IsProvedPhaseByPhase) {
  const std::vector<Claim> claims = claims_of(doubled_and_reversed(2));
  std::vector<std::string> texts, assumed;
  for (const Claim& claim : claims) {
    (claim.answer == Claim::Answer::assumed ? assumed : texts).push_back(claim.text);
  }
  EXPECT_THAT(texts, Contains("each element of middle is written"));
  EXPECT_THAT(texts, Contains("each element of dst is written"));
  EXPECT_THAT(assumed, testing::ElementsAre("all workgroups of the launch run at once"));
}

TEST(GridBarrier, MustStandBetweenPhases) {
  EXPECT_THAT(refused([] { doubled_and_reversed(2, [](Builder&) {}); }),
              Contains(HasSubstr("phase 1 has 2 grids of blocks")));
  EXPECT_THAT(refused([] {
                Builder k("inside", 32);
                k.resident(2);
                k.grid_loop("", [&] {
                  k.grid(0, 1, 1);
                  k.grid_barrier();
                });
                k.finish();
              }),
              Contains(HasSubstr("a grid barrier is inside another statement")));
}

// One phase writes what other invocations read in it.
TEST(GridBarrier, IsNeededBetweenAWriteAndAReadByOthers) {
  const auto describe = [](bool is_own) {
    Builder k("in place", 64);
    k.resident(2);
    const Tensor x = k.in_out("x", ScalarType::f32, {{"i", "n"}});
    k.grid_loop("x(i) = x(n - 1 - i)", [&] {
      k.grid(0, "n", 64);
      const Expr n = x.extent(0), i = k.let("i", Expr(64) * k.block_x() + k.thread());
      k.branch({less(i, n)}, [&] {
        k.store(k.load("value", ir::Element{"x", {is_own ? i : n - 1 - i}, "x, read"}),
                ir::Element{"x", {i}, "x, written"});
      });
    });
    return k.finish();
  };
  EXPECT_THAT(refused([&] { describe(false); }), Contains(HasSubstr("'x, written'")));
  EXPECT_THAT(refused([&] { describe(true); }), IsEmpty());
}

TEST(GridBarrier, OfScratchThatIsNotWrittenIsRefused) {
  const auto describe = [](std::int64_t written) {
    Builder k("scratch", 64);
    k.resident(2);
    const Tensor middle = k.scratch("middle", ScalarType::f32, {{"i", 64}});
    const Tensor dst = k.output("dst", ScalarType::f32, {{"i", 64}});
    const auto all = [&](const Tensor& of) {
      return parallelize(tile(of, {64}, {k.block_x()}), Layout(64), k.thread());
    };
    k.grid_loop("", [&] {
      k.grid(0, 64, 64);
      k.branch({less(k.thread(), Expr(ir::to_index(written)))}, [&] {
        k.store(ir::number(ScalarType::f32, 1), ir::Element{"middle", {k.thread()}});
      });
    });
    k.grid_barrier();
    k.grid_loop("", [&] { k.copy(all(middle), all(dst)); });
    return k.finish();
  };
  EXPECT_THAT(refused([&] { describe(64); }), IsEmpty());
  EXPECT_THAT(refused([&] { describe(63); }), Contains(HasSubstr("middle[63]")));
}

// Blocks have grids; the launch has workgroups along x, and nothing else follows from sizes.
TEST(GridBarrier, IsOfAFixedNumberOfWorkgroups) {
  const auto describe = [](const std::function<void(Builder&)>& change) {
    Builder k("grids", 32);
    const Tensor dst = k.output("dst", ScalarType::f32, {{"i", "n"}});
    k.resident(2);
    k.grid_loop("", [&] {
      k.assign(parallelize(tile(dst, {32}, {k.block_x()}), Layout(32), k.thread()),
               ir::number(ScalarType::f32, 1));
    });
    change(k);
    return k.finish();
  };
  EXPECT_THAT(refused([&] { describe([](Builder&) {}); }), IsEmpty());
  const char* why = "not a fixed number along x alone";
  EXPECT_THAT(refused([&] { describe([](Builder& k) { k.grid(1, 4, 1); }); }),
              Contains(HasSubstr(why)));
  EXPECT_THAT(refused([&] { describe([](Builder& k) { k.grid(0, "n", 64); }); }),
              Contains(HasSubstr(why)));
  EXPECT_THAT(refused([] {
                Builder k("none", 32);
                k.resident(2);
                k.finish();
              }),
              Contains(HasSubstr("it has no blocks")));
}

TEST(GridBarrier, OfResultsThatNoPhaseWritesIsRefused) {
  EXPECT_THAT(refused([] {
                Builder k("nothing", 32);
                k.resident(1);
                k.output("dst", ScalarType::f32, {{"i", 32}});
                k.grid_loop("", [&] { k.grid(0, 1, 1); });
                k.finish();
              }),
              Contains(HasSubstr("nothing writes dst")));
}

TEST(GridBarrier, IsPrintedAsALoopOverBlocksAndACall) {
  const std::string text = glsl::print(doubled_and_reversed(2));
  EXPECT_THAT(text, HasSubstr("for (uint block_x = gl_WorkGroupID.x; block_x < "));
  EXPECT_THAT(text, HasSubstr("block_x += gl_NumWorkGroups.x) {"));
  EXPECT_THAT(text, HasSubstr("  grid_barrier();\n"));
  EXPECT_THAT(text, HasSubstr("nonprivate restrict buffer Middle"));
}

TEST(GridBarrier, KeepsItsPhasesWhenSizesAreFixed) {
  const ir::Kernel kernel = bake(doubled_and_reversed(2), {{"n", 100}});
  EXPECT_THAT(verify(kernel), IsEmpty());
  EXPECT_THAT(glsl::print(kernel), HasSubstr("block_x < 2u;"));
  EXPECT_REFUSED(with_sizes_from_buffer(doubled_and_reversed(2), {"n"}, {{"n", 100}}),
                 ArgumentError, "its workgroups wait for each other");
}

TEST(GridBarrier, NeedsADeviceThatRunsAllWorkgroupsAtOnce) {
  const KernelInterface interface = ir::interface_of(doubled_and_reversed(4));
  EXPECT_EQ(interface.arrivals, 3u);
  DeviceCaps caps = common_device();
  EXPECT_THAT(reasons_against(interface, caps), Contains(HasSubstr("is not known")));
  caps.resident_groups = 3;
  EXPECT_THAT(reasons_against(interface, caps),
              Contains("its 4 workgroups wait for each other, and must run at once; this device "
                       "runs 3 at once"));
  caps.resident_groups = 4;
  EXPECT_THAT(reasons_against(interface, caps), IsEmpty());
  std::vector<std::string> reasons;
  EXPECT_EQ(interface_of_json(interface_to_json(interface), reasons).arrivals, 3u);
  EXPECT_THAT(reasons, IsEmpty());
}

}  // namespace
}  // namespace vkmoye::gen
