// SPDX-License-Identifier: MIT
#pragma once
// What the configs of several products have in common: fields, and rules with their wording.

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/arrays/groups.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"

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

/// Every reason why shaders cannot multiply and add single elements of these types.
inline std::vector<std::string> reasons_against_arithmetic(const GemmForm& form,
                                                           FormsOfKernel kernel = {}) {
  std::vector<std::string> reasons = reasons_against_form(form, kernel);
  require(are_multiplied(form.a_type, form.b_type),
          fmt::format("operands of {}: two different types must both be f16, bf16 or f32",
                      operands_text(form.a_type, form.b_type)),
          reasons);
  require(
      form.accumulator == ScalarType::f16 || form.accumulator == ScalarType::f32 ||
          form.accumulator == ScalarType::f64 || form.accumulator == ScalarType::i32,
      fmt::format("accumulator {}: it must be f16, f32, f64 or i32", to_string(form.accumulator)),
      reasons);
  return reasons;
}

/// Adds a reason if a tile has too many rows for groups of rows, and there are groups.
inline void require_tile_of_group(const GemmForm& form, std::int64_t tile_m,
                                  std::vector<std::string>& reasons) {
  if (form.grouped) require_within("tile m of a group of rows", tile_m, kMaxRowsOfTile, reasons);
}

/// Adds a reason if B has no weights. `what`: what the kernel multiplies by.
inline void require_weights(const GemmForm& form, const char* what,
                            std::vector<std::string>& reasons) {
  require(form.weights != nullptr,
          fmt::format("B of {}: the kernel multiplies by {}, such as {}*q4_0,f32",
                      to_string(form.b_type), what, to_string(form.a_type)),
          reasons);
}

/// Adds a reason unless `blocks` blocks, which a thread reads at once, are whole words of 32 bits.
inline void require_whole_words(std::int64_t blocks, const WeightFormat& format,
                                std::vector<std::string>& reasons) {
  require(blocks % blocks_of_pair(format) == 0,
          fmt::format("{} blocks of {} are not whole words of 4 bytes", blocks, format.name),
          reasons);
}

/// The config of a request for kernel `name`, by default that of `choose`. Throws KernelError for types and options
/// that it cannot have.
template <class Config>
Config config_of(const char* name, const KernelRequest& untyped,
                 const std::vector<ConfigField<Config>>& fields,
                 const std::function<Config(const TypedRequest<GemmProduct>&)>& choose) {
  const KernelEntry& entry = *find_kernel(name);
  const auto request = typed_request<GemmProduct>(name, entry.weights, untyped);
  throw_if_any(name, reasons_against_types(entry, request.form));
  Config config = choose(request);
  throw_if_any(name, read_fields(fields, request.options, config));
  throw_if_any(name, reasons_against(config, request.form));
  return config;
}

}  // namespace vkmoye::gen
