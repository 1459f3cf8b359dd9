// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/parts/atom.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/matrix_units/probe.hpp"

namespace vkmoye::gen {
namespace {

// The types of operands and accumulators of matrix units.
constexpr struct {
  ScalarType operand, accumulator;
} kTypes[] = {
    {ScalarType::f16, ScalarType::f32},  {ScalarType::f16, ScalarType::f16},
    {ScalarType::bf16, ScalarType::f32}, {ScalarType::i8, ScalarType::i32},
    {ScalarType::u8, ScalarType::u32},
};

}  // namespace

bool multiplies(const MatrixShape& shape, const GemmForm& form) {
  return shape.a == ir::component_name(unit_type(form)) && shape.b == shape.a &&
         shape.c == ir::component_name(form.accumulator) && shape.result == shape.c &&
         shape.scope == "subgroup" && !shape.saturating;
}

MatrixAtom gemm_atom(const GemmForm& form, const DeviceCaps& device) {
  MatrixAtom atom;
  atom.subgroup_size = lanes_of_matrices(device);
  atom.atom_k = 32 / bytes_of(unit_type(form));
  // The largest: there are fewer of them, and they need no more registers.
  std::uint64_t largest = 0;
  for (const MatrixShape& shape : device.matrix_shapes) {
    const std::uint64_t products = std::uint64_t{shape.m} * shape.n * shape.k;
    if (!multiplies(shape, form) || products <= largest) continue;
    largest = products;
    atom.atom_m = shape.m;
    atom.atom_n = shape.n;
    atom.atom_k = shape.k;
  }
  return atom;
}

void require_matrix_types(const GemmForm& form, const std::vector<ScalarType>& operands,
                          std::vector<std::string>& reasons) {
  std::vector<std::string> supported;
  bool found = false;
  for (const auto& [operand, accumulator] : kTypes) {
    if (std::find(operands.begin(), operands.end(), operand) == operands.end()) continue;
    supported.push_back(
        fmt::format("{} with sums in {}", to_string(operand), to_string(accumulator)));
    found = found || (operand == unit_type(form) && accumulator == form.accumulator);
  }
  require(found,
          fmt::format("operands of {} with sums in {} are not supported; supported: {}",
                      operands_text(form), to_string(form.accumulator), join(supported, ", ")),
          reasons);
  const auto is_one_unit_type = [&](ScalarType type) {
    return type == unit_type(form) || (type == ScalarType::f32 && is_floating(unit_type(form)));
  };
  require(
      is_one_unit_type(form.a_type) && (is_one_unit_type(form.b_type) || form.weights != nullptr),
      fmt::format("operands of {}: they must have one type, or one of them must be f32",
                  operands_text(form)),
      reasons);
  require(
      unit_type(form) != ScalarType::bf16 || form.result != ScalarType::f16,
      "operands of bf16 and a result of f16: a shader can use only one 16-bit floating-point type",
      reasons);
}

void require_atom(const MatrixAtom& atom, std::int64_t most, std::vector<std::string>& reasons) {
  require_power_of_two("atom m", atom.atom_m, most, reasons);
  require_power_of_two("atom n", atom.atom_n, most, reasons);
  require_power_of_two("atom k", atom.atom_k, most, reasons);
  require_power_of_two("subgroup size", atom.subgroup_size, 128, reasons);
}

void require_even_distribution(const MatrixAtom& atom, std::vector<std::string>& reasons) {
  require_divides("subgroup size", atom.subgroup_size, atom.atom_m * atom.atom_k, reasons);
  require_divides("subgroup size", atom.subgroup_size, atom.atom_n * atom.atom_k, reasons);
}

}  // namespace vkmoye::gen
