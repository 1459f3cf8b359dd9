#include "workloads/row_operations.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/reduction_rows.hpp"
#include "workloads/lines.hpp"
#include "workloads/row_reference.hpp"

namespace vkmoye::bench {
namespace {

gen::KernelRequest request_of(const LineQuestion& asked) {
  return {.type = asked.type, .options = asked.config, .shape = {{asked.rows, asked.cols}}};
}

Arguments rows_and_cols(const LineQuestion& asked) {
  return {{"rows", asked.rows}, {"cols", asked.cols}};
}

// One value of each row, or of each column, found by so many threads.
using DefineOne = Defined (*)(ScalarType, std::span<const double>, std::size_t threads);

LineOperation reduction(const LineQuestion& asked, DefineOne define) {
  if (asked.shape.size() > 2) {
    throw ArgumentError(fmt::format("a reduction takes rows and columns, {} has {} dimensions",
                                    shape_text(asked.shape), asked.shape.size()));
  }
  const gen::ReduceConfig config = gen::reduce_config_of(request_of(asked));
  const bool of_rows = config.axis == 1;
  const auto threads =
      static_cast<std::size_t>(of_rows ? config.columns : config.threads / config.columns);
  LineOperation out;
  out.lines = of_rows ? asked.rows : asked.cols;
  out.inputs = {of_rows ? rows_of("src", asked) : columns_of("src", asked)};
  out.output = {"dst", {out.lines}, 1, 1, 1};
  out.arguments = rows_and_cols(asked);
  out.define = [=, type = asked.type](std::span<const Line> in, std::span<Defined> result) {
    result[0] = define(type, in[0], threads);
  };
  return out;
}

LineOperation sum(const LineQuestion& asked) { return reduction(asked, defined_sum); }

LineOperation largest(const LineQuestion& asked) {
  LineOperation out = reduction(asked, [](ScalarType type, std::span<const double> x, std::size_t) {
    return defined_largest(type, x);
  });
  if (out.lines > 0 && out.inputs[0].length == 0) {
    throw ArgumentError(
        fmt::format("there is no largest of no values: the shape is {}", shape_text(asked.shape)));
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
  const auto threads = static_cast<std::size_t>(gen::softmax_config_of(request_of(asked)).columns);
  LineOperation out = of_rows(asked);
  out.define = [threads, type = asked.type](std::span<const Line> in, std::span<Defined> result) {
    define_softmax(type, in[0], threads, result);
  };
  return out;
}

LineOperation rms_norm(const LineQuestion& asked) {
  const gen::RmsNormConfig config = gen::rms_norm_config_of(request_of(asked));
  LineOperation out = of_rows(asked);
  out.inputs.push_back({"weight", {asked.cols}, asked.cols, 1, 0});
  out.define = [config](std::span<const Line> in, std::span<Defined> result) {
    define_rms_norm(config.type, in[0], in[1], config.epsilon,
                    static_cast<std::size_t>(config.columns), result);
  };
  return out;
}

}  // namespace

Operation sums() { return line_operation("sum", sum); }
Operation largest_elements() { return line_operation("max", largest); }
Operation softmaxes() { return line_operation("softmax", softmax); }
Operation norms() { return line_operation("rms_norm", rms_norm); }

}  // namespace vkmoye::bench
