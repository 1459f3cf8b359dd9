// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/matrix_units/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

// Why a matrix of `component` cannot be probed; empty if it can.
std::string reason_against(const std::string& component, const ir::MatrixType& matrix,
                           const std::string& scope, std::uint32_t lanes) {
  if (scope != "subgroup") return "its scope is a " + scope + ", not a subgroup";
  using enum ScalarType;
  const auto type = ir::type_of_component(component);
  const auto is_moved = [&](ScalarType moved) {
    const bool is_sum = moved == f32 || moved == i32 || moved == u32;
    return moved == f16 || moved == bf16 || moved == i8 || moved == u8 ||
           (matrix.use == Use::accumulator && is_sum);
  };
  if (!type || !is_moved(*type)) {
    return "kernels cannot move single elements of " + component;
  }
  if (lanes == 0 || std::uint64_t{matrix.rows} * matrix.columns % lanes != 0) {
    return fmt::format("{} lanes do not divide its {} elements evenly", lanes,
                       std::uint64_t{matrix.rows} * matrix.columns);
  }
  return "";
}

static_assert(std::endian::native == std::endian::little);

char capital(char letter) { return static_cast<char>(letter - 'a' + 'A'); }

std::int64_t elements_of(const ProbedMatrix& probed) {
  return std::int64_t{probed.matrix.rows} * probed.matrix.columns;
}

}  // namespace

char letter_of(Use use) {
  switch (use) {
    case Use::a: return 'a';
    case Use::b: return 'b';
    case Use::accumulator: return 'c';
  }
  throw KernelError("matrix", {"its use is unknown"});
}

std::string to_string(const ProbedMatrix& probed) {
  return to_string(order_without_places(probed));
}

std::string to_string(const FragmentOrder& order) {
  return fmt::format("{} {}x{} {} in {} lanes", capital(order.use), order.rows, order.columns,
                     order.type, order.lanes);
}

std::uint32_t lanes_of_matrices(const DeviceCaps& caps) {
  const bool has_32 = caps.min_subgroup_size <= 32 && caps.max_subgroup_size >= 32;
  return has_32 ? 32 : caps.subgroup_size;
}

std::vector<MatrixOperand> matrix_operands(const DeviceCaps& caps) {
  std::vector<MatrixOperand> out;
  const std::uint32_t lanes = lanes_of_matrices(caps);
  const auto add = [&](const MatrixShape& shape, const std::string& component,
                       const ir::MatrixType& matrix) {
    MatrixOperand operand;
    operand.name = fmt::format("{} {}x{} {}", capital(letter_of(matrix.use)), matrix.rows,
                               matrix.columns, component);
    operand.why_not = reason_against(component, matrix, shape.scope, lanes);
    if (operand.why_not.empty()) {
      operand.probed = ProbedMatrix{*ir::type_of_component(component), matrix, lanes};
    }
    const bool is_known = std::any_of(out.begin(), out.end(), [&](const MatrixOperand& other) {
      return other.name == operand.name && other.why_not == operand.why_not;
    });
    if (!is_known) out.push_back(std::move(operand));
  };
  for (const MatrixShape& shape : caps.matrix_shapes) {
    add(shape, shape.a, {Use::a, shape.m, shape.k});
    add(shape, shape.b, {Use::b, shape.k, shape.n});
    add(shape, shape.c, {Use::accumulator, shape.m, shape.n});
  }
  return out;
}

const FragmentOrder* find_order(const DeviceCaps& device, const ProbedMatrix& probed) {
  const char use = letter_of(probed.matrix.use);
  const auto found = std::find_if(device.fragment_orders.begin(), device.fragment_orders.end(),
                                  [&](const FragmentOrder& order) {
                                    return order.use == use && order.lanes == probed.lanes &&
                                           order.type == ir::component_name(probed.type) &&
                                           order.rows == probed.matrix.rows &&
                                           order.columns == probed.matrix.columns;
                                  });
  return found == device.fragment_orders.end() ? nullptr : &*found;
}

