// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/common/blocks.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/gen/kernels/rows/slices.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kLine = 128;  // bytes that neighbouring threads access together

}  // namespace

ReduceConfig reduce_config(ScalarType type, const DeviceCaps& device) {
  return {threads_config(type, device)};
}

const std::vector<ConfigField<ReduceConfig>>& reduce_fields() {
  static const auto fields = [] {
    auto axis = numbers_field<ReduceConfig>(
        "axis",
        "the axis that is reduced, as in NumPy: 1 gives a value for each row, 0 for each column",
        {&ReduceConfig::axis});
    axis.changes_result = true;
    return joined<ReduceConfig>({axis}, threads_fields<ReduceConfig>());
  }();
  return fields;
}

namespace {

// Sets what is not set of a config for columns: lines of 128 bytes, so that there are enough workgroups, with many rows
// in flight; if there are fewer rows than that, more columns in place of threads without a row.
void fit_to_columns(ReduceConfig& config, std::optional<std::int64_t> rows) {
  const std::int64_t width = std::max<std::int64_t>(1, config.width());
  const bool chooses_threads = config.threads == 0;
  if (chooses_threads) {
    config.threads = std::min<std::int64_t>(config.width() == 8 ? 1024 : 512, config.max_threads);
  }
  const std::int64_t line = kLine / std::max<std::int64_t>(1, config.vector_bytes);
  const std::int64_t most_rounds = std::clamp<std::int64_t>(kMaxValues / width, 1, 8);
  if (config.rounds == 0) {
    config.rounds = std::min(most_rounds, next_power_of_two(rows.value_or(most_rounds)));
  }
  if (config.columns != 0) return;
  config.columns = std::min(line, config.threads);
  if (!rows) return;
  const std::int64_t busy =
      next_power_of_two(ceil_div(*rows, std::max<std::int64_t>(1, config.rounds)));
  if (chooses_threads) {
    const std::int64_t usual = std::min<std::int64_t>(256, config.threads);
    config.threads = std::clamp(line * busy, usual, config.threads);
  }
  config.columns = std::max(config.columns, config.threads / busy);
}

}  // namespace

// The fastest config of a sweep on an H200 at 8192x8192: workgroups that hold a row at once; for columns, see above.
ReduceConfig fitted(ReduceConfig config, std::optional<std::int64_t> cols,
                    std::optional<std::int64_t> rows) {
  fit_vector(config, cols);
  if (config.axis == 0) fit_to_columns(config, rows);
  if (config.threads == 0) config.threads = std::min<std::int64_t>(256, config.max_threads);
  fit_columns(config, cols);
  return config;
}

std::vector<std::string> reasons_against(const ReduceConfig& config) {
  auto reasons = reasons_against(static_cast<const ThreadsConfig&>(config));
  if (config.axis != 0 && config.axis != 1) {
    reasons.push_back(fmt::format("axis {} is neither 0 nor 1", config.axis));
  }
  return reasons;
}

ScalarType reduced_type(ScalarType type, Reduction reduction) {
  const bool keeps_type = is_floating(type) || reduction.op == ir::Op::maximum;
  return keeps_type ? type : computing_type(type);
}

