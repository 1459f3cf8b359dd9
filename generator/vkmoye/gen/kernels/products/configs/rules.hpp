// SPDX-License-Identifier: MIT
#pragma once
// What the configs of several products have in common: fields, and rules with their wording.

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"

namespace vkmoye::gen {

template <class Config>
ConfigField<Config> subgroup_size_field() {
  return numbers_field<Config>(
      "subgroup-size", "lanes of a subgroup, which the device must support (default: its own)",
      {&Config::subgroup_size});
}

template <class Config>
ConfigField<Config> shared_bytes_field() {
  return numbers_field<Config>("shared-bytes", "maximum number of bytes of shared memory",
                               {&Config::shared_bytes});
}

/// Adds a reason if B has no weights. `what`: what the kernel multiplies by.
inline void require_weights(const GemmForm& form, const char* what,
                            std::vector<std::string>& reasons) {
  require(form.weights != nullptr,
          fmt::format("B of {}: the kernel multiplies by {}, such as {}*q4_0,f32",
                      to_string(form.b_type), what, to_string(form.a_type)),
          reasons);
}

/// Adds a reason unless `blocks` blocks, which a thread reads at once, are one, or whole words of 32 bits.
inline void require_whole_words(std::int64_t blocks, const WeightFormat& format,
                                std::vector<std::string>& reasons) {
  require(blocks == 1 || blocks % blocks_of_pair(format) == 0,
          fmt::format("{} blocks of {} are not whole words of 4 bytes", blocks, format.name),
          reasons);
}

}  // namespace vkmoye::gen
