// SPDX-License-Identifier: MIT
#pragma once
// The matrices that a device multiplies for the types of a product, and how subgroups share C.
//
//   GemmThinCoopmatConfig config;    derived from MatrixAtom
//   static_cast<MatrixAtom&>(config) = gemm_atom(form, device);
//
//   struct GemmCoopmatConfig : GemmSubgroups { .. };
//     2x2 of 32 lanes: 128 threads, each subgroup computes a quarter of the workgroup's part of C
//     2x2x2: 256 threads, two subgroups compute the same quarter and share k

#include <algorithm>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/matrix_units/atom.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::gen {

/// Whether subgroups can multiply the operands of `form` with matrices of `shape`, into its accumulator.
inline bool multiplies(const MatrixShape& shape, const GemmForm& form) {
  return multiplies(shape, multiplied_type(form), form.accumulator);
}

/// Whether matrix units of `device` multiply atoms of these sizes for products of `form`.
inline bool multiplies(const DeviceCaps& device, const MatrixAtom& atom, const GemmForm& form) {
  const auto& shapes = device.matrix_shapes;
  return std::any_of(shapes.begin(), shapes.end(), [&](const MatrixShape& shape) {
    return atom.is(shape) && multiplies(shape, form);
  });
}

/// The largest matrices that the device has for products of `form`; if it has none, common ones.
inline MatrixAtom gemm_atom(const GemmForm& form, const DeviceCaps& device) {
  return matrix_atom(multiplied_type(form), form.accumulator, device);
}

struct GemmSubgroups : MatrixAtom {
  std::int64_t subgroups_m = 2, subgroups_n = 2;  // per workgroup, along m and n
  std::int64_t subgroups_k = 1;  // subgroups that have the same part of C and share k

  std::int64_t threads() const { return subgroups_m * subgroups_n * subgroups_k * subgroup_size; }
};

/// The field `--subgroups` of such a config; `of_k`: how subgroups share k, for the help text.
template <class Config>
ConfigField<Config> subgroups_field(const std::string& of_k) {
  return numbers_field<Config>(
      "subgroups", "MxN or MxNxK: subgroups of a workgroup over (m, n), and " + of_k,
      {&Config::subgroups_m, &Config::subgroups_n, &Config::subgroups_k}, 'x', 1);
}

/// Adds a reason for each number of subgroups that is not a power of two up to 32.
void require_subgroup_counts(const GemmSubgroups& config, std::vector<std::string>& reasons);

/// The matrix of A or B, by `operand`, in one product of the matrix units; then as many as `rows` x `along_k`. If the
/// atom is transposed, B is the first operand of the matrix units.
ir::MatrixType matrix_type(const MatrixAtom& atom, ir::MatrixType::Use operand);
Matrices operand_matrices(Builder& builder, const MatrixAtom& atom, ir::MatrixType::Use operand,
                          const std::string& name, ScalarType type, std::int64_t rows,
                          std::int64_t along_k);

/// Every reason why a kernel that takes `forms` cannot compute products of `form` with atoms of at most `max` elements
/// along each side. The types of operands must be among `operands`.
std::vector<std::string> reasons_against_matrices(const GemmForm& form, FormsOfKernel forms,
                                                  const MatrixAtom& atom, std::int64_t max,
                                                  const std::vector<ScalarType>& operands = {
                                                      ScalarType::f16, ScalarType::bf16,
                                                      ScalarType::i8, ScalarType::u8});

}  // namespace vkmoye::gen
