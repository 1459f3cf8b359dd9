// SPDX-License-Identifier: MIT
#pragma once
// Options shared by products that split C among subgroups: the number of subgroups along m, n and k.
//
//   struct GemmCoopmatConfig : GemmSubgroups { .. };
//
//   2x2 of 32 lanes: 128 threads, each subgroup has a quarter of the workgroup's part of C
//   2x2x2: 256 threads, two subgroups have the same quarter and share k

#include <string>
#include <vector>

#include "vkmoye/gen/kernels/products/parts/gemm_atom.hpp"

namespace vkmoye::gen {

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

}  // namespace vkmoye::gen
