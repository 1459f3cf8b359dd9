// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/mma.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

View operand(const TiledMma& mma, int mode, const View& view, const Expr& thread) {
  return partition(view, mma.operand(mode), thread_coordinates(mma.threads, thread)[mode]);
}

// One loop over each leaf of a shape, the first innermost; the variable of leaf i is `names[i]`.
struct LeafLoops {
  std::vector<std::string> names;
  std::vector<std::uint32_t> extents;

  LeafLoops(const Layout& values, std::vector<std::string> names_of_leaves)
      : names(std::move(names_of_leaves)) {
    for (const Mode& leaf : values.leaves()) {
      extents.push_back(to_index(leaf.extent));
    }
  }

  Expr index(std::size_t leaf) const {
    if (extents[leaf] == 1) return 0;
    return ir::variable(names[leaf], ir::kIndex, extents[leaf]);
  }

  ir::Body around(ir::Body body) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (extents[i] == 1) continue;
      body = ir::statements(ir::For{names[i], extents[i], std::move(body), ir::Unroll::always});
    }
    return body;
  }
};

// The register of `view` at one index for each leaf of its value shape.
ir::Element element_at(const View& view, const std::vector<Expr>& indices) {
  const View::Axis& axis = view.axes.front();
  Expr at = origin(axis);
  const auto leaves = axis.values.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    at = at + Expr(to_index(leaves[i].stride)) * indices[i];
  }
  return {view.array, {at}, view.name, 1};
}

// Loads `element` as `name` and returns its value converted to `type`.
Expr load(ir::Body& body, const std::string& name, const ir::Element& element,
          const ir::Array& array, ScalarType type) {
  body.emplace_back(ir::Load{name, element});
  return ir::convert(ir::variable(name, ir::element(array.type)), type);
}

std::vector<std::string> numbered(const std::string& name, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", name, i));
  return names;
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

ir::Block gemm_statements(const View& a, const ir::Array& a_array, const View& b,
                          const ir::Array& b_array, const View& c, const ir::Array& c_array) {
  const Layout& a_values = a.axes.front().values;
  const Layout& b_values = b.axes.front().values;
  const Layout& c_values = c.axes.front().values;
  const auto extent = [](const Layout& values, std::size_t leaf) {
    return values.leaves()[leaf].extent;
  };
  const bool ranks_fit = a_values.leaves().size() == 2 && b_values.leaves().size() == 2 &&
                         c_values.leaves().size() == 4;
  const bool fits = ranks_fit && extent(a_values, 0) == extent(c_values, 0) &&
                    extent(b_values, 0) == extent(c_values, 1) &&
                    extent(a_values, 1) == extent(c_values, 2) &&
                    extent(b_values, 1) == extent(c_values, 3);
  if (!fits) {
    throw LayoutError(fmt::format(
        "gemm_simt({}, {}, {}): the shapes {}, {}, {} are not (VM,RM), (VN,RN), "
        "((VM,VN),RM,RN)",
        a.name, b.name, c.name, to_string(a.shape()), to_string(b.shape()), to_string(c.shape())));
  }
  const LeafLoops rows(a_values, {"m0", "m1"}), columns(b_values, {"n0", "n1"});
  const Expr m0 = rows.index(0), m1 = rows.index(1);
  const Expr n0 = columns.index(0), n1 = columns.index(1);

  ir::Body inside;
  const Expr factor_a =
      load(inside, a.array + "_value", element_at(a, {m0, m1}), a_array, c_array.type);
  const Expr factor_b = load(inside, b.array + (b.array == a.array ? "_value2" : "_value"),
                             element_at(b, {n0, n1}), b_array, c_array.type);
  const ir::Element sum = element_at(c, {m0, n0, m1, n1});
  const Expr before = load(inside, c.array + "_value", sum, c_array, c_array.type);
  inside.emplace_back(ir::Store{sum, ir::multiply_add(factor_a, factor_b, before)});
  return {fmt::format("{} += {} * {}", c.name, a.name, b.name),
          columns.around(rows.around(std::move(inside)))};
}

ir::Block axpby_statements(const Expr& alpha, const View& x, const ir::Array& x_array,
                           const std::optional<Expr>& beta, const View& y,
                           const ir::Array& y_array) {
  if (x.shape() != y.shape()) {
    throw LayoutError(fmt::format("axpby({}, {}): the shapes {} and {} differ", x.name, y.name,
                                  to_string(x.shape()), to_string(y.shape())));
  }
  const Layout& values = x.axes.front().values;
  const LeafLoops loops(values, numbered("v", values.leaves().size()));
  std::vector<Expr> indices;
  for (std::size_t i = 0; i < loops.names.size(); ++i) indices.push_back(loops.index(i));

  ir::Body inside;
  const ir::Element to = element_at(y, indices);
  const ScalarType type = alpha->type.element;
  Expr sum =
      ir::multiply(alpha, load(inside, x.array + "_value", element_at(x, indices), x_array, type));
  if (beta) sum = ir::multiply_add(*beta, load(inside, y.array + "_value", to, y_array, type), sum);
  inside.emplace_back(ir::Store{to, ir::convert(sum, y_array.type)});
  return {fmt::format("{1} <- alpha * {0}{2}", x.name, y.name,
                      beta ? fmt::format(" + beta * {}", y.name) : ""),
          loops.around(std::move(inside))};
}

}  // namespace vkmoye::gen
