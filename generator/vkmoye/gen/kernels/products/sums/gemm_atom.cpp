// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/sums/gemm_atom.hpp"

#include <fmt/format.h>

#include <algorithm>

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

void require_subgroup_counts(const GemmSubgroups& config, std::vector<std::string>& reasons) {
  require_power_of_two("subgroups m", config.subgroups_m, 32, reasons);
  require_power_of_two("subgroups n", config.subgroups_n, 32, reasons);
  require_power_of_two("subgroups k", config.subgroups_k, 32, reasons);
}

ir::MatrixType matrix_type(const MatrixAtom& atom, ir::MatrixType::Use operand) {
  using enum ir::MatrixType::Use;
  const std::uint32_t rows = to_index(operand == a ? atom.atom_m : atom.atom_n);
  const std::uint32_t depth = to_index(atom.atom_k);
  const bool is_first = (operand == a) != atom.transposed;
  return is_first ? ir::MatrixType{a, rows, depth} : ir::MatrixType{b, depth, rows};
}

Matrices operand_matrices(Builder& builder, const MatrixAtom& atom, ir::MatrixType::Use operand,
                          const std::string& name, ScalarType type, std::int64_t rows,
                          std::int64_t along_k) {
  const ir::MatrixType matrix = matrix_type(atom, operand);
  return matrix.use == ir::MatrixType::Use::a ? builder.matrices(name, type, matrix, rows, along_k)
                                              : builder.matrices(name, type, matrix, along_k, rows);
}

std::vector<std::string> reasons_against_matrices(const GemmForm& form, FormsOfKernel forms,
                                                  const MatrixAtom& atom, std::int64_t max,
                                                  const std::vector<ScalarType>& operands) {
  std::vector<std::string> reasons = reasons_against_form(form, forms);
  std::vector<std::string> supported;
  bool found = false;
  for (const auto& [operand, accumulator] : kTypes) {
    if (std::find(operands.begin(), operands.end(), operand) == operands.end()) continue;
    supported.push_back(
        fmt::format("{} with sums in {}", to_string(operand), to_string(accumulator)));
    found = found || (operand == multiplied_type(form) && accumulator == form.accumulator);
  }
  require(found,
          fmt::format("operands of {} with sums in {} are not supported; supported: {}",
                      operands_text(form), to_string(form.accumulator), join(supported, ", ")),
          reasons);
  const auto is_multiplied = [&](ScalarType type) {
    return type == multiplied_type(form) ||
           (type == ScalarType::f32 && is_floating(multiplied_type(form)));
  };
  require(is_multiplied(form.a_type) && (is_multiplied(form.b_type) || form.weights != nullptr),
          fmt::format("operands of {}: they must have one type, or one of them must be f32",
                      operands_text(form)),
          reasons);
  require(
      multiplied_type(form) != ScalarType::bf16 || form.result != ScalarType::f16,
      "operands of bf16 and a result of f16: a shader can use only one 16-bit floating-point type",
      reasons);
  require_atom(atom, max, reasons);
  return reasons;
}

}  // namespace vkmoye::gen
