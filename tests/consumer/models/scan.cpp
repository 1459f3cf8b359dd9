// SPDX-License-Identifier: MIT
// Prefix sums of any length, in three steps: within blocks of 256, of the sums of the blocks, and both together.

#include "model.hpp"

namespace models {
namespace {

constexpr std::uint32_t kBlock = 256;

// The sum of `own` over this thread and those before it in the workgroup.
Expr scan_of_workgroup(Builder& k, const Expr& own) {
  const Expr lane_sum = k.subgroup_inclusive_scan("lane_sum", ir::Op::add, own);
  k.branch({equal(k.lane(), k.lanes() - 1)}, [&] {
    k.store(lane_sum, {"totals", {k.subgroup()}});
  });
  k.barrier();
  const View before = k.registers("before", ScalarType::f32, Layout());
  k.assign(before, 0);
  k.loop("earlier", k.subgroup(), [&](const Expr& earlier) {
    const Expr total = k.load("total", {"totals", {earlier}});
    k.apply(
        before, [&](Expr sum) { return sum + total; }, before);
  });
  return k.let("sum", lane_sum + k.load("sum_before", before));
}

// y = prefix sums of each block of x; block_sums = the sum of each block
ir::Kernel scan_blocks(std::uint32_t lanes) {
  const ScalarType f32 = ScalarType::f32;
  Builder k("scan_blocks", kBlock, lanes);
  const Tensor x = k.input("x", f32, {{"i", "n"}});
  const Tensor y = k.output("y", f32, {{"i", "n"}});
  // Not an output: that blocks is ceil(n / 256), and each of its elements is written, is known at launches alone.
  const Tensor sums = k.in_out("block_sums", f32, {{"block", "blocks"}});
  k.shared("totals", f32, make_layout({kBlock / lanes}));
  const auto mine = [&](const Tensor& of) {
    return parallelize(tile(of, {kBlock}, {k.block_x()}), make_layout({kBlock}), k.thread());
  };
  const View own = k.make_fragment_like("own", f32, mine(x));
  k.copy(mine(x), own, {.edges = Edges::zero});
  const Expr sum = scan_of_workgroup(k, k.load("element", own));
  k.assign(own, sum);
  k.copy(own, mine(y));
  k.branch({equal(k.thread(), kBlock - 1), less(k.block_x(), sums.extent(0))}, [&] {
    k.store(sum, {"block_sums", {k.block_x()}});
  });
  return k.finish();
}

// before = the sum of the block sums before each; one workgroup
ir::Kernel scan_sums(std::uint32_t lanes) {
  const ScalarType f32 = ScalarType::f32;
  Builder k("scan_sums", kBlock, lanes);
  const Tensor sums = k.input("block_sums", f32, {{"block", "blocks"}});
  const Tensor starts = k.output("starts", f32, {{"block", "blocks"}});
  k.shared("totals", f32, make_layout({kBlock / lanes}));
  k.shared("last", f32, make_layout({1}));
  const auto mine = [&](const Tensor& of, const Expr& part) {
    return parallelize(tile(of, {kBlock}, {part}), make_layout({kBlock}), k.thread());
  };
  const View own = k.registers("own", f32, make_layout({1}));
  const View start = k.registers("start", f32, Layout());
  k.assign(start, 0);
  k.loop("part", ceil_div(sums.extent(0), kBlock), [&](const Expr& part) {
    k.copy(mine(sums, part), own, {.edges = Edges::zero});
    const Expr element = k.load("element", own);
    const Expr sum = scan_of_workgroup(k, element);
    const Expr up_to_here = k.let("up_to_here", k.load("start_before", start) + sum);
    k.assign(own, up_to_here - element);
    k.copy(own, mine(starts, part));
    k.branch({equal(k.thread(), kBlock - 1)}, [&] {
      k.store(up_to_here, ir::Element{"last", {0}});
    });
    k.barrier();
    k.assign(start, k.load("all_parts", ir::Element{"last", {0}}));
  });
  return k.finish();
}

ir::Kernel add_starts() {
  Builder k("add_starts", kBlock);
  const Tensor starts = k.input("starts", ScalarType::f32, {{"block", "blocks"}});
  const Tensor y = k.in_out("y", ScalarType::f32, {{"i", "n"}});
  const View mine =
      parallelize(tile(y, {kBlock}, {k.block_x()}), make_layout({kBlock}), k.thread());
  k.branch({less(k.block_x(), starts.extent(0))}, [&] {
    const Expr start = k.load("start", {"starts", {k.block_x()}});
    k.apply(
        mine, [&](Expr v) { return v + start; }, mine);
  });
  return k.finish();
}

// --- the problem ---

const Model kScan({
    .name = "models/scan",
    .summary = "prefix sums of any length",
    .size_form = "COUNT",
    .example = {100000},
    .problem =
        [](const Size& s) {
          return bench::Problem{{{"x", s}},
                                {"y", s},
                                {{"n", s[0]}, {"blocks", parts_of(s[0], kBlock)}},
                                double(s[0])};
        },
    .reference =
        [](const bench::Problem&, Inputs in, Result y) {
          double sum = 0, size = 0;
          for (std::size_t i = 0; i < y.size(); ++i) {
            sum += in[0][i], size += std::fabs(in[0][i]);
            y[i] = {sum, size * 0x1p-18};
          }
        },
    .steps =
        [](const DeviceCaps& device, const Size& s) {
          const auto bytes = 4 * std::uint64_t(parts_of(s[0], kBlock));
          enum : std::size_t { x, y, sums, starts };
          return Steps{{{"block_sums", bytes}, {"starts", bytes}},
                       {{scan_blocks(device.subgroup_size), {x, y, sums}},
                        {scan_sums(device.subgroup_size), {sums, starts}},
                        {add_starts(), {starts, y}}}};
        },
});

}  // namespace
}  // namespace models
