// SPDX-License-Identifier: MIT
#include "vkmoye/gen/machine/matrix.hpp"

namespace vkmoye::gen::machine {
namespace {

// The position of a scalar in a fragment, or of a vector among the vectors of a region.
struct LanePosition {
  std::size_t lane, number;
};

// Calls visit(place in the fragment, place of the vector, number in the vector) for each element of the region, for a
// subgroup of `lanes` lanes.
template <class Visit>
void for_each_element(const ir::MatrixRegion& region, ir::MatrixType::Use use, std::size_t lanes,
                      Visit visit) {
  const std::size_t width = region.first.width;
  const std::size_t side = region.by_columns ? region.rows : region.columns;  // adjacent elements
  for (std::size_t row = 0; row < region.rows; ++row) {
    for (std::size_t column = 0; column < region.columns; ++column) {
      const std::size_t element = use == ir::MatrixType::Use::b ? column * region.rows + row
                                                                : row * region.columns + column;
      const std::size_t at = region.by_columns ? column * side + row : row * side + column;
      visit(LanePosition{element % lanes, element / lanes},
            LanePosition{at / width % region.lanes, at / width / region.lanes}, at % width);
    }
  }
}

template <class Visit>
void for_each_subgroup(const Workgroup& workgroup, Visit visit) {
  for (std::size_t first = 0; first < workgroup.threads; first += workgroup.subgroup_size)
    visit(first);
}

// The elements of a subgroup's matrix in their order, converted to `to`.
std::vector<Value> elements(const Fragment& held, std::size_t first, std::size_t lanes,
                            const ir::Type& from, const ir::Type& to) {
  std::vector<Value> out;
  for (const Values& each : held) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const Value& bits = each.in(first + lane);
      out.push_back(bits ? Value(ir::converted(from, *bits, to)) : Value());
    }
  }
  return out;
}

}  // namespace

Fragment fragment_from_vectors(const ir::MatrixRegion& region, const std::vector<Values>& vectors,
                               ir::MatrixType::Use use, const Workgroup& workgroup) {
  const std::size_t lanes = workgroup.subgroup_size;
  Fragment out(std::size_t{region.rows} * region.columns / lanes,
               Values::different(workgroup.threads));
  for_each_subgroup(workgroup, [&](std::size_t first) {
    for_each_element(
        region, use, lanes, [&](LanePosition held, LanePosition in_memory, std::size_t scalar) {
          out[held.number].set(first + held.lane,
                               vectors[in_memory.number].in(first + in_memory.lane, scalar));
        });
  });
  return out;
}

std::vector<Values> vectors_from_fragment(const ir::MatrixRegion& region, const Fragment& held,
                                          ir::MatrixType::Use use, const Workgroup& workgroup) {
  const std::size_t lanes = workgroup.subgroup_size;
  std::vector<Values> out(region.vectors.size(),
                          Values::different(workgroup.threads, region.first.width));
  for_each_subgroup(workgroup, [&](std::size_t first) {
    for_each_element(region, use, lanes,
                     [&](LanePosition from, LanePosition in_memory, std::size_t scalar) {
                       out[in_memory.number].set(first + in_memory.lane, scalar,
                                                 held[from.number].in(first + from.lane));
                     });
  });
  return out;
}

Fragment product(const ir::Array& a_array, const Fragment& a, const ir::Array& b_array,
                 const Fragment& b, const ir::Array& c_array, const Fragment& c,
                 const Workgroup& workgroup) {
  const std::size_t lanes = workgroup.subgroup_size;
  const std::size_t rows = c_array.matrix->rows, columns = c_array.matrix->columns;
  const std::size_t depth = a_array.matrix->columns;
  const ir::Type type = ir::element(c_array.type);
  const ir::Expr number = ir::variable("a", type);
  const ir::Expr sum = ir::multiply_add(number, number, number);
  Fragment out(c.size(), Values::different(workgroup.threads));
  for_each_subgroup(workgroup, [&](std::size_t first) {
    const auto left = elements(a, first, lanes, ir::element(a_array.type), type);
    const auto right = elements(b, first, lanes, ir::element(b_array.type), type);
    const auto before = elements(c, first, lanes, type, type);
    for (std::size_t i = 0; i < rows * columns; ++i) {
      Value value = before[i];
      for (std::size_t k = 0; k < depth && value; ++k) {
        const Value &x = left[i / columns * depth + k], &y = right[i % columns * depth + k];
        if (!x || !y) {
          value.reset();
          break;
        }
        const ir::Bits operands[] = {*x, *y, *value};
        value = ir::evaluate(*sum, operands, workgroup.arithmetic);
      }
      out[i / lanes].set(first + i % lanes, value);
    }
  });
  return out;
}

}  // namespace vkmoye::gen::machine
