// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/row_entries.hpp"

#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/gen/kernels/rows/argmax.hpp"
#include "vkmoye/gen/kernels/rows/embed.hpp"
#include "vkmoye/gen/kernels/rows/rope.hpp"
#include "vkmoye/gen/kernels/rows/softmax.hpp"

namespace vkmoye::gen {
namespace {

const std::vector<ScalarType> kReduced = [] {
  using enum ScalarType;
  return std::vector{f32, f16, bf16, e4m3, e5m2, f64, i32, u32, i16, u16, i8, u8};
}();
const std::vector<ScalarType> kRows = {ScalarType::f32, ScalarType::f16, ScalarType::bf16,
                                       ScalarType::e4m3, ScalarType::e5m2};

std::optional<std::int64_t> cols_of(const KernelRequest& request) {
  return request.shape && !request.shape->empty() ? std::optional(request.shape->back())
                                                  : std::nullopt;
}

// The default configs.
ReduceConfig usual_reduce(const KernelRequest& request) {
  return reduce_config(request.type, request.device);
}
RmsNormConfig usual_norm(const KernelRequest& request) {
  return rms_norm_config(request.type, request.device);
}
ThreadsConfig usual_softmax(const KernelRequest& request) {
  return threads_config(request.type, request.device);
}
TopKConfig usual_top_k(const KernelRequest& request) {
  return top_k_config(request.type, request.device);
}
GateConfig usual_gate(const KernelRequest& request) {
  return gate_config(request.type, request.device);
}

// `usual` with the options of the request that it has.
template <class Config>
Config read(Config usual, const std::vector<ConfigField<Config>>& fields,
            const KernelRequest& request) {
  static_cast<void>(read_fields(fields, request.options, usual));
  return usual;
}

KernelEntry reduction(const char* name, const char* operation, const char* summary,
                      Reduction reduction) {
  return entry_of<ReduceConfig>(
      {name, operation, summary,
       "NVIDIA, Optimizing Parallel Reduction in CUDA; shuffles instead of shared memory", kReduced,
       reduce_fields(), usual_reduce,
       [=](const ReduceConfig& config, const KernelRequest& request) {
         return reduce(fitted(config, cols_of(request)), reduction, name);
       }});
}

}  // namespace

std::vector<KernelEntry> row_entries() {
  return {
      reduction("reduce/sum", "sum", "sums each row or column in one pass over memory", kSum),
      reduction("reduce/max", "max",
                "finds the maximum of each row or column in one pass over memory", kMaximum),
      entry_of<ThreadsConfig>(
          {"softmax/rows", "softmax",
           "computes the softmax of each row; rows that fit in registers are read once",
           "Milakov and Gimelshein, Online normalizer calculation for softmax: the safe softmax",
           kRows, threads_fields<ThreadsConfig>(), usual_softmax,
           [](const ThreadsConfig& config, const KernelRequest& request) {
             return softmax(fitted_to_rows(config, cols_of(request)));
           }}),
      entry_of<RmsNormConfig>(
          {"norm/rms", "rms_norm",
           "normalises each row by its RMS, with weights; rows that fit in registers are read once",
           "Zhang and Sennrich, Root Mean Square Layer Normalization", kRows, rms_norm_fields(),
           usual_norm,
           [](const RmsNormConfig& config, const KernelRequest& request) {
             return rms_norm(fitted_to_rows(config, cols_of(request)));
           }}),
      entry_of<RmsNormConfig>({
          .name = "norm/residual",
          .operation = "residual_norm",
          .summary = "adds a residual, and normalises each row of the sum by its RMS",
          .source = "Zhang and Sennrich, Root Mean Square Layer Normalization",
          .types = kRows,
          .fields = rms_norm_fields(),
          .defaults = usual_norm,
          .describe =
              [](const RmsNormConfig& config, const KernelRequest& request) {
                return residual_norm(fitted_to_rows(config, cols_of(request)));
              },
      }),
      entry_of<ThreadsConfig>({
          .name = "argmax/rows",
          .operation = "argmax",
          .summary = "finds the first largest element of each row; rows that fit in registers are "
                     "read once",
          .source = "numpy.argmax",
          .types = kRows,
          .fields = threads_fields<ThreadsConfig>(),
          .defaults = usual_softmax,
          .describe =
              [](const ThreadsConfig& config, const KernelRequest& request) {
                return argmax(fitted_to_rows(config, cols_of(request)));
              },
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
              [](const TopKConfig& config, const KernelRequest& request) {
                return top_k(fitted_to_rows(config, cols_of(request)));
              },
      }),
      entry_of<GateConfig>({
          .name = "gate/rows",
          .operation = "gate",
          .summary = "multiplies by silu or gelu of another array, as in SwiGLU and GEGLU",
          .source = "Shazeer, GLU Variants Improve Transformer",
          .types = kRows,
          .fields = gate_fields(),
          .defaults = usual_gate,
          .describe =
              [](const GateConfig& config, const KernelRequest& request) {
                return gate(fitted_to_rows(config, cols_of(request)));
              },
      }),
      entry_of<EmbedConfig>({
          .name = "embed/rows",
          .operation = "embed",
          .summary = "looks up rows of a table by indices; rows outside the table are 0",
          .source = "numpy.take",
          .types = kReduced,
          .fields = embed_fields(),
          .defaults =
              [](const KernelRequest& request) {
                return EmbedConfig{.type = request.type, .result = request.result};
              },
          .describe =
              [](const EmbedConfig& config, const KernelRequest& request) {
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
          .defaults = [](const KernelRequest& request) { return RopeConfig{.type = request.type}; },
          .describe = [](const RopeConfig& config, const KernelRequest&) { return rope(config); },
      }),
  };
}

ReduceConfig reduce_config_of(const KernelRequest& request) {
  return fitted(read(usual_reduce(request), reduce_fields(), request), cols_of(request));
}

RmsNormConfig rms_norm_config_of(const KernelRequest& request) {
  return fitted_to_rows(read(usual_norm(request), rms_norm_fields(), request), cols_of(request));
}

GateConfig gate_config_of(const KernelRequest& request) {
  return fitted_to_rows(read(usual_gate(request), gate_fields(), request), cols_of(request));
}

TopKConfig top_k_config_of(const KernelRequest& request) {
  return fitted_to_rows(read(usual_top_k(request), top_k_fields(), request), cols_of(request));
}

RopeConfig rope_config_of(const KernelRequest& request) {
  return read(RopeConfig{.type = request.type}, rope_fields(), request);
}

ThreadsConfig softmax_config_of(const KernelRequest& request) {
  return fitted_to_rows(read(usual_softmax(request), threads_fields<ThreadsConfig>(), request),
                        cols_of(request));
}

}  // namespace vkmoye::gen
