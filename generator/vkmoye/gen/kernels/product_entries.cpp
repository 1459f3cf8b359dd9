// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/entries.hpp"
#include "vkmoye/gen/kernels/products/choice/choose_gemm.hpp"
#include "vkmoye/gen/kernels/products/choice/problem_plan.hpp"
#include "vkmoye/gen/kernels/products/coopmat.hpp"
#include "vkmoye/gen/kernels/products/packed.hpp"
#include "vkmoye/gen/kernels/products/simt.hpp"
#include "vkmoye/gen/kernels/products/thin.hpp"
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

using ProductRequest = TypedRequest<GemmProduct>;

std::vector<ScalarType> types_of_simt() {
  return {ScalarType::f16, ScalarType::bf16, ScalarType::f32, ScalarType::f64, ScalarType::i32};
}

// `reasons`, and one more if the device has no workgroups of `threads`.
std::vector<std::string> with_thread_limit(std::vector<std::string> reasons, std::int64_t threads,
                                           const ProductRequest& request) {
  const std::uint32_t max_threads = request.device.max_workgroup_invocations;
  if (threads > max_threads) {
    reasons.push_back(fmt::format("{} threads, but the device has workgroups of at most {}",
                                  threads, max_threads));
  }
  return reasons;
}

// `reasons`, and more if the device cannot multiply the matrices of `config`, or has no such workgroups.
template <class Config>
std::vector<std::string> with_matrix_units(std::vector<std::string> reasons, const Config& config,
                                           const ProductRequest& request) {
  const GemmForm& form = request.form;
  if (!multiplies(request.device, config, form)) {
    reasons.push_back(fmt::format("the device does not multiply matrices {}x{}x{}{} of {} in {}",
                                  config.atom_m, config.atom_n, config.atom_k,
                                  config.transposed ? ", transposed," : "", operands_text(form),
                                  to_string(form.accumulator)));
  }
  return with_thread_limit(std::move(reasons), config.threads(), request);
}

std::int64_t threads_of(const GemmSimtConfig& config) { return size(config.threads); }
std::int64_t threads_of(const GemmThinConfig& config) { return config.threads; }

// What all products share is added to `parts`.
template <class Config>
KernelEntry product_entry(EntryParts<Config, GemmProduct> parts,
                          ir::Kernel (*kernel)(const Config&, const GemmForm&,
                                               const std::string&)) {
  parts.operation = "gemm";
  if (!parts.describe) {
    parts.describe = [kernel, name = std::string(parts.name)](const Config& config,
                                                              const ProductRequest& request) {
      return kernel(config, request.form, name);
    };
  }
  if (!parts.refuse) {
    parts.refuse = [](const Config& config, const ProductRequest& request) {
      std::vector<std::string> reasons = reasons_against(config, request.form);
      if constexpr (std::is_base_of_v<MatrixAtom, Config>) {
        return with_matrix_units(std::move(reasons), config, request);
      } else {
        return with_thread_limit(std::move(reasons), threads_of(config), request);
      }
    };
  }
  KernelEntry entry = entry_of(std::move(parts));
  entry.plan = [](const KernelEntry& self, const KernelRequest& request, const Problem& problem,
                  const PlanOptions& options) {
    return plan_of_product(self, request, as_product(problem, self.name), options);
  };
  return entry;
}

// The defaults that `choose` has for a form and its sizes.
template <class Config>
auto chosen_by(Config (*choose)(const GemmForm&, const std::optional<std::vector<std::int64_t>>&,
                                const DeviceCaps&)) {
  return [choose](const ProductRequest& request) {
    return choose(request.form, request.form.shape, request.device);
  };
}

KernelEntry simt_entry(const char* name, const char* summary, const char* source,
                       GemmSimtConfig (*defaults)(const ProductRequest&)) {
  return product_entry<GemmSimtConfig>({.name = name,
                                        .summary = summary,
                                        .source = source,
                                        .types = types_of_simt(),
                                        .fields = gemm_simt_fields(),
                                        .defaults = defaults},
                                       gemm_simt);
}

