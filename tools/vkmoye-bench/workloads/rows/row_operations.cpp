// SPDX-License-Identifier: MIT
#include "workloads/rows/row_operations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/array_order.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/row_entries.hpp"
#include "workloads/rows/reference.hpp"
#include "workloads/rows/workload.hpp"

namespace vkmoye::bench {
namespace {

// The request that the kernel is described with on `device`.
gen::KernelRequest request_of(const LineSpec& spec, const gen::Options& config,
                              const DeviceCaps& device) {
  return {
      .type = spec.type, .options = config, .shape = {{spec.rows, spec.cols}}, .device = device};
}

Arguments rows_and_cols(const LineSpec& spec) { return {{"rows", spec.rows}, {"cols", spec.cols}}; }

// Reduces each row or each column to one value, computed by a number of threads.
using DefineOne = Expected (*)(ScalarType, std::span<const double>, std::size_t threads);

// The axis is that of NumPy, for an array of one or two dimensions. A 1-D array is a single row: its axis 0 is
// axis 1 of the kernel, and the result is a scalar.
LineOperation reduction(const LineSpec& spec, DefineOne define) {
  const std::size_t rank = spec.shape.size();
  if (rank > 2) {
    throw ArgumentError(fmt::format("{} takes rows and columns, {} has {} dimensions", spec.kernel,
                                    shape_text(spec.shape), rank));
  }
  LineOperation out;
  gen::Options config = spec.config;
  const auto axis = config.find("axis");
  if (rank == 1 && axis != config.end()) {
    if (axis->second != "0") {
      throw ArgumentError(fmt::format("{}: axis {} of {}, which has only axis 0", spec.kernel,
                                      axis->second, shape_text(spec.shape)));
    }
    axis->second = "1";
    out.config = config;
  }
  const auto rows_are_meant = [&] {
    return gen::reduce_config_of(request_of(spec, config, common_device())).axis == 1;
  };
  if (spec.fortran_order) {  // axis 1 of the array is axis 0 of the one in memory
    config["axis"] = rows_are_meant() ? "0" : "1";
    out.config = config;
  }
  const bool of_rows = rows_are_meant();
  out.lines = of_rows ? spec.rows : spec.cols;
  out.inputs = {of_rows ? rows_of("src", spec) : columns_of("src", spec)};
  out.inputs[0].hard.masks = true;
  out.output = {"dst", {}, 1, 1, 1};
  if (rank == 2) out.output.shape = {out.lines};
  out.arguments = rows_and_cols(spec);
  out.definition = [=](const DeviceCaps& device) -> DefineLine {
    const gen::ReduceConfig used = gen::reduce_config_of(request_of(spec, config, device));
    const auto threads =
        static_cast<std::size_t>(of_rows ? used.columns : used.threads / used.columns);
    return [=, type = spec.type](std::span<const Line> in, std::span<Expected> result) {
      result[0] = define(type, in[0], threads);
    };
  };
  return out;
}

LineOperation sum(const LineSpec& spec) {
  LineOperation out = reduction(spec, defined_sum);
  out.output.type = gen::reduced_type(spec.type, gen::kSum);
  return out;
}

LineOperation largest(const LineSpec& spec) {
  LineOperation out = reduction(spec, [](ScalarType type, std::span<const double> x, std::size_t) {
    return defined_largest(type, x);
  });
  if (out.lines > 0 && out.inputs[0].length == 0) {
    out.refusal =
        fmt::format("there is no largest element of an empty row or column: the shape is {}",
                    shape_text(spec.fortran_order ? reversed(spec.shape) : spec.shape));
  }
  return out;
}

// Maps each row to a row.
LineOperation of_rows(const LineSpec& spec) {
  LineOperation out;
  out.lines = spec.rows;
  out.inputs = {rows_of("src", spec)};
  out.inputs[0].hard.masks = true;
  out.output = rows_of("dst", spec);
  out.arguments = rows_and_cols(spec);
  return out;
}

LineOperation softmax(const LineSpec& spec) {
  LineOperation out = of_rows(spec);
  out.definition = [spec](const DeviceCaps& device) -> DefineLine {
    const auto threads = static_cast<std::size_t>(
        gen::softmax_config_of(request_of(spec, spec.config, device)).columns);
    return [threads, type = spec.type](std::span<const Line> in, std::span<Expected> result) {
      define_softmax(type, in[0], threads, result);
    };
  };
  return out;
}

LineOperation rms_norm(const LineSpec& spec) {
  LineOperation out = of_rows(spec);
  out.inputs.push_back({"weight", {spec.cols}, spec.cols, 1, 0});
  out.definition = [spec](const DeviceCaps& device) -> DefineLine {
    const gen::RmsNormConfig config =
        gen::rms_norm_config_of(request_of(spec, spec.config, device));
    return [config](std::span<const Line> in, std::span<Expected> result) {
      define_rms_norm(config.type, in[0], in[1], config.epsilon,
                      static_cast<std::size_t>(config.columns), result);
    };
  };
  return out;
}

LineOperation residual_norm(const LineSpec& spec) {
  LineOperation out = of_rows(spec);
  out.inputs.push_back(rows_of("residual", spec));
  out.inputs.push_back({"weight", {spec.cols}, spec.cols, 1, 0});
  out.further_outputs = {rows_of("total", spec)};
  out.definition = [spec](const DeviceCaps& device) -> DefineLine {
    const gen::RmsNormConfig config =
        gen::rms_norm_config_of(request_of(spec, spec.config, device));
    return [config](std::span<const Line> in, std::span<Expected> result) {
      define_residual_norm(config.type, in[0], in[1], in[2], config.epsilon,
                           static_cast<std::size_t>(config.columns), result);
    };
  };
  return out;
}

LineOperation argmax(const LineSpec& spec) {
  LineOperation out = of_rows(spec);
  const Extents& shape = spec.shape;
  out.output = {"dst", {shape.begin(), shape.end() - 1}, 1, 1, 1, ScalarType::u32};
  out.definition = [](const DeviceCaps&) -> DefineLine {
    return [](std::span<const Line> in, std::span<Expected> result) {
      result[0] = {static_cast<double>(defined_column_of_largest(in[0])), 0};
    };
  };
  if (out.lines > 0 && spec.cols == 0) {
    out.refusal = fmt::format("there is no largest element of an empty row: the shape is {}",
                              shape_text(spec.shape));
  }
  return out;
}

LineOperation top_k(const LineSpec& spec) {
  LineOperation out = of_rows(spec);
  // The kernel refuses others.
  const std::int64_t k = std::max<std::int64_t>(
      0, gen::top_k_config_of(request_of(spec, spec.config, common_device())).k);
  Extents shape = spec.shape;
  shape.back() = k;
  out.further_outputs = {{"values", shape, k, 1, k}};
  out.output = {"columns", shape, k, 1, k, ScalarType::u32};
  out.definition = [type = spec.type](const DeviceCaps&) -> DefineLine {
    return [type](std::span<const Line> in, std::span<Expected> result) {
      define_largest(type, in[0], result);
    };
  };
  return out;
}

LineOperation gate(const LineSpec& spec) {
  LineOperation out = of_rows(spec);
  out.inputs.push_back(rows_of("gated", spec));
  out.definition = [spec](const DeviceCaps& device) -> DefineLine {
    const gen::GateConfig config = gen::gate_config_of(request_of(spec, spec.config, device));
    return [config](std::span<const Line> in, std::span<Expected> result) {
      define_gate(config, in[0], in[1], result);
    };
  };
  return out;
}

// src (.., tokens, heads, width), or (tokens, width); a line is a token.
LineOperation rotation(const LineSpec& spec) {
  const Extents& shape = spec.shape;
  const std::size_t rank = shape.size();
  if (rank < 2) {
    throw ArgumentError(fmt::format("{} takes tokens, heads and elements, {} has {} dimensions",
                                    spec.kernel, shape_text(shape), rank));
  }
  const Extents of_tokens(shape.begin(), shape.end() - (rank > 2 ? 2 : 1));
  const std::int64_t heads = rank > 2 ? shape[rank - 2] : 1, tokens = product(of_tokens);
  const std::int64_t pairs = spec.cols / 2, length = heads * 2 * pairs;
  Extents in_pairs = shape;
  in_pairs.back() = 2 * pairs;
  LineOperation out;
  out.lines = tokens;
  out.inputs = {
      {"src", in_pairs, length, 1, length},
      {"positions", of_tokens, 1, 1, 1, ScalarType::i32, {.largest = 0x1p20}},
      {"frequencies", {pairs}, pairs, 1, 0, ScalarType::f32, {.largest = 1, .nonfinite = false}}};
  out.output = {"dst", in_pairs, length, 1, length};
  out.arguments = {{"pairs", pairs}, {"heads", heads}, {"tokens", tokens}};
  out.kernel_shape = {{tokens, heads, spec.cols}};
  out.definition = [spec](const DeviceCaps& device) -> DefineLine {
    const gen::RopeConfig config = gen::rope_config_of(request_of(spec, spec.config, device));
    return [config](std::span<const Line> in, std::span<Expected> result) {
      define_rope(config, in[0], in[1][0], in[2], result);
    };
  };
  if (spec.cols % 2 != 0) {
    out.refusal = fmt::format("rows of {} elements are not pairs", spec.cols);
  }
  return out;
}

}  // namespace

Operation sum_operation() { return line_operation("sum", sum, /*takes_fortran_order=*/true); }
Operation max_operation() { return line_operation("max", largest, /*takes_fortran_order=*/true); }
Operation softmax_operation() { return line_operation("softmax", softmax); }
Operation rms_norm_operation() { return line_operation("rms_norm", rms_norm); }
Operation residual_norm_operation() { return line_operation("residual_norm", residual_norm); }
Operation argmax_operation() { return line_operation("argmax", argmax); }
Operation topk_operation() { return line_operation("topk", top_k); }
Operation gate_operation() { return line_operation("gate", gate); }
Operation rope_operation() {
  Operation out = line_operation("rope", rotation);
  out.size = {.text = "TOKENSxHEADSxWIDTH", .rank = 3, .example = {512, 32, 128}};
  out.suite_sizes = [](bool cpu, bool quick) {
    if (cpu) return std::vector<Extents>{{64, 32, 128}};
    if (quick) return std::vector<Extents>{{512, 32, 128}};
    return std::vector<Extents>{{1, 32, 128}, {512, 32, 128}, {4096, 32, 128}};
  };
  return out;
}

}  // namespace vkmoye::bench
