// SPDX-License-Identifier: MIT
#pragma once
// What all products in matrix units are told alike: the matrices of one product, and whose lanes hold them.
//
//   struct GemmThinCoopmatConfig : GemmAtom { .. };    atom_m, atom_n, atom_k, subgroup
//   static_cast<GemmAtom&>(config) = gemm_atom(form, device);

#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"

namespace vkmoye::gen {

struct GemmAtom {
  std::int64_t atom_m = 16, atom_n = 16, atom_k = 16;  // of one product of matrix units
  std::int64_t subgroup = 32;                          // lanes
};

/// Whether matrices of `shape` multiply the operands of `form` in subgroups, summed up in its accumulator.
bool multiplies(const MatrixShape& shape, const GemmForm& form);

/// The largest that the device has for products of `form`; where it has none, the usual ones.
GemmAtom gemm_atom(const GemmForm& form, const DeviceCaps& device);

/// `rest`, and before them what of GemmAtom `--NAME` can replace.
template <class Config>
std::vector<ConfigField<Config>> behind_atom_fields(std::vector<ConfigField<Config>> rest) {
  return joined<Config>(
      {numbers_field<Config>("atom", "MxNxK: of one product of matrix units, as the device has it",
                             {&Config::atom_m, &Config::atom_n, &Config::atom_k}),
       numbers_field<Config>("subgroup-size", "lanes of a subgroup, as the device has them",
                             {&Config::subgroup})},
      std::move(rest));
}

/// Adds every reason why no such kernel multiplies operands of `form`, which are to be among `operands`.
void require_matrix_types(const GemmForm& form, const std::vector<ScalarType>& operands,
                          std::vector<std::string>& reasons);

/// Adds a reason for each size that is no power of two up to `most`, or 128 lanes.
void require_atom(const GemmAtom& atom, std::int64_t most, std::vector<std::string>& reasons);

/// Adds a reason where lanes cannot hold as many elements each of a matrix of A, or of B.
void require_held_alike(const GemmAtom& atom, std::vector<std::string>& reasons);

}  // namespace vkmoye::gen
