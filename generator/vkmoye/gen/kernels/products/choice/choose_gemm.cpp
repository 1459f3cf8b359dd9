// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/choice/choose_gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/matrix_units/probe.hpp"
#include "vkmoye/gen/kernels/products/combine.hpp"
#include "vkmoye/gen/kernels/products/packed.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"

namespace vkmoye::gen {
namespace {

bool is_described(const GemmChoice& choice, const GemmProduct& product, const DeviceCaps& device) {
  try {
    choice.entry->describe(request_of(choice, product, device));
    return true;
  } catch (const KernelError&) {
    return false;
  }
}

// Why operands cannot be packed, as far as their fragment orders are known.
std::vector<std::string> reasons_against_packing(const GemmForm& product,
                                                 const KernelRequest& request) {
  std::vector<std::string> reasons;
  const GemmPackedConfig config = gemm_packed_config_of(request);
  for (const char use : {'a', 'b'}) {
    const PackedForm form = packed_form(config, product, use);
    const FragmentOrder* order = find_order(request.device, fragment_of(form));
    if (order == nullptr) continue;
    const OrderOrReason layout = fragment_layout(*order);
    if (!layout.layout) reasons.push_back(to_string(form) + ": " + layout.reason);
  }
  return reasons;
}

// The forms that satisfy the conditions of the entry.
std::vector<GemmForm> forms_of(const GemmTableEntry& entry, const KernelEntry& kernel) {
  GemmEpilogue epilogue;
  for (const std::string& name : entry.where.epilogue.value_or(std::vector<std::string>())) {
    if (const EpilogueOp* step = find_epilogue_op(name)) epilogue.push_back(*step);
  }
  std::vector<GemmTypes> types = entry.types;
  if (types.empty() && entry.where.weights.value_or(false)) {
    for (const WeightFormat& format : weight_formats()) {
      types.push_back({ScalarType::f16, kWeightType, ScalarType::f32, {}, &format});
    }
  }
  if (types.empty()) {
    for (const ScalarType type : kernel.types) {
      types.push_back({type, type, gemm_form(type).accumulator});
      if (type == ScalarType::f16) types.push_back({type, type, type});
    }
  }
  std::vector<GemmForm> forms;
  for (const GemmTypes& one : types) {
    for (int i = 0; i < 8; ++i) {
      GemmForm form{one.a, one.b, one.accumulator, one.result.value_or(one.accumulator)};
      form.weights = one.weights;
      form.a_k_contiguous = i % 2 == 0;
      form.b_k_contiguous = i / 2 % 2 == 0;
      form.beta = i / 4 == 1;
      form.has_experts = entry.where.experts.value_or(false);
      form.epilogue = epilogue;
      if (unmet(entry, form).empty()) forms.push_back(std::move(form));
    }
  }
  return forms;
}

}  // namespace

std::string GemmChoice::text() const {
  std::string out = entry->name;
  for (const auto& [name, value] : config) out += fmt::format(" --{} {}", name, value);
  if (slices > 1) out += fmt::format(" --split-k {}", slices);
  return out;
}

GemmChoice choice_of(const GemmTableEntry& entry, const GemmForm& form) {
  throw_if_any(entry.kernel, reasons_against_names(entry));
  GemmChoice choice;
  choice.entry = find_kernel(entry.kernel);
  choice.config = entry.options;
  if (const auto split = choice.config.extract("split-k"); split && !form.split_k) {
    const auto slices = parse_numbers(split.mapped(), 'x');
    if (!slices || slices->size() != 1 || slices->front() < 1) {
      throw KernelError(entry.kernel,
                        {not_read("split-k", split.mapped(), "a whole number from 1")});
    }
    choice.slices = slices->front();
  }
  choice.why = entry.why;
  return choice;
}

KernelRequest request_of(const GemmChoice& choice, const GemmProduct& product,
                         const DeviceCaps& device) {
  GemmProduct form = product;
  if (choice.slices > 1) static_cast<GemmForm&>(form) = form_of_slices(product);
  return {std::move(form), choice.config, device};
}

std::vector<std::string> reasons_against(const GemmChoice& choice, const GemmProduct& product,
                                         const DeviceCaps& device) {
  if (choice.slices > 1 && product.shape && (*product.shape)[2] < choice.slices) {
    return {
        fmt::format("k = {} cannot be split into {} slices", (*product.shape)[2], choice.slices)};
  }
  const KernelRequest request = request_of(choice, product, device);
  const auto reasons =
      choice.entry->refuse ? choice.entry->refuse(request) : std::vector<std::string>();
  const bool packs = choice.entry->takes_packed && choice.entry->weights == nullptr;
  if (reasons.empty() && packs) return reasons_against_packing(product, request);
  return reasons;
}

std::vector<std::string> reasons_against(const GemmTableEntry& entry, const DeviceCaps& device) {
  GemmChoice choice;
  try {
    choice = choice_of(entry, {});
  } catch (const KernelError& error) {
    return error.reasons;
  }
  std::vector<std::string> first;
  for (GemmForm& form : forms_of(entry, *choice.entry)) {
    auto reasons = reasons_against(choice, GemmProduct{std::move(form)}, device);
    if (reasons.empty()) return {};
    if (first.empty()) first = std::move(reasons);
  }
  if (first.empty()) first.emplace_back("its conditions exclude each other");
  return first;
}

GemmChoice choose_gemm(const GemmProduct& product, const DeviceCaps& device,
                       const std::vector<GemmTable>& tables, const GemmRefusal& refuse) {
  throw_if_any("gemm/auto",
               reasons_against_type(find_kernel("gemm/auto")->types, multiplied_type(product)));
  std::vector<const GemmTable*> all;
  for (const GemmTable& table : tables) all.push_back(&table);
  all.push_back(&shipped_gemm_table());

  std::vector<std::string> passed;
  std::vector<GemmChoice> refused;
  for (const GemmTable* table : all) {
    int place = 0;
    for (const GemmTableEntry& entry : table->entries) {
      ++place;
      if (!is_for_device(entry, device) || !is_for_types(entry, product)) continue;
      const std::string name =
          fmt::format("{}, row {}", table->name, entry.number > 0 ? entry.number : place);
      const auto pass = [&](const std::string& reason) {
        passed.push_back(fmt::format("{}: {}: {}", name, entry.kernel, reason));
      };
      if (const std::string reason = unmet(entry, product, device); !reason.empty()) {
        pass(reason);
        continue;
      }
      try {
        GemmChoice choice = choice_of(entry, product);
        choice.row = name;
        std::vector<std::string> reasons = reasons_against(choice, product, device);
        if (reasons.empty() && refuse) reasons = refuse(choice);
        if (reasons.empty()) {
          choice.passed = std::move(passed);
          return choice;
        }
        pass(join(reasons, "; "));
        refused.push_back(std::move(choice));
      } catch (const KernelError& error) {
        pass(join(error.reasons, "; "));
      }
    }
  }
  const auto described = std::find_if(refused.begin(), refused.end(), [&](const auto& choice) {
    return is_described(choice, product, device);
  });
  if (described == refused.end()) throw KernelError("gemm/auto", std::move(passed));
  described->passed = std::move(passed);
  return std::move(*described);
}

std::string no_options_of_a_choice(const Options& options, const GemmProduct& product,
                                   const DeviceCaps& device, const std::vector<GemmTable>& tables) {
  return fmt::format(
      "--{} is an option of the kernel that gemm/auto chooses, here {}; name that kernel to change "
      "it",
      options.begin()->first, choose_gemm(product, device, tables).text());
}

ir::Kernel gemm_auto(const GemmProduct& product, const DeviceCaps& device,
                     const std::vector<GemmTable>& tables) {
  std::optional<ir::Kernel> kernel;
  const GemmChoice choice =
      choose_gemm(product, device, tables, [&](const GemmChoice& one) -> std::vector<std::string> {
        if (one.is_plan())
          return {"it is a plan of several kernels, but a single kernel is requested"};
        kernel = one.entry->describe(request_of(one, product, device));
        auto reasons = reasons_against(ir::interface_of(*kernel), device);
        if (!reasons.empty()) kernel.reset();
        return reasons;
      });
  return kernel ? *std::move(kernel) : choice.entry->describe(request_of(choice, product, device));
}

}  // namespace vkmoye::gen
