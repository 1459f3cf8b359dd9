// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/resident_trial.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/ir/grid_barrier.hpp"

namespace vkmoye::gen {

KernelPlan resident_trial(const DeviceCaps& device, std::int64_t groups) {
  const std::int64_t threads =
      std::bit_floor(std::min(device.max_workgroup_invocations, device.max_workgroup_size[0]));
  const std::int64_t rows = std::max<std::int64_t>(1, device.max_shared_bytes / 4 / threads);
  const std::int64_t count = groups * threads;
  Builder k("resident/trial", threads);
  k.resident(groups);
  k.header({{"groups", std::to_string(groups)}},
           "each workgroup, with all the shared memory it may have, reads what another one wrote");
  const Tensor result = k.output("result", ScalarType::u32, {{"i", count}});
  const Tensor numbers = k.scratch("numbers", ScalarType::u32, {{"i", count}});
  k.shared("held", ScalarType::u32, Layout(rows * threads));
  const Expr of_row = to_index(threads);
  k.grid_loop("numbers = 0, 1, 2, ..", [&] {
    k.grid(0, count, threads);
    const Expr i = k.let("i", of_row * k.block_x() + k.thread());
    k.loop("row", to_index(rows), [&](const Expr& row) {
      k.store(convert(i, ScalarType::u32), ir::Element{"held", {of_row * row + k.thread()}});
    });
    const Expr last = of_row * to_index(rows - 1) + k.thread();
    k.store(k.load("number", ir::Element{"held", {last}}), ir::Element{"numbers", {i}});
  });
  k.grid_barrier();
  k.grid_loop("result = numbers, backwards", [&] {
    k.grid(0, count, threads);
    const Expr i = k.let("i", of_row * k.block_x() + k.thread());
    const Expr from = Expr(to_index(count - 1)) - i;
    k.store(k.load("number", ir::Element{"numbers", {from}}), ir::Element{"result", {i}});
  });
  ir::Kernel kernel = k.finish();
  if (device.kind == DeviceKind::cpu) kernel.most_polls = std::uint32_t{1} << 26;  // a second
  const std::uint64_t bytes = sizeof(std::uint32_t) * static_cast<std::uint64_t>(count);
  KernelPlan plan;
  plan.arrays = {{"result", bytes}};
  plan.scratch = {{"numbers", bytes}, {"arrivals", ir::kArrivals * sizeof(std::uint32_t)}};
  plan.steps = {{std::move(kernel), {}, {0, 1, 2}}};
  return plan;
}

}  // namespace vkmoye::gen