GemmSimtConfig moye_simple(const ProductRequest&) { return {}; }

GemmSimtConfig moye_prefetch(const ProductRequest&) {
  GemmSimtConfig config;
  config.threads = Layout(IntTuple{32, 8});
  config.pad_a = config.pad_b = 1;
  config.prefetch = true;
  return config;
}

GemmSimtConfig simt(const ProductRequest& request) {
  return gemm_simt_config(request.form, request.device);
}

KernelEntry thin_entry() {
  return product_entry<GemmThinConfig>(
      {.name = "gemm/thin",
       .summary = "multiplies few rows or few columns; reads the other operand once",
       .source = "KBLAS, dense matrix-vector products (ACM TOMS 42)",
       .types = types_of_simt(),
       .fields = gemm_thin_fields(),
       .defaults = chosen_by(gemm_thin_config)},
      gemm_thin);
}

KernelEntry quantised_entry() {
  return product_entry<GemmThinConfig>(
      {.name = "gemm/quantised",
       .summary = "multiplies few rows by weights of 4 or 8 bits in blocks: f16*q4_0,f32",
       .source = "ggml, block formats of GGUF files",
       .types = {ScalarType::f16, ScalarType::bf16},
       .fields = gemm_quantised_fields(),
       .defaults = chosen_by(gemm_quantised_config),
       .weights = find_weight_format("q4_0")},
      gemm_thin);
}

KernelEntry coopmat_entry() {
  return product_entry<GemmCoopmatConfig>(
      {.name = "gemm/coopmat",
       .summary = "multiplies on matrix units; tiles go through shared memory",
       .source = "GL_KHR_cooperative_matrix; CUTLASS, efficient GEMM",
       .types = {ScalarType::f16, ScalarType::bf16, ScalarType::i8, ScalarType::u8},
       .fields = gemm_coopmat_fields(),
       .defaults =
           [](const ProductRequest& request) {
             return gemm_coopmat_config(request.form, request.device);
           }},
      gemm_coopmat);
}

std::vector<ProbedMatrix> probes_of_packed(const GemmPackedConfig& config,
                                           const ProductRequest& request) {
  std::vector<ProbedMatrix> out;
  if (!reasons_against(config, request.form).empty()) return out;  // the kernel refuses it
  for (const char use : {'a', 'b'}) {
    out.push_back(fragment_of(packed_form(config, request.form, use)));
  }
  return out;
}

KernelEntry packed_entry() {
  return product_entry<GemmPackedConfig>(
      {.name = "gemm/packed",
       .summary = "multiplies on matrix units; operands in fragment order are read without shared "
                  "memory",
       .source = "GL_KHR_cooperative_matrix; CUTLASS, interleaved layouts",
       .types = {ScalarType::f16, ScalarType::bf16},
       .fields = gemm_packed_fields(),
       .defaults = chosen_by(gemm_packed_config),
       .probes = probes_of_packed,
       .takes_packed = true},
      gemm_packed);
}

// A product of few rows on matrix units; its config says where lanes read B.
KernelEntry thin_coopmat_entry(EntryParts<GemmThinCoopmatConfig, GemmProduct> parts) {
  using Config = GemmThinCoopmatConfig;
  const auto reasons = [](const Config& config, const ProductRequest& request) {
    std::vector<std::string> all = reasons_against(config, request.form);
    return all.empty() ? reasons_against_orders_on(request.device, config, request.form) : all;
  };
  parts.fields = gemm_thin_coopmat_fields();
  parts.describe = [reasons, name = parts.name](const Config& config,
                                                const ProductRequest& request) {
    throw_if_any(name, reasons(config, request));
    return gemm_thin_coopmat(config, request.form, name);
  };
  parts.refuse = [reasons](const Config& config, const ProductRequest& request) {
    return with_matrix_units(reasons(config, request), config, request);
  };
  parts.probes = [](const Config& config, const ProductRequest& request) {
    if (!reasons_against(config, request.form).empty()) return std::vector<ProbedMatrix>();
    return config.source == SourceOfB::packed_weights ? packed_weights_probes(config, request)
                                                      : probes(config, request.form);
  };
  return product_entry(std::move(parts), gemm_thin_coopmat);
}