FragmentOrder order_without_places(const ProbedMatrix& probed) {
  const ir::MatrixType& matrix = probed.matrix;
  return {letter_of(matrix.use), ir::component_name(probed.type), matrix.rows, matrix.columns,
          probed.lanes};
}

bool is_order(const FragmentOrder& order) {
  const std::uint64_t all = std::uint64_t{order.rows} * order.columns;
  if (order.places.size() != all || order.lanes == 0 || all % order.lanes != 0) return false;
  std::vector<std::uint32_t> sorted = order.places;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != i) return false;
  }
  return true;
}

ir::Kernel fragment_probe(const ProbedMatrix& probed) {
  const std::int64_t rows = probed.matrix.rows, columns = probed.matrix.columns;
  const std::int64_t all = elements_of(probed), held = all / probed.lanes;
  Builder builder("fragment_probe", probed.lanes, probed.lanes);
  builder.header({{"type", std::string(to_string(probed.type))},
                  {"matrix", std::to_string(rows) + "x" + std::to_string(columns)}},
                 "which rows and columns each lane holds, in its own order");
  const Tensor src =
      builder.input("src", probed.type, {{"column", columns}, {"row", rows}, {"which", 2}});
  const Tensor dst = builder.output("dst", probed.type, {{"at", all}, {"which", 2}});
  const Matrices matrix = builder.matrices("matrix", probed.type, probed.matrix, 1, 1);
  builder.assume_order(matrix, "the one that this kernel finds out");
  const TiledCopy by_lane =
      make_tiled_copy(make_layout({std::int64_t{probed.lanes}}), make_layout({held}));
  for (const std::uint32_t which : {0u, 1u}) {
    const View of_columns = slice(tile(src, {columns, rows, 1}, {0, 0, which}), {_, _, 0});
    const View of_lanes = slice(tile(dst, {all, 1}, {0, which}), {_, 0});
    builder.load(transpose(of_columns), matrix);
    builder.copy(builder.elements(matrix), partition(of_lanes, by_lane, builder.thread()),
                 {.edges = Edges::inside});
  }
  return builder.finish();
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

FragmentOrder probed_order(const ProbedMatrix& probed, std::span<const std::byte> dst) {
  const ir::MatrixType& matrix = probed.matrix;
  FragmentOrder order = order_without_places(probed);
  const auto all = static_cast<std::size_t>(elements_of(probed)), held = all / probed.lanes;
  const auto text = [&](std::size_t place) {
    return fmt::format("number {} of lane {}", place % held, place / held);
  };
  const std::size_t width = size_of(probed.type);
  const auto number = [&](std::size_t place) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &dst[place * width], width);
    return number_of(probed.type, bits);
  };
  // False for fractions, negative numbers and NaN.
  const auto is_below = [](double value, std::uint32_t extent) {
    return value >= 0 && value < extent && value == std::floor(value);
  };
  constexpr std::uint32_t kNone = 0xffffffff;
  std::vector<std::uint32_t> places(all, kNone);
  for (std::size_t place = 0; place < all; ++place) {
    const double of_row = number(place), of_column = number(all + place);
    if (!is_below(of_row, matrix.rows) || !is_below(of_column, matrix.columns)) {
      order.why_none = fmt::format("{} is row {} and column {}, which do not exist", text(place),
                                   of_row, of_column);
      return order;
    }
    const auto row = static_cast<std::uint32_t>(of_row);
    const auto column = static_cast<std::uint32_t>(of_column);
    std::uint32_t& of_element = places[row + matrix.rows * column];
    if (of_element != kNone) {
      order.why_none = fmt::format("lanes hold copies: element ({},{}) is {} and {}", row, column,
                                   text(of_element), text(place));
      return order;
    }
    of_element = static_cast<std::uint32_t>(place);
  }
  order.places = std::move(places);  // as many as there are elements, none twice
  return order;
}

}  // namespace vkmoye::gen
