// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/rows/row_operations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/rows/gate.hpp"
#include "vkmoye/gen/kernels/rows/reduce.hpp"
#include "vkmoye/gen/kernels/rows/rms_norm.hpp"
#include "vkmoye/gen/kernels/rows/rope.hpp"
#include "vkmoye/gen/kernels/rows/top_k.hpp"
#include "vkmoye/gen/problems/rows/line_problem.hpp"
#include "vkmoye/gen/problems/rows/reference.hpp"

namespace vkmoye::gen {
namespace {

using Lines = std::span<const Line>;
using Results = std::span<Expected>;

// The values of `options` that state the problem. Describing the kernel reports options that cannot be read.
template <class Config>
Config stated_by(const std::vector<ConfigField<Config>>& fields, const Options& options) {
  Config config;
  static_cast<void>(read_fields(fields, options, config));
  return config;
}

Arguments sizes_of(const LineSpec& spec) { return {{"rows", spec.rows}, {"cols", spec.cols}}; }

// Reduces each row or each column to one value. The axis is that of NumPy, for an array of one or two dimensions. A 1-D
// array is a single row: its axis 0 is axis 1 of the kernel, and the result is a scalar.
LineProblem reduction(const LineSpec& spec) {
  const std::size_t rank = spec.shape.size();
  if (rank > 2) {
    throw ArgumentError(fmt::format("{} takes rows and columns, {} has {} dimensions", spec.kernel,
                                    shape_text(spec.shape), rank));
  }
  LineProblem out;
  Options options = spec.config;
  const auto axis = options.find("axis");
  if (rank == 1 && axis != options.end()) {
    if (axis->second != "0") {
      throw ArgumentError(fmt::format("{}: axis {} of {}, which has only axis 0", spec.kernel,
                                      axis->second, shape_text(spec.shape)));
    }
    axis->second = "1";
    out.kernel_options["axis"] = "1";
  }
  bool of_rows = stated_by(reduce_fields(), options).axis == 1;
  if (spec.fortran_order) {  // axis 1 of the array is axis 0 of the one in memory
    of_rows = !of_rows;
    out.kernel_options["axis"] = of_rows ? "1" : "0";
  }
  out.lines = of_rows ? spec.rows : spec.cols;
  out.inputs = {of_rows ? rows_of("src", spec) : columns_of("src", spec)};
  out.inputs[0].hard.masks = true;
  out.results = {{"dst", {}, 1, 1, 1}};
  if (rank == 2) out.results[0].shape = {out.lines};
  out.arguments = sizes_of(spec);
  return out;
}

LineProblem sum_problem(const LineSpec& spec) {
  LineProblem out = reduction(spec);
  out.results[0].type = reduced_type(spec.type, kSum);
  out.define = [type = spec.type](Lines in, Results result, std::size_t threads) {
    result[0] = defined_sum(type, in[0], threads);
  };
  return out;
}

LineProblem largest_problem(const LineSpec& spec) {
  LineProblem out = reduction(spec);
  out.define = [type = spec.type](Lines in, Results result, std::size_t) {
    result[0] = defined_largest(type, in[0]);
  };
  if (out.lines > 0 && out.inputs[0].length == 0) {
    out.refusal =
        fmt::format("there is no largest element of an empty row or column: the shape is {}",
                    shape_text(spec.fortran_order ? reversed(spec.shape) : spec.shape));
  }
  return out;
}

// Maps each row to a row.
LineProblem of_rows(const LineSpec& spec) {
  LineProblem out;
  out.lines = spec.rows;
  out.inputs = {rows_of("src", spec)};
  out.inputs[0].hard.masks = true;
  out.results = {rows_of("dst", spec)};
  out.arguments = sizes_of(spec);
  return out;
}

LineProblem softmax_problem(const LineSpec& spec) {
  LineProblem out = of_rows(spec);
  out.define = [type = spec.type](Lines in, Results result, std::size_t threads) {
    define_softmax(type, in[0], threads, result);
  };
  return out;
}

LineProblem rms_norm_problem(const LineSpec& spec) {
  const double epsilon = stated_by(rms_norm_fields(), spec.config).epsilon;
  LineProblem out = of_rows(spec);
  out.inputs.push_back(one_row("weight", spec.cols));
  out.define = [type = spec.type, epsilon](Lines in, Results result, std::size_t threads) {
    define_rms_norm(type, in[0], in[1], epsilon, threads, result);
  };
  return out;
}

LineProblem residual_norm_problem(const LineSpec& spec) {
  const double epsilon = stated_by(rms_norm_fields(), spec.config).epsilon;
  LineProblem out = of_rows(spec);
  out.inputs.push_back(rows_of("residual", spec));
  out.inputs.push_back(one_row("weight", spec.cols));
  out.results = {rows_of("total", spec), rows_of("dst", spec)};
  out.define = [type = spec.type, epsilon](Lines in, Results result, std::size_t threads) {
    define_residual_norm(type, in[0], in[1], in[2], epsilon, threads, result);
  };
  return out;
}

LineProblem layer_norm_problem(const LineSpec& spec) {
  const double epsilon = stated_by(rms_norm_fields(), spec.config).epsilon;
  LineProblem out = of_rows(spec);
  out.inputs.push_back(one_row("weight", spec.cols));
  out.inputs.push_back(one_row("bias", spec.cols));
  out.define = [type = spec.type, epsilon](Lines in, Results result, std::size_t threads) {
    define_layer_norm(type, in[0], in[1], in[2], epsilon, threads, result);
  };
  return out;
}

LineProblem argmax_problem(const LineSpec& spec) {
  LineProblem out = of_rows(spec);
  const Extents& shape = spec.shape;
  out.results = {{"dst", {shape.begin(), shape.end() - 1}, 1, 1, 1, ScalarType::u32}};
  out.define = [](Lines in, Results result, std::size_t) {
    result[0] = {static_cast<double>(defined_column_of_largest(in[0])), 0};
  };
  if (out.lines > 0 && spec.cols == 0) {
    out.refusal = fmt::format("there is no largest element of an empty row: the shape is {}",
                              shape_text(spec.shape));
  }
  return out;
}

LineProblem top_k_problem(const LineSpec& spec) {
  LineProblem out = of_rows(spec);
  // Describing the kernel refuses a k below 1.
  const auto k = std::max<std::int64_t>(0, stated_by(top_k_fields(), spec.config).k);
  Extents shape = spec.shape;
  shape.back() = k;
  out.results = {{"values", shape, k, 1, k}, {"columns", shape, k, 1, k, ScalarType::u32}};
  out.define = [type = spec.type](Lines in, Results result, std::size_t) {
    define_largest(type, in[0], result);
  };
  return out;
}

LineProblem gate_problem(const LineSpec& spec) {
  LineProblem out = of_rows(spec);
  out.inputs.push_back(rows_of("gated", spec));
  const GateFunction function = stated_by(gate_fields(), spec.config).function;
  out.define = [type = spec.type, function](Lines in, Results result, std::size_t) {
    define_gate(type, function, in[0], in[1], result);
  };
  return out;
}

// src (.., tokens, heads, width), or (tokens, width); a line is a token.
LineProblem rotation_problem(const LineSpec& spec) {
  const Extents& shape = spec.shape;
  const std::size_t rank = shape.size();
  if (rank < 2) {
    throw ArgumentError(fmt::format("{} takes tokens, heads and elements, {} has {} dimensions",
                                    spec.kernel, shape_text(shape), rank));
  }
  const Extents of_tokens(shape.begin(), shape.end() - (rank > 2 ? 2 : 1));
  const std::int64_t heads = rank > 2 ? shape[rank - 2] : 1, tokens = number_of_elements(of_tokens);
  const std::int64_t pairs = spec.cols / 2, length = heads * 2 * pairs;
  Extents in_pairs = shape;
  in_pairs.back() = 2 * pairs;
  LineProblem out;
  out.lines = tokens;
  out.inputs = {
      {"src", in_pairs, length, 1, length},
      {"positions", of_tokens, 1, 1, 1, ScalarType::i32, {.largest = 0x1p20}},
      {"frequencies", {pairs}, pairs, 1, 0, ScalarType::f32, {.largest = 1, .nonfinite = false}}};
  out.results = {{"dst", in_pairs, length, 1, length}};
  out.arguments = {{"pairs", pairs}, {"heads", heads}, {"tokens", tokens}};
  out.kernel_shape = {{tokens, heads, spec.cols}};
  const RopePairs of_pairs = stated_by(rope_fields(), spec.config).pairs;
  out.define = [type = spec.type, of_pairs](Lines in, Results result, std::size_t) {
    define_rope(type, of_pairs, in[0], in[1][0], in[2], result);
  };
  if (spec.cols % 2 != 0) {
    out.refusal = fmt::format("rows of {} elements are not pairs", spec.cols);
  }
  return out;
}

// Takes matrices in Fortran order.
Operation reduction_operation(const char* name, LineProblem (*make)(const LineSpec&)) {
  Operation out = line_operation(name, make);
  out.takes_fortran_order = [](const GivenArray& array, std::size_t place) {
    return place == 0 && array.shape.size() == 2;
  };
  return out;
}

Operation rope_operation() {
  Operation out =
      line_operation("rope", rotation_problem,
                     {.text = "TOKENSxHEADSxWIDTH", .rank = 3, .example = {512, 32, 128}});
  out.suite_sizes = [](bool cpu, bool quick) -> std::vector<Extents> {
    if (cpu) return {{64, 32, 128}};
    if (quick) return {{512, 32, 128}};
    return {{1, 32, 128}, {512, 32, 128}, {4096, 32, 128}};
  };
  return out;
}

}  // namespace

std::vector<Operation> row_operations() {
  return {reduction_operation("sum", sum_problem),
          reduction_operation("max", largest_problem),
          line_operation("softmax", softmax_problem),
          line_operation("rms_norm", rms_norm_problem),
          line_operation("residual_norm", residual_norm_problem),
          line_operation("layer_norm", layer_norm_problem),
          line_operation("argmax", argmax_problem),
          line_operation("topk", top_k_problem),
          line_operation("gate", gate_problem),
          rope_operation()};
}

}  // namespace vkmoye::gen
