// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/matrix_units/atom.hpp"

#include <set>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/matrix_units/probe.hpp"

namespace vkmoye::gen {

bool multiplies(const MatrixShape& shape, ScalarType operand, ScalarType accumulator) {
  return shape.a == ir::component_name(operand) && shape.b == shape.a &&
         shape.c == ir::component_name(accumulator) && shape.result == shape.c &&
         shape.scope == "subgroup" && !shape.saturating;
}

MatrixAtom matrix_atom(ScalarType operand, ScalarType accumulator, const DeviceCaps& device) {
  MatrixAtom atom;
  atom.subgroup_size = lanes_of_matrices(device);
  atom.atom_k = 32 / bytes_of(operand);
  // The largest: there are fewer of them, and they need no more registers.
  std::uint64_t largest = 0;
  for (const MatrixShape& shape : device.matrix_shapes) {
    const std::uint64_t products = std::uint64_t{shape.m} * shape.n * shape.k;
    if (!multiplies(shape, operand, accumulator) || products <= largest) continue;
    largest = products;
    atom.atom_m = shape.m;
    atom.atom_n = shape.n;
    atom.atom_k = shape.k;
  }
  return atom;
}

void require_atom(const MatrixAtom& atom, std::int64_t max, std::vector<std::string>& reasons) {
  require_power_of_two("atom m", atom.atom_m, max, reasons);
  require_power_of_two("atom n", atom.atom_n, max, reasons);
  require_power_of_two("atom k", atom.atom_k, max, reasons);
  require_power_of_two("subgroup size", atom.subgroup_size, 128, reasons);
}

void require_even_distribution(const MatrixAtom& atom, std::vector<std::string>& reasons) {
  const std::set<std::int64_t> elements = {atom.atom_m * atom.atom_k, atom.atom_n * atom.atom_k,
                                           atom.atom_m * atom.atom_n};
  for (const std::int64_t count : elements) {
    require_divides("subgroup size", atom.subgroup_size, count, reasons);
  }
}

}  // namespace vkmoye::gen
