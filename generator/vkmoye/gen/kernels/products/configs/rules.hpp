// SPDX-License-Identifier: MIT
#pragma once
// What the configs of several products have in common: fields, and rules with their wording.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"
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
std::vector<std::string> reasons_against_arithmetic(const GemmForm& form,
                                                    FormsOfKernel kernel = {});

/// Adds a reason if a tile has too many rows for experts, and there are experts.
void require_tile_of_expert(const GemmForm& form, std::int64_t tile_m,
                            std::vector<std::string>& reasons);

/// Adds a reason if B has no weights. `what`: what the kernel multiplies by.
void require_weights(const GemmForm& form, const char* what, std::vector<std::string>& reasons);

/// Adds a reason unless `blocks` blocks, which a thread reads at once, are one, or whole words of 32 bits.
void require_whole_words(std::int64_t blocks, const WeightFormat& format,
                         std::vector<std::string>& reasons);

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
