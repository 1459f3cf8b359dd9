// SPDX-License-Identifier: MIT
#include <algorithm>

#include "vkmoye/gen/kernels/entries.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/gen/kernels/rows/argmax.hpp"
#include "vkmoye/gen/kernels/rows/embed.hpp"
#include "vkmoye/gen/kernels/rows/gate.hpp"
#include "vkmoye/gen/kernels/rows/layer_norm.hpp"
#include "vkmoye/gen/kernels/rows/reduce.hpp"
#include "vkmoye/gen/kernels/rows/rms_norm.hpp"
#include "vkmoye/gen/kernels/rows/rope.hpp"
#include "vkmoye/gen/kernels/rows/row_plans.hpp"
#include "vkmoye/gen/kernels/rows/softmax.hpp"
#include "vkmoye/gen/kernels/rows/top_k.hpp"
#include "vkmoye/layout/checked.hpp"

namespace vkmoye::gen {
namespace {

using RowRequest = TypedRequest<ElementsForm>;

const std::vector<ScalarType> kReduced = [] {
  using enum ScalarType;
  return std::vector{f32, f16, bf16, e4m3, e5m2, f64, i32, u32, i16, u16, i8, u8};
}();
const std::vector<ScalarType> kRows = {ScalarType::f32, ScalarType::f16, ScalarType::bf16,
                                       ScalarType::e4m3, ScalarType::e5m2};

std::optional<std::int64_t> cols_of(const RowRequest& request) {
  return request.form.shape && !request.form.shape->empty()
             ? std::optional(request.form.shape->back())
             : std::nullopt;
}

std::optional<std::int64_t> rows_of(const RowRequest& request) {
  return request.form.shape && request.form.shape->size() == 2
             ? std::optional(request.form.shape->front())
             : std::nullopt;
}

// The default configs.
ReduceConfig usual_reduce(const RowRequest& request) {
  return reduce_config(request.form.type, request.device);
}
RmsNormConfig usual_norm(const RowRequest& request) {
  return rms_norm_config(request.form.type, request.device);
}
ThreadsConfig usual_threads(const RowRequest& request) {
  return threads_config(request.form.type, request.device);
}
TopKConfig usual_top_k(const RowRequest& request) {
  return top_k_config(request.form.type, request.device);
}
GateConfig usual_gate(const RowRequest& request) {
  GateConfig config = {.type = request.form.type};
  config.threads =
      std::min(config.threads, threads_config(request.form.type, request.device).max_threads);
  return config;
}

// Describes a kernel of rows, or one of the two for long rows.
template <class Config>
using DescribePart =
    std::function<ir::Kernel(const Config&, const std::string& name, RowPart part)>;

Arguments arguments_of_slices(const std::vector<std::int64_t>& shape, std::int64_t slices) {
  return {{"rows", shape.front()}, {"cols", shape.back()}, {"slices", slices}};
}

// The plan of an entry that works on rows, empty if no slices are needed; see KernelEntry::in_slices.
template <class Config>
std::function<KernelPlan(const Config&, const RowRequest&)> plan_of_rows(
    const std::string& entry, DescribePart<Config> describe) {
  const std::string family = entry.substr(0, entry.find('/'));
  return [=](const Config& config, const RowRequest& request) -> KernelPlan {
    if (!request.form.shape || request.form.shape->size() != 2) return {};
    const auto count_of = [&](const Config& fitted) {
      const std::int64_t workgroups =
          vkmoye::ceil_div(request.form.shape->front(), fitted.threads / fitted.columns);
      const std::int64_t block = fitted.columns * fitted.width() * fitted.rounds;
      return slices_of_rows(workgroups, request.form.shape->back(), block);
    };
    // As for rows of any length: no workgroup must hold a whole row, for which it would need more registers.
    Config wanted = config;
    fit_vector(wanted, cols_of(request));
    Config fitted = fitted_to_rows(wanted);
    if (!reasons_against(fitted).empty() || count_of(fitted) == 1) return {};
    if (wanted.rounds == 0 && size_of(wanted.type) <= 2) {
      // softmax of 13x3006992 in bf16 takes 77 us on an H200, 83 with 32 values in each thread.
      wanted.rounds = std::max<std::int64_t>(1, kMaxValues / 2 / fitted.width());
      fitted = fitted_to_rows(wanted);
    }
    const std::int64_t count = count_of(fitted);
    ir::Kernel of_slices = describe(fitted, family + "/slices", RowPart::slices);
    of_slices.command = emit_command(entry, command_options(request.form), request.options);
    return plan_of_slices(std::move(of_slices),
                          describe(fitted, family + "/combine", RowPart::combine),
                          arguments_of_slices(*request.form.shape, count));
  };
}

// The plan of a reduction along either axis; empty if no slices are needed.
KernelPlan reduction_plan(const std::string& entry, const ReduceConfig& config,
                          const RowRequest& request, Reduction reduction) {
  if (!request.form.shape || request.form.shape->size() != 2) return {};
  const ReduceConfig of_all = fitted(config, cols_of(request), rows_of(request));
  if (!reasons_against(of_all).empty()) return {};
  const std::int64_t rows = request.form.shape->front(), cols = request.form.shape->back();
  const std::int64_t block_cols = of_all.columns * of_all.width(),
                     block_rows = of_all.threads / of_all.columns;
  const bool of_rows = config.axis == 1;
  const std::int64_t workgroups =
      of_rows ? vkmoye::ceil_div(rows, block_rows) : vkmoye::ceil_div(cols, block_cols);
  const std::int64_t count = of_rows ? slices_of_rows(workgroups, cols, block_cols * of_all.rounds)
                                     : slices_of_rows(workgroups, rows, block_rows * of_all.rounds);
  if (count == 1) return {};
  ReduceConfig of_slices = reduce_config(computing_type(config.type), request.device);
  of_slices.axis = config.axis;
  of_slices.result = reduced_type(config.type, reduction);
  of_slices = of_rows ? fitted(of_slices, count, rows) : fitted(of_slices, cols, count);
  ir::Kernel slices = reduce(of_all, reduction, "reduce/slices", RowPart::slices);
  slices.command = emit_command(entry, command_options(request.form), request.options);
  return plan_of_slices(std::move(slices),
                        reduce(of_slices, reduction, "reduce/combine", RowPart::combine),
                        arguments_of_slices(*request.form.shape, count));
}

// The plan for the k largest elements, which needs k passes over a row: a slice should fit in registers, and so should
// the candidates of all slices. Empty if no slices are needed.
KernelPlan top_k_plan(const TopKConfig& config, const RowRequest& request) {
  const std::int64_t max_candidates = kMaxValues * config.max_threads;
  if (!request.form.shape || request.form.shape->size() != 2) return {};
  const auto block_of = [](const TopKConfig& of) { return of.columns * of.width() * of.rounds; };
  TopKConfig of_slices = config;
  fit_vector(of_slices, cols_of(request));
  of_slices = fitted_to_rows(of_slices, std::nullopt, RowUse::searched);
  if (!reasons_against(of_slices).empty() || config.k < 1 || config.k > kMaxTaken) return {};
  const std::int64_t rows = request.form.shape->front(), cols = request.form.shape->back();
  const std::int64_t block = block_of(of_slices);
  const std::int64_t workgroups = vkmoye::ceil_div(rows, of_slices.threads / of_slices.columns);
  const bool fits = cols <= block_of(fitted_to_rows(config, cols, RowUse::searched));
  if (fits && slices_of_rows(workgroups, cols, block) == 1) return {};
  const std::int64_t count = std::min(vkmoye::ceil_div(cols, block), max_candidates / config.k);
  if (count == 1) return {};
  TopKConfig of_candidates;
  of_candidates.type = ScalarType::u32;
  of_candidates.k = config.k;
  of_candidates.subgroup_size = config.subgroup_size;
  of_candidates.max_threads = config.max_threads;
  Arguments arguments = arguments_of_slices(*request.form.shape, count);
  arguments["candidates"] = count * config.k;
  ir::Kernel slices = top_k(of_slices, "topk/slices", RowPart::slices);
  slices.command = emit_command("topk/rows", command_options(request.form), request.options);
  return plan_of_slices(
      std::move(slices),
      top_k_combine(fitted_to_rows(of_candidates, count * config.k, RowUse::searched), config.type,
                    "topk/combine"),
      arguments);
}

KernelEntry reduction(const char* name, const char* operation, const char* summary,
                      Reduction reduction) {
  return entry_of<ReduceConfig>({
      .name = name,
      .operation = operation,
      .summary = summary,
      .source = "NVIDIA, Optimizing Parallel Reduction in CUDA; shuffles instead of shared memory",
      .types = kReduced,
      .fields = reduce_fields(),
      .defaults = usual_reduce,
      .describe =
          [=](const ReduceConfig& config, const RowRequest& request) {
            return reduce(fitted(config, cols_of(request), rows_of(request)), reduction, name);
          },
      .in_slices =
          [=](const ReduceConfig& config, const RowRequest& request) {
            return reduction_plan(name, config, request, reduction);
          },
  });
}

}  // namespace

std::vector<KernelEntry> row_entries() {
  return {
      reduction("reduce/sum", "sum", "sums each row or column in one pass over memory", kSum),
      reduction("reduce/max", "max",
                "finds the maximum of each row or column in one pass over memory", kMaximum),
      entry_of<ThreadsConfig>({
          .name = "softmax/rows",
          .operation = "softmax",
          .summary = "computes the softmax of each row; rows that fit in registers are read once",
          .source = "Milakov and Gimelshein, Online normalizer calculation for softmax: the safe "
                    "softmax; of long rows, the online one",
          .types = kRows,
          .fields = threads_fields<ThreadsConfig>(),
          .defaults = usual_threads,
          .describe =
              [](const ThreadsConfig& config, const RowRequest& request) {
                return softmax(fitted_to_rows(config, cols_of(request)));
              },
          .in_slices = plan_of_rows<ThreadsConfig>("softmax/rows", softmax),
      }),
      entry_of<RmsNormConfig>({
          .name = "norm/rms",
          .operation = "rms_norm",
          .summary = "normalises each row by its RMS, with weights; rows that fit in registers are "
                     "read once",
          .source = "Zhang and Sennrich, Root Mean Square Layer Normalization",
          .types = kRows,
          .fields = rms_norm_fields(),
          .defaults = usual_norm,
          .describe =
              [](const RmsNormConfig& config, const RowRequest& request) {
                return rms_norm(fitted_to_rows(config, cols_of(request), RowUse::weighted));
              },
          .in_slices = plan_of_rows<RmsNormConfig>("norm/rms", rms_norm),
      }),
      entry_of<RmsNormConfig>({
          .name = "norm/residual",
          .operation = "residual_norm",
          .summary = "adds a residual, and normalises each row of the sum by its RMS",
          .source = "Zhang and Sennrich, Root Mean Square Layer Normalization",
          .types = kRows,
          .fields = rms_norm_fields(),
          .defaults = usual_norm,
          .describe =
              [](const RmsNormConfig& config, const RowRequest& request) {
                return residual_norm(fitted_to_rows(config, cols_of(request), RowUse::weighted));
              },
          .in_slices = plan_of_rows<RmsNormConfig>("norm/residual", residual_norm),
      }),
      entry_of<RmsNormConfig>({
          .name = "norm/layer",
          .operation = "layer_norm",
          .summary =
              "normalises each row by its mean and standard deviation, with weights and bias",
          .source = "Ba, Kiros and Hinton, Layer Normalization",
          .types = kRows,
          .fields = rms_norm_fields(),
          .defaults = usual_norm,
          .describe =
              [](const RmsNormConfig& config, const RowRequest& request) {
                return layer_norm(fitted_to_rows(config, cols_of(request), RowUse::weighted));
              },
          .in_slices = plan_of_rows<RmsNormConfig>("norm/layer", layer_norm),
      }),
      entry_of<ThreadsConfig>({
          .name = "argmax/rows",
          .operation = "argmax",
          .summary = "finds the first largest element of each row in one pass over memory",
          .source = "numpy.argmax",
          .types = kRows,
          .fields = threads_fields<ThreadsConfig>(),
          .defaults = usual_threads,
          .describe =
              [](const ThreadsConfig& config, const RowRequest& request) {
                return argmax(fitted_to_argmax(config, cols_of(request)));
              },
          .in_slices = plan_of_rows<ThreadsConfig>("argmax/rows", argmax),
      }),
      entry_of<TopKConfig>({
          .name = "topk/rows",
          .operation = "topk",
          .summary = "finds the k largest elements of each row and their columns, in order",
          .source = "torch.topk",
          .types = {ScalarType::f32, ScalarType::f16, ScalarType::bf16},
          .fields = top_k_fields(),
          .defaults = usual_top_k,
          .describe =
              [](const TopKConfig& config, const RowRequest& request) {
                return top_k(fitted_to_rows(config, cols_of(request), RowUse::searched));
              },
          .in_slices = top_k_plan,
      }),
      entry_of<GateConfig>({
          .name = "gate/rows",
          .operation = "gate",
          .summary = "multiplies by silu or gelu of another array, as in SwiGLU and GEGLU",
          .source = "Shazeer, GLU Variants Improve Transformer",
          .types = kRows,
          .fields = gate_fields(),
          .defaults = usual_gate,
          .describe = [](const GateConfig& config, const RowRequest&) { return gate(config); },
      }),
      entry_of<EmbedConfig>({
          .name = "embed/rows",
          .operation = "embed",
          .summary = "looks up rows of a table by indices; rows outside the table are 0",
          .source = "numpy.take",
          .types = kReduced,
          .fields = embed_fields(),
          .defaults =
              [](const RowRequest& request) {
                return EmbedConfig{.type = request.form.type, .result = request.form.result};
              },
          .describe =
              [](const EmbedConfig& config, const RowRequest& request) {
                return embed(fitted(config, cols_of(request)));
              },
          .converts = true,
      }),
      entry_of<RopeConfig>({
          .name = "rope/rows",
          .operation = "rope",
          .summary = "rotates the pairs of each row by its position; heads of a token share sines",
          .source = "Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding",
          .types = kRows,
          .fields = rope_fields(),
          .defaults =
              [](const RowRequest& request) { return RopeConfig{.type = request.form.type}; },
          .describe = [](const RopeConfig& config, const RowRequest&) { return rope(config); },
      }),
  };
}

}  // namespace vkmoye::gen
