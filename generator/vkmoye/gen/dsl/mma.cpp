// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/mma.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/value_loops.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

View operand(const TiledMma& mma, int mode, const View& view, const Expr& thread) {
  return partition(view, mma.operand(mode), thread_coordinates(mma.threads, thread)[mode]);
}

}  // namespace

View partition_A(const TiledMma& mma, const View& a, const Expr& thread) {
  return operand(mma, 0, a, thread);
}

View partition_B(const TiledMma& mma, const View& b, const Expr& thread) {
  return operand(mma, 1, b, thread);
}

View partition_C(const TiledMma& mma, const View& c, const Expr& thread) {
  return partition(c, mma.c, thread);
}

ir::Titled gemm_statements(const ArrayView& a, const ArrayView& b, const ArrayView& c) {
  const auto values = [](const ArrayView& of) { return of.view.axes.front().values.leaves(); };
  const auto rows = values(a), columns = values(b), sums = values(c);
  const bool ranks_fit = rows.size() == 2 && columns.size() == 2 && sums.size() == 4;
  const bool fits = ranks_fit && rows[0].extent == sums[0].extent &&
                    columns[0].extent == sums[1].extent && rows[1].extent == sums[2].extent &&
                    columns[1].extent == sums[3].extent;
  if (!fits) {
    throw LayoutError(
        fmt::format("gemm_simt({}, {}, {}): the shapes {}, {}, {} are not (VM,RM), "
                    "(VN,RN), ((VM,VN),RM,RN)",
                    a.view.name, b.view.name, c.view.name, to_string(a.view.shape()),
                    to_string(b.view.shape()), to_string(c.view.shape())));
  }
  // With the leaves of c: a has stride 0 along the columns, b along the rows.
  const auto with_leaves = [](ArrayView of, const std::vector<Mode>& modes) {
    std::vector<Layout> leaves;
    for (const Mode& mode : modes) leaves.emplace_back(mode.extent, mode.stride);
    of.view.axes.front().values = make_layout(leaves);
    return of;
  };
  const auto still = [](const Mode& mode) { return Mode{mode.extent, 0}; };
  const std::vector<ArrayView> operands = {
      with_leaves(a, {rows[0], still(columns[0]), rows[1], still(columns[1])}),
      with_leaves(b, {still(rows[0]), columns[0], still(rows[1]), columns[1]}), c};
  std::vector<ValueLoop> loops =
      loops_over(c.view.axes.front().values, {}, {"m0", "n0", "m1", "n1"});
  // Those over rows are inside those over columns.
  std::sort(loops.begin(), loops.end(),
            [](const ValueLoop& x, const ValueLoop& y) { return x.variable < y.variable; });
  const auto iteration = [&](ir::Body& body, const ir::Element& to, const std::vector<Expr>& x) {
    const ScalarType type = c.array->type;
    body.emplace_back(
        ir::Store{to, ir::multiply_add(ir::convert(x[0], type), ir::convert(x[1], type), x[2])});
  };
  return {fmt::format("{} += {} * {}", c.view.name, a.view.name, b.view.name),
          for_each_value(loops, c, operands, iteration)};
}

ir::Titled axpby_statements(const Expr& alpha, const ArrayView& x, const std::optional<Expr>& beta,
                            const ArrayView& y) {
  if (x.view.shape() != y.view.shape()) {
    throw LayoutError(fmt::format("axpby({}, {}): the shapes {} and {} differ", x.view.name,
                                  y.view.name, to_string(x.view.shape()),
                                  to_string(y.view.shape())));
  }
  const auto iteration = [&](ir::Body& body, const ir::Element& to, const std::vector<Expr>& from) {
    const ScalarType type = alpha->type.element;
    Expr sum = alpha * ir::convert(from[0], type);
    if (beta) sum = ir::multiply_add(*beta, ir::convert(from[1], type), sum);
    body.emplace_back(ir::Store{to, ir::convert(sum, y.array->type)});
  };
  const std::vector<ArrayView> operands = beta ? std::vector{x, y} : std::vector{x};
  return {fmt::format("{1} <- alpha * {0}{2}", x.view.name, y.view.name,
                      beta ? fmt::format(" + beta * {}", y.view.name) : ""),
          for_each_value(loops_over(y.view.axes.front().values, {}), y, operands, iteration)};
}

}  // namespace vkmoye::gen
