// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/parts/subgroups.hpp"

namespace vkmoye::gen {

void require_subgroup_counts(const GemmSubgroups& config, std::vector<std::string>& reasons) {
  require_power_of_two("subgroups m", config.subgroups_m, 32, reasons);
  require_power_of_two("subgroups n", config.subgroups_n, 32, reasons);
  require_power_of_two("subgroups k", config.subgroups_k, 32, reasons);
}

}  // namespace vkmoye::gen
