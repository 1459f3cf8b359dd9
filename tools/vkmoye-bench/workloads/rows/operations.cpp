// SPDX-License-Identifier: MIT
#include "workloads/rows/operations.hpp"

#include <fmt/format.h>

#include "io/array_order.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/row_entries.hpp"
#include "workloads/rows/reference.hpp"
#include "workloads/rows/workload.hpp"

namespace vkmoye::bench {
namespace {

// What the kernel is described from on `device`.
gen::KernelRequest request_of(const LineQuestion& asked, const gen::Options& config,
                              const DeviceCaps& device) {
  return {
      .type = asked.type, .options = config, .shape = {{asked.rows, asked.cols}}, .device = device};
}

Arguments rows_and_cols(const LineQuestion& asked) {
  return {{"rows", asked.rows}, {"cols", asked.cols}};
}

// One value of each row, or of each column, found by so many threads.
using DefineOne = Defined (*)(ScalarType, std::span<const double>, std::size_t threads);

// As NumPy's axis of an array of one or two dimensions. One row is all that an array of one dimension
// has: its axis 0 is the kernel's axis 1, and the result a number.
LineOperation reduction(const LineQuestion& asked, DefineOne define) {
  const std::size_t rank = asked.shape.size();
  if (rank > 2) {
    throw ArgumentError(fmt::format("{} takes rows and columns, {} has {} dimensions", asked.kernel,
                                    shape_text(asked.shape), rank));
  }
  LineOperation out;
  gen::Options config = asked.config;
  const auto axis = config.find("axis");
  if (rank == 1 && axis != config.end()) {
    if (axis->second != "0") {
      throw ArgumentError(fmt::format("{}: axis {} of {}, which has one dimension: axis 0",
                                      asked.kernel, axis->second, shape_text(asked.shape)));
    }
    axis->second = "1";
    out.config = config;
  }
  const auto rows_are_meant = [&] {
    return gen::reduce_config_of(request_of(asked, config, common_device())).axis == 1;
  };
  if (asked.fortran_order) {  // axis 1 of the array is axis 0 of the one in memory
    config["axis"] = rows_are_meant() ? "0" : "1";
    out.config = config;
  }
  const bool of_rows = rows_are_meant();
  out.lines = of_rows ? asked.rows : asked.cols;
  out.inputs = {of_rows ? rows_of("src", asked) : columns_of("src", asked)};
  out.output = {"dst", {}, 1, 1, 1};
  if (rank == 2) out.output.shape = {out.lines};
  out.arguments = rows_and_cols(asked);
  out.definition = [=](const DeviceCaps& device) -> DefineLine {
    const gen::ReduceConfig used = gen::reduce_config_of(request_of(asked, config, device));
    const auto threads =
        static_cast<std::size_t>(of_rows ? used.columns : used.threads / used.columns);
    return [=, type = asked.type](std::span<const Line> in, std::span<Defined> result) {
      result[0] = define(type, in[0], threads);
    };
  };
  return out;
}

LineOperation sum(const LineQuestion& asked) { return reduction(asked, defined_sum); }

LineOperation largest(const LineQuestion& asked) {
  LineOperation out = reduction(asked, [](ScalarType type, std::span<const double> x, std::size_t) {
    return defined_largest(type, x);
  });
  if (out.lines > 0 && out.inputs[0].length == 0) {
    out.refusal =
        fmt::format("there is no largest of no values: the shape is {}",
                    shape_text(asked.fortran_order ? reversed(asked.shape) : asked.shape));
  }
  return out;
}

// A row for each row.
LineOperation of_rows(const LineQuestion& asked) {
  LineOperation out;
  out.lines = asked.rows;
  out.inputs = {rows_of("src", asked)};
  out.output = rows_of("dst", asked);
  out.arguments = rows_and_cols(asked);
  return out;
}

LineOperation softmax(const LineQuestion& asked) {
  LineOperation out = of_rows(asked);
  out.definition = [asked](const DeviceCaps& device) -> DefineLine {
    const auto threads = static_cast<std::size_t>(
        gen::softmax_config_of(request_of(asked, asked.config, device)).columns);
    return [threads, type = asked.type](std::span<const Line> in, std::span<Defined> result) {
      define_softmax(type, in[0], threads, result);
    };
  };
  return out;
}

LineOperation rms_norm(const LineQuestion& asked) {
  LineOperation out = of_rows(asked);
  out.inputs.push_back({"weight", {asked.cols}, asked.cols, 1, 0});
  out.definition = [asked](const DeviceCaps& device) -> DefineLine {
    const gen::RmsNormConfig config =
        gen::rms_norm_config_of(request_of(asked, asked.config, device));
    return [config](std::span<const Line> in, std::span<Defined> result) {
      define_rms_norm(config.type, in[0], in[1], config.epsilon,
                      static_cast<std::size_t>(config.columns), result);
    };
  };
  return out;
}

}  // namespace

Operation sums() { return line_operation("sum", sum, /*takes_fortran_order=*/true); }
Operation largest_elements() {
  return line_operation("max", largest, /*takes_fortran_order=*/true);
}
Operation softmaxes() { return line_operation("softmax", softmax); }
Operation norms() { return line_operation("rms_norm", rms_norm); }

}  // namespace vkmoye::bench
