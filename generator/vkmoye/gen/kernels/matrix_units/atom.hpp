// SPDX-License-Identifier: MIT
#pragma once
// Options shared by all kernels on matrix units: the sizes of the matrices that one instruction multiplies, and the
// subgroup size.
//
//   struct GemmThinCoopmatConfig : MatrixAtom { .. };    atom_m, atom_n, atom_k, subgroup_size

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

struct MatrixAtom {
  std::int64_t atom_m = 16, atom_n = 16, atom_k = 16;  // one product of the matrix units
  std::int64_t subgroup_size = 32;                     // lanes
  // Whether matrix units multiply atoms of B by those of A^T: sums are atoms of C^T, atom_n x atom_m.
  bool transposed = false;

  /// Whether one product of `shape` has these sizes.
  bool is(const MatrixShape& shape) const {
    return shape.m == (transposed ? atom_n : atom_m) && shape.n == (transposed ? atom_m : atom_n) &&
           shape.k == atom_k;
  }
};

/// Whether subgroups can multiply operands of type `operand` with matrices of `shape`, into sums of `accumulator`.
bool multiplies(const MatrixShape& shape, ScalarType operand, ScalarType accumulator);

/// The largest matrices that the device has for these types; if it has none, common ones.
MatrixAtom matrix_atom(ScalarType operand, ScalarType accumulator, const DeviceCaps& device);

/// Adds a reason for each size that is not a power of two up to `max`, or 128 for lanes.
void require_atom(const MatrixAtom& atom, std::int64_t max, std::vector<std::string>& reasons);

/// The fields of MatrixAtom that `--NAME` can replace, followed by `rest`.
template <class Config>
std::vector<ConfigField<Config>> with_atom_fields(std::vector<ConfigField<Config>> rest) {
  return joined<Config>(
      {numbers_field<Config>("atom", "MxNxK: matrix sizes of one product, supported by the device",
                             {&Config::atom_m, &Config::atom_n, &Config::atom_k}),
       numbers_field<Config>("subgroup-size", "lanes of a subgroup, supported by the device",
                             {&Config::subgroup_size})},
      std::move(rest));
}

/// Reads the `names` of `options`, which select the matrices, into `config`, before its other values are chosen for
/// them. Impossible matrices are left out; they are reported after all options have been parsed.
template <class Config>
void read_matrices(const std::vector<ConfigField<Config>>& fields, const Options& options,
                   std::initializer_list<const char*> names, Config& config) {
  Options of_matrices;
  for (const char* name : names) {
    if (const auto found = options.find(name); found != options.end()) of_matrices.insert(*found);
  }
  Config read = config;
  std::vector<std::string> reasons = read_fields(fields, of_matrices, read);
  require_atom(read, 64, reasons);
  if (reasons.empty()) config = read;
}

/// Adds a reason unless the elements of a matrix of A, of B and of sums divide evenly among the lanes.
void require_even_distribution(const MatrixAtom& atom, std::vector<std::string>& reasons);

}  // namespace vkmoye::gen
