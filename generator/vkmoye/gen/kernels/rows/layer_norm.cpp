// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/layer_norm.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/rows/row_state.hpp"
#include "vkmoye/gen/kernels/rows/sum_of_squares.hpp"

namespace vkmoye::gen {
namespace {

using Values = RowState::Values;

constexpr ScalarType f32 = ScalarType::f32;

// Elements are multiplied by `element`, so that differences of them do not overflow, and sums of them by `sum`, so that
// those of 2^32 elements do not.
struct Units {
  double element, sum;
};

Expr times(const Expr& x, double unit) { return unit == 1 ? x : x * unit; }

Units units_of(ScalarType type) {
  const bool is_wide = type == f32 || type == ScalarType::bf16;
  return is_wide ? Units{0x1p-2, 0x1p-33} : Units{1, 1};
}

// The state of a row: {count, total}, then {deviations, squares ..}; see layer_norm.hpp.
class Moments {
 public:
  Moments(Builder& k, const RmsNormConfig& config)
      : k_(k),
        units_(units_of(config.type)),
        squares_(k, config.type, config.epsilon * units_.element * units_.element) {}

  std::vector<RowState::Part> parts() {
    const Expr zero = ir::number(f32, 0);
    std::vector<std::string> moments = squares_.arrays();
    moments.insert(moments.begin(), "slice_deviations");
    const auto shift = [this](const Values& of, const Values& own, const Values& merged) {
      k_.call("shift_moments", [&] {
        k_.with_title("moments <- those around the new centre",
                      [&] { shift_moments(of, own, merged); });
      });
    };
    return {{"total", kSum, zero, {"slice_counts", "slice_totals"}},
            {"moments", kSum, zero, moments, shift}};
  }

  // Loads the first element of each row.
  void load_first(const ThreadsConfig& config, const Tensor& src, const Expr& row_tile) {
    const View first = k_.registers("first", f32, Layout());
    k_.copy(line_values(k_, config, src, {0, row_tile}), first, {.edges = Edges::zero});
    first_ = k_.let("first_of_row", times(k_.load("first_element", first), units_.element));
  }

  // A step with the elements x at `places`, those below `cols`.
  void step(RowState& state, const View& x, const View& places, const Expr& cols) {
    const Values &total = state[0], &moments = state[1];
    // to <- to + function(x - from) for each x of the row, and count <- count + 1 if there is a count. A thread whose
    // elements are all of the row does not compare their columns.
    const auto each = [&](const View& value, const Expr& from, const auto& function,
                          const std::optional<View>& count = {}) {
      const View to = broadcast(value, x.shape());
      const auto plus = [&](const Expr& before, const Expr& off) {
        return before + times(function(k_.let("off", off)), units_.sum);
      };
      const auto number = [](double of) { return ir::number(f32, of); };
      const auto add_to_count = [&](const Expr& of) {
        if (count) k_.assign(*count, k_.load("count", *count) + of);
      };
      const auto add_all = [&] {
        k_.apply(
            to,
            [&](const Expr& before, const Expr& v) { return plus(before, difference(v, from)); },
            to, x);
        add_to_count(number(static_cast<double>(size(x.shape()))));
      };
      const auto add_those_of_the_row = [&] {
        k_.apply(to, places,
                 [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
                   const Expr is_inside = k_.let("is_inside", less(at[0], cols));
                   add_to_count(select(is_inside, number(1), number(0)));
                   return plus(v[0], select(is_inside, difference(v[1], from), number(0)));
                 },
                 {to, x});
      };
      k_.branch(k_.inside(places), "all are of the row", add_all, "", add_those_of_the_row);
    };
    const auto lead = [&] {
      k_.with_title("count += 1, total += x - first_of_row, for each x of the row", [&] {
        each(
            total[1], first_, [](const Expr& off) { return off; }, total[0]);
      });
    };
    const auto follow = [&] {
      const auto add_squares = [&](const Expr& off) {
        for (std::size_t i = 1; i < moments.size(); ++i) {
          const Expr sum = k_.load(fmt::format("squares{}", i), moments[i]);
          k_.assign(moments[i], squares_.plus_square(i - 1, sum, off, fmt::format("scaled{}", i)));
        }
        return off;
      };
      const Expr centre = centre_of("centre", total);
      k_.with_title("moments += x - centre and its squares, for each x of the row",
                    [&] { each(moments[0], centre, add_squares); });
    };
    state.step(lead, follow);
  }