KernelEntry thin_coopmat_entry() {
  return thin_coopmat_entry({
      .name = "gemm/thin_coopmat",
      .summary = "multiplies few rows or columns on matrix units; operands keep their order",
      .source = "GL_KHR_cooperative_matrix; CUTLASS, sliced-K reduction",
      .types = {ScalarType::f16, ScalarType::bf16, ScalarType::i8, ScalarType::u8},
      .defaults =
          [](const ProductRequest& request) {
            return gemm_thin_coopmat_config(request.form, request.device, request.options);
          },
  });
}

KernelEntry quantised_coopmat_entry() {
  return thin_coopmat_entry({
      .name = "gemm/quantised_coopmat",
      .summary = "multiplies few rows by weights of 4 or 8 bits in blocks on matrix units",
      .source = "ggml, block formats of GGUF files; Marlin, mixed-precision products (PPoPP 2025)",
      .types = {ScalarType::f16, ScalarType::bf16},
      .defaults = chosen_by(quantised_coopmat_config),
      .weights = find_weight_format("q4_0"),
  });
}

KernelEntry packed_weights_entry() {
  return thin_coopmat_entry({
      .name = "gemm/packed_weights",
      .summary =
          "multiplies up to some hundred rows by packed weights of 4 or 8 bits on matrix units",
      .source = "ggml, block formats of GGUF files; Marlin, mixed-precision products (PPoPP 2025)",
      .types = {ScalarType::f16, ScalarType::bf16},
      .defaults = packed_weights_config,
      .takes_packed = true,
      .weights = find_weight_format("q4_0"),
  });
}

// Describes a single kernel; workloads use the plan of products/choice/gemm_plan.hpp.
KernelEntry auto_entry() {
  KernelEntry entry;
  entry.name = "gemm/auto";
  entry.operation = "gemm";
  entry.summary =
      "chooses the kernel and its config for a device, types and sizes by expected times";
  entry.source = "choice/expected_time.hpp and shipped_table.cpp, or an entry found by tune";
  entry.types = {ScalarType::f16,  ScalarType::f32, ScalarType::f64, ScalarType::i32,
                 ScalarType::bf16, ScalarType::i8,  ScalarType::u8};
  entry.chooses = true;
  entry.describe = [types = entry.types](const KernelRequest& request) {
    const auto product = form_of_kind<GemmProduct>(request.form, "gemm/auto");
    std::vector<std::string> reasons = reasons_against_type(types, multiplied_type(product));
    if (!request.options.empty() && reasons.empty()) {
      reasons.push_back(no_options_of_a_choice(request.options, product, request.device));
    }
    throw_if_any("gemm/auto", std::move(reasons));
    return gemm_auto(product, request.device);
  };
  entry.plan = [](const KernelEntry&, const KernelRequest& request, const Problem& problem,
                  const PlanOptions& options) {
    return choose_plan(request, as_product(problem, "gemm/auto"), options).plan;
  };
  return entry;
}

}  // namespace

std::vector<KernelEntry> product_entries() {
  return {auto_entry(),
          simt_entry("gemm/moye_simple", "copies a tile of each operand, multiplies, and repeats",
                     "MoYe.jl, matrix multiplication tutorial", moye_simple),
          simt_entry("gemm/moye_prefetch",
                     "prefetches the next tiles into registers while it multiplies",
                     "MoYe.jl, TiledMMA tutorial", moye_prefetch),
          simt_entry("gemm/simt",
                     "multiplies with vectors, two shared tiles, and subgroups in a square",
                     "CUTLASS, efficient GEMM", simt),
          thin_entry(),
          quantised_entry(),
          quantised_coopmat_entry(),
          coopmat_entry(),
          thin_coopmat_entry(),
          packed_entry(),
          packed_weights_entry()};
}

}  // namespace vkmoye::gen
