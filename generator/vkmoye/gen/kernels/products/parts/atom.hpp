// SPDX-License-Identifier: MIT
#pragma once
// Options shared by all products in matrix units: the size of the matrices, and the subgroup size.
//
//   struct GemmThinCoopmatConfig : MatrixAtom { .. };    atom_m, atom_n, atom_k, subgroup
//   static_cast<MatrixAtom&>(config) = gemm_atom(form, device);

#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::gen {

struct MatrixAtom {
  std::int64_t atom_m = 16, atom_n = 16, atom_k = 16;  // of one product of matrix units
  std::int64_t subgroup_size = 32;                     // lanes
};

/// Whether subgroups can multiply the operands of `form` with matrices of `shape`, into its accumulator.
bool multiplies(const MatrixShape& shape, const GemmForm& form);

/// The largest matrices that the device has for products of `form`; if it has none, common ones.
MatrixAtom gemm_atom(const GemmForm& form, const DeviceCaps& device);

/// The fields of MatrixAtom that `--NAME` can replace, followed by `rest`.
template <class Config>
std::vector<ConfigField<Config>> behind_atom_fields(std::vector<ConfigField<Config>> rest) {
  return joined<Config>(
      {numbers_field<Config>("atom", "MxNxK: matrix sizes of one product, supported by the device",
                             {&Config::atom_m, &Config::atom_n, &Config::atom_k}),
       numbers_field<Config>("subgroup-size", "lanes of a subgroup, supported by the device",
                             {&Config::subgroup_size})},
      std::move(rest));
}

/// Adds every reason why matrix units cannot multiply operands of `form`, whose types must be among
/// `operands`.
void require_matrix_types(const GemmForm& form, const std::vector<ScalarType>& operands,
                          std::vector<std::string>& reasons);

/// Adds a reason for each size that is not a power of two up to `most`, or 128 for lanes.
void require_atom(const MatrixAtom& atom, std::int64_t most, std::vector<std::string>& reasons);

/// Adds a reason unless the elements of a matrix of A, and of B, divide evenly among the lanes.
void require_even_distribution(const MatrixAtom& atom, std::vector<std::string>& reasons);

}  // namespace vkmoye::gen