namespace {

constexpr const char* kSliceResults = "slice_results";

enum class ReducePart { all, slices, combine };

const char* comment_of(ReducePart part) {
  switch (part) {
    case ReducePart::all:
      return "one pass: values to registers, registers to lanes, lanes to subgroups";
    case ReducePart::slices: return "a result for each slice of a row or column";
    case ReducePart::combine: return "combines the results of slices";
  }
  return "";
}

ir::Kernel reduce_kernel(ReducePart part, const ReduceConfig& wanted, Reduction reduction,
                         const std::string& name) {
  const ReduceConfig config = fitted(wanted);
  throw_if_any(name, reasons_against(config));

  Builder k(name, config.threads, to_index(config.subgroup_size));
  k.describe(typed_items(reduce_fields(), config), comment_of(part));
  const int along = config.axis == 1 ? 0 : 1;  // the mode of src that is reduced
  const auto mode = static_cast<std::size_t>(along);
  std::vector<Builder::AxisSpec> axes = {{"col", "cols"}, {"row", "rows"}}, of_slices = axes;
  of_slices[mode] = {"slice", "slices"};
  const ScalarType type = computing_type(config.type);
  const Tensor src = part == ReducePart::combine ? k.input(kSliceResults, config.type, of_slices)
                                                 : k.input("src", config.type, axes);
  const Tensor dst =
      part == ReducePart::slices
          ? k.output(kSliceResults, type, of_slices)
          : k.output("dst", config.result.value_or(reduced_type(config.type, reduction)),
                     {axes[1 - mode]});

  const TiledCopy copy = config.tiled_copy();
  IntTuple extents = copy.tiler;  // (columns, rows)
  extents = along == 0 ? IntTuple{extents.leaf(0) * config.rounds, extents.leaf(1)}
                       : IntTuple{extents.leaf(0), extents.leaf(1) * config.rounds};
  const auto step = static_cast<std::uint32_t>(extents.leaf(along));
  const std::int64_t other = extents.leaf(1 - along);

  // The results of a thread: dst has stride 0 along the mode that is reduced.
  View of_workgroup;
  if (part != ReducePart::slices) {
    of_workgroup = tile(dst, {other}, {k.block_x()});
  } else if (along == 0) {
    of_workgroup = slice(tile(dst, {1, other}, {k.block_y(), k.block_x()}), {0, _});
  } else {
    of_workgroup = slice(tile(dst, {other, 1}, {k.block_x(), k.block_y()}), {_, 0});
  }
  const View row = repeat(of_workgroup, along, step);  // (bM, bN)
  // The modes of (value, m, n) that are reduced.
  const std::vector<int> reduced = along == 0 ? std::vector{0, 1} : std::vector{2};
  const View to = first_along(partition(row, copy, k.thread()), reduced);

  Blocks blocks(k, src, extents, copy);
  const View values = blocks.registers("values", type);
  const View result = k.make_fragment_like("result", type, to);
  k.assign(result, reduction.neutral(type));
  const Expr block_count = ceil_div(Builder::extent(src, mode), step);
  const SliceParts own = part == ReducePart::slices
                             ? slice_blocks(k, block_count, Builder::extent(dst, mode))
                             : SliceParts{0, block_count};
  k.loop(
      "block", own.count,
      [&](const Expr& i) {
        const Expr block = part == ReducePart::slices ? own.first + i : i;
        blocks.load(along == 0 ? std::vector{block, k.block_x()} : std::vector{k.block_x(), block},
                    values, reduction.neutral(type));
        k.accumulate(result, reduction, values);
      },
      ir::Unroll::never);
  k.reduce_across(result, reduction, config.thread_layout(), along);
  const Expr place = thread_coordinates(config.thread_layout(), k.thread())[mode];
  const auto max_width = kWidestCopy / static_cast<std::int64_t>(size_of(dst.array.type));
  const auto width =
      static_cast<std::uint32_t>(along == 0 ? 1 : std::min(config.width(), max_width));
  k.branch({ir::equal(place, 0)}, [&] { k.copy(result, to, {.vector = {width}}); });
  return k.finish();
}

}  // namespace

ir::Kernel reduce(const ReduceConfig& config, Reduction reduction, const std::string& name) {
  return reduce_kernel(ReducePart::all, config, reduction, name);
}

ir::Kernel reduce_slices(const ReduceConfig& config, Reduction reduction, const std::string& name) {
  return reduce_kernel(ReducePart::slices, config, reduction, name);
}

ir::Kernel reduce_combine(const ReduceConfig& config, Reduction reduction,
                          const std::string& name) {
  return reduce_kernel(ReducePart::combine, config, reduction, name);
}

}  // namespace vkmoye::gen