  // How far each element is from the mean in units of the standard deviation, once the state is that of the row.
  std::function<Expr(const Expr& x)> normalised(const RowState& state) {
    const Expr count = k_.load("count", state[0][0]);
    const Expr centre = centre_of("centre", state[0]);
    const Expr off = k_.let("mean_off_centre",
                            times(k_.load("deviations", state[1][0]) / count, 1 / units_.sum));
    const InverseRoot root =
        squares_.inverse_root({state[1].begin() + 1, state[1].end()}, count, off);
    return [=, this](const Expr& x) { return root.times(k_, difference(x, centre) - off); };
  }

 private:
  Expr difference(const Expr& x, const Expr& from) {
    return k_.let_exact("difference", times(x, units_.element) - from);
  }

  // The mean up to rounding; of no elements, the first one.
  Expr centre_of(const std::string& name, const Values& total) {
    const Expr count = maximum(k_.load(name + "_count", total[0]), ir::number(f32, 1));
    const Expr mean = k_.load(name + "_total", total[1]) / count;
    return k_.let_exact(name, first_ + times(mean, 1 / units_.sum));
  }

  // Of n elements, each deviation grows by h, the old centre minus the new one; squares by 2 h deviations + n h^2.
  void shift_moments(const Values& of, const Values& own, const Values& merged) {
    const Expr count = k_.load("count", own[0]);
    const Expr h = k_.let_exact("h", centre_of("own", own) - centre_of("merged", merged));
    const Expr before = k_.load("deviations", of[0]);
    k_.assign(of[0], before + times(h, units_.sum) * count);
    for (std::size_t i = 1; i < of.size(); ++i) {
      const double scale = squares_.scale(i - 1);  // of the numbers that are squared
      const Expr scaled = scale == 1 ? h : k_.let(fmt::format("h{}", i), h * scale);
      const Expr squares = k_.load(fmt::format("squares{}", i), of[i]);
      const Expr twice = before * (2 * scale / units_.sum);
      k_.assign(of[i], squares + scaled * (twice + scaled * count));
    }
  }

  Builder& k_;
  Units units_;
  SumOfSquares squares_;
  Expr first_ = 0;  // element of the row, in their unit
};

}  // namespace

ir::Kernel layer_norm(const RmsNormConfig& wanted, const std::string& name, RowPart part) {
  const RmsNormConfig config = fitted_to_rows(wanted);
  Builder k = row_builder(name, config, rms_norm_fields(), reasons_against(config), part,
                          {"rows that fit stay in registers, longer ones are read twice",
                           "mean and variance of each slice of a row",
                           "combines the slices of a row; a workgroup has a block of the row"});
  const bool is_last = part != RowPart::slices;  // it writes the result
  const Tensor src = k.input("src", config.type, kRowAxes);
  Tensor weight, bias, dst;
  if (is_last) weight = k.input("weight", config.type, {{"col", "cols"}});
  if (is_last) bias = k.input("bias", config.type, {{"col", "cols"}});
  Moments moments(k, config);
  RowState state(k, config, part, moments.parts(), row_tile(k, part));
  if (is_last) dst = k.output("dst", config.type, kRowAxes);
  const Expr zero = ir::number(f32, 0);
  Row row(k, config, src, zero, part, state.slices());
  const View x = row.x();  // (value, round, 1)

  moments.load_first(config, src, row_tile(k, part));
  const TiledArray places = row.blocks_of(src);
  state.compute(row, [&](const Expr& block) {
    moments.step(state, x, places.part(row.at(block)), src.extent(0));
  });
  if (!is_last) return k.finish();

  const auto normalised = moments.normalised(state);
  TiledArray weights = row.blocks_of(weight), biases = row.blocks_of(bias),
             result = row.blocks_of(dst);
  const View w = weights.registers("w", f32);  // (value, round, 1), one after the other
  row.pass([&](const Expr& block) {
    weights.load({block}, w, zero);
    k.with_title("x <- (x - mean) / sqrt(variance + epsilon) * w", [&] {
      k.apply(
          x, [&](const Expr& v, const Expr& factor) { return normalised(v) * factor; }, x, w);
    });
    biases.load({block}, w, zero);
    k.with_title("x <- x + w, the bias", [&] {
      k.apply(
          x, [](const Expr& v, const Expr& term) { return v + term; }, x, w);
    });
    result.store(row.at(block), x);
  });
  return k.finish();
}

}  // namespace vkmoye::gen
