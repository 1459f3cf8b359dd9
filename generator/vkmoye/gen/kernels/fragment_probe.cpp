#include "vkmoye/gen/kernels/fragment_probe.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

std::optional<ScalarType> element_type(const std::string& component) {
  for (const ScalarType type : {ScalarType::f16, ScalarType::i8, ScalarType::u8}) {
    if (ir::component_name(type) == component) return type;
  }
  return std::nullopt;
}

std::int64_t elements_of(const ProbedMatrix& probed) {
  return std::int64_t{probed.matrix.rows} * probed.matrix.columns;
}

}  // namespace

std::vector<ProbedMatrix> probed_matrices(const DeviceCaps& caps) {
  std::vector<ProbedMatrix> out;
  const auto add = [&](const std::string& component, const ir::MatrixType& matrix) {
    const auto type = element_type(component);
    if (!type || std::uint64_t{matrix.rows} * matrix.columns % caps.subgroup_size != 0) return;
    const bool known = std::any_of(out.begin(), out.end(), [&](const ProbedMatrix& other) {
      return other.type == *type && other.matrix == matrix;
    });
    if (!known) out.push_back({*type, matrix, caps.subgroup_size});
  };
  for (const MatrixShape& shape : caps.matrix_shapes) {
    if (shape.scope != "subgroup") continue;
    add(shape.a, {Use::a, shape.m, shape.k});
    add(shape.b, {Use::b, shape.k, shape.n});
  }
  return out;
}

ir::Kernel fragment_probe(const ProbedMatrix& probed) {
  const std::int64_t rows = probed.matrix.rows, columns = probed.matrix.columns;
  const std::int64_t all = elements_of(probed), held = all / probed.lanes;
  Builder k("fragment_probe", probed.lanes, probed.lanes);
  k.describe({{"type", std::string(to_string(probed.type))},
              {"matrix", std::to_string(rows) + "x" + std::to_string(columns)}},
             "which rows and columns each lane holds, in its own order");
  const Tensor src =
      k.input("src", probed.type, {{"column", columns}, {"row", rows}, {"which", 2}});
  const Tensor dst = k.output("dst", ScalarType::i32, {{"at", all}, {"which", 2}});
  const Matrices matrix = k.matrices("matrix", probed.type, probed.matrix, 1, 1);
  const TiledCopy by_lane =
      make_tiled_copy(make_layout({std::int64_t{probed.lanes}}), make_layout({held}));
  for (const std::uint32_t which : {0u, 1u}) {
    const View of_columns = slice(tile(src, {columns, rows, 1}, {0, 0, which}), {_, _, 0});
    const View of_lanes = slice(tile(dst, {all, 1}, {0, which}), {_, 0});
    k.load(transpose(of_columns), matrix);
    k.copy(k.elements(matrix), partition(of_lanes, by_lane, k.thread()), {.edges = Edges::inside});
  }
  return k.finish();
}

std::vector<std::byte> probe_input(const ProbedMatrix& probed) {
  const std::size_t width = size_of(probed.type);
  std::vector<std::byte> out;
  for (const bool row : {true, false}) {
    for (std::uint32_t i = 0; i < probed.matrix.rows; ++i) {
      for (std::uint32_t j = 0; j < probed.matrix.columns; ++j) {
        const std::uint64_t bits = bits_of(probed.type, static_cast<double>(row ? i : j));
        for (std::size_t b = 0; b < width; ++b) {
          out.push_back(static_cast<std::byte>(bits >> (8 * b) & 0xff));
        }
      }
    }
  }
  return out;
}

FragmentOrder probed_order(const ProbedMatrix& probed, std::span<const std::int32_t> dst) {
  const ir::MatrixType& matrix = probed.matrix;
  FragmentOrder order{matrix.use == Use::a ? 'a' : 'b',
                      ir::component_name(probed.type),
                      matrix.rows,
                      matrix.columns,
                      probed.lanes,
                      {}};
  const auto all = static_cast<std::size_t>(elements_of(probed));
  constexpr std::uint32_t kNone = 0xffffffff;
  std::vector<std::uint32_t> places(all, kNone);
  for (std::size_t place = 0; place < all; ++place) {
    const auto row = static_cast<std::uint32_t>(dst[place]);
    const auto column = static_cast<std::uint32_t>(dst[all + place]);
    if (row >= matrix.rows || column >= matrix.columns) return order;
    places[row + matrix.rows * column] = static_cast<std::uint32_t>(place);
  }
  if (std::find(places.begin(), places.end(), kNone) == places.end()) order.places = places;
  return order;
}

}  // namespace vkmoye::gen
