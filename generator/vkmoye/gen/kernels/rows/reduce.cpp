// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/gen/kernels/rows/staged_row.hpp"

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
  fit_columns(config, cols, RowUse::read);
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

ir::Kernel reduce(const ReduceConfig& wanted, Reduction reduction, const std::string& name,
                  RowPart part) {
  const ReduceConfig config = fitted(wanted);
  Builder k =
      row_builder(name, config, reduce_fields(), reasons_against(config), part,
                  {"one pass: values to registers, registers to lanes, lanes to subgroups",
                   "a result for each slice of a row or column", "combines the results of slices"});
  if (config.axis == 0) k.share_sums(config.threads / config.columns);
  const int along = config.axis == 1 ? 0 : 1;  // the mode of src that is reduced
  const auto mode = static_cast<std::size_t>(along);
  const ScalarType type = computing_type(config.type);
  const bool has_slices = part == RowPart::slices;
  std::vector<Builder::AxisSpec> of_slices = kRowAxes;
  of_slices[mode] = {"slice", "slices"};
  // The results of slices are combined as a matrix is reduced.
  const Tensor src = part == RowPart::combine ? k.input("slice_results", config.type, of_slices)
                                              : k.input("src", config.type, kRowAxes);
  const Tensor dst =
      has_slices ? k.output("slice_results", type, of_slices)
                 : k.output("dst", config.result.value_or(reduced_type(config.type, reduction)),
                            {kRowAxes[1 - mode]});

  std::vector<Expr> at = {k.block_x()};
  if (has_slices) at.insert(along == 0 ? at.begin() : at.end(), k.block_y());
  const View to = line_values(k, config, dst, at, along);

  Row row(k, config, src, reduction.neutral(type), has_slices ? part : RowPart::whole,
          has_slices ? dst.extent(mode) : Expr(1), along);
  const View result = k.make_fragment_like("result", type, to);
  k.assign(result, reduction.neutral(type));
  row.pass([&](const Expr&) { k.accumulate(result, reduction, row.x()); });
  k.reduce_across(result, reduction, config.thread_layout(), along);
  const auto max_width = kWidestCopy / static_cast<std::int64_t>(size_of(dst.array.type));
  const auto width =
      static_cast<std::uint32_t>(along == 0 ? 1 : std::min(config.width(), max_width));
  k.branch(is_first_of_lines(k, config, along), [&] { k.copy(result, to, {.vector = {width}}); });
  return k.finish();
}

}  // namespace vkmoye::gen
