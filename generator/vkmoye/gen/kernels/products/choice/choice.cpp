// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/choice/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/products/combine.hpp"
#include "vkmoye/gen/kernels/products/fragments/probe.hpp"
#include "vkmoye/gen/kernels/products/packed.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"

namespace vkmoye::gen {
namespace {

bool is_described(const GemmChoice& choice, const GemmQuestion& question,
                  const DeviceCaps& device) {
  try {
    choice.entry->describe(request_of(choice, question, device));
    return true;
  } catch (const KernelError&) {
    return false;
  }
}

// Why operands cannot be packed, as far as it is known.
std::vector<std::string> reasons_against_packing(const KernelRequest& request) {
  std::vector<std::string> reasons;
  const GemmPackedConfig config = gemm_packed_config_of(request);
  for (const char use : {'a', 'b'}) {
    const PackedForm form = packed_form(config, request.gemm, use);
    const FragmentOrder* order = find_order(request.device, fragment_of(form));
    if (order == nullptr) continue;
    const OrderOrReason layout = fragment_layout(*order);
    if (!layout.layout) reasons.push_back(to_string(form) + ": " + layout.reason);
  }
  return reasons;
}

// What the row may be asked for, sizes apart.
std::vector<GemmForm> forms_of(const GemmRow& row, const KernelEntry& entry) {
  std::vector<std::string> steps;  // of the epilogue that it is for
  for (const GemmCondition& condition : row.where) {
    if (condition.name == "epilogue") steps = split(condition.word, ',');
  }
  std::vector<GemmForm> forms;
  const auto add = [&](ScalarType a, ScalarType b, ScalarType accumulator, ScalarType result) {
    for (int i = 0; i < 8; ++i) {
      GemmForm form{a, b, accumulator, result, i % 2 == 0, i / 2 % 2 == 0, i / 4 == 1};
      for (const std::string& name : steps) {
        if (const GemmStep* step = find_gemm_step(name)) form.epilogue.push_back(*step);
      }
      if (unmet(row, form).empty()) forms.push_back(std::move(form));
    }
  };
  for (const std::string& types : row.types) {
    if (types == "*") {
      for (const ScalarType type : entry.types) {
        const ScalarType sum = gemm_form(type).accumulator;
        add(type, type, sum, sum);
        if (type == ScalarType::f16) add(type, type, type, type);
      }
    } else {
      const std::vector<std::string> names = split(types, ',');
      const std::vector<std::string> operands = split(names[0], '*');
      add(*parse_scalar_type(operands.front()), *parse_scalar_type(operands.back()),
          *parse_scalar_type(names[1]), *parse_scalar_type(names.back()));
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

GemmChoice choice_of(const GemmTable& table, const GemmRow& row, const GemmForm& form) {
  GemmChoice choice;
  choice.entry = find_kernel(row.kernel);
  choice.config = row.options;
  if (const auto split = choice.config.extract("split-k"); split && !form.split_k) {
    const auto slices = parse_numbers(split.mapped(), 'x');
    if (!slices || slices->size() != 1 || slices->front() < 1) {
      throw KernelError(row.kernel, {not_read("split-k", split.mapped(), "a whole number from 1")});
    }
    choice.slices = slices->front();
  }
  choice.row = fmt::format("{}, line {}", table.name, row.line);
  choice.why = row.why;
  return choice;
}

KernelRequest request_of(const GemmChoice& choice, const GemmQuestion& question,
                         const DeviceCaps& device) {
  return {.type = unit_type(question.form),
          .options = choice.config,
          .gemm = choice.slices > 1 ? form_of_slices(question.form) : question.form,
          .shape = question.shape,
          .device = device};
}

std::vector<std::string> reasons_against(const GemmChoice& choice, const GemmQuestion& question,
                                         const DeviceCaps& device) {
  if (choice.slices > 1 && question.shape && (*question.shape)[2] < choice.slices) {
    return {fmt::format("k = {} in {} slices", (*question.shape)[2], choice.slices)};
  }
  const KernelRequest request = request_of(choice, question, device);
  const auto reasons =
      choice.entry->refuse ? choice.entry->refuse(request) : std::vector<std::string>();
  if (reasons.empty() && choice.entry->takes_packed) return reasons_against_packing(request);
  return reasons;
}

std::vector<std::string> reasons_against(const GemmRow& row, const DeviceCaps& device) {
  GemmChoice choice;
  try {
    choice = choice_of({}, row, {});
  } catch (const KernelError& error) {
    return error.reasons;
  }
  std::vector<std::string> first;
  for (GemmForm& form : forms_of(row, *choice.entry)) {
    auto reasons = reasons_against(choice, GemmQuestion{std::move(form)}, device);
    if (reasons.empty()) return {};
    if (first.empty()) first = std::move(reasons);
  }
  if (first.empty()) first.emplace_back("its conditions exclude each other");
  return first;
}

GemmRefusal refusal_on(GemmQuestion question, DeviceCaps device) {
  return [question = std::move(question),
          device = std::move(device)](const GemmChoice& choice) -> std::vector<std::string> {
    try {
      const ir::Kernel kernel = choice.entry->describe(request_of(choice, question, device));
      return reasons_against(ir::interface_of(kernel), device);
    } catch (const KernelError& error) {
      return error.reasons;
    }
  };
}

GemmChoice choose_gemm(const GemmQuestion& question, const DeviceCaps& device,
                       const std::vector<GemmTable>& tables, const GemmRefusal& refuse) {
  throw_if_any("gemm/auto",
               reasons_against_type(find_kernel("gemm/auto")->types, unit_type(question.form)));
  std::vector<const GemmTable*> all;
  for (const GemmTable& table : tables) all.push_back(&table);
  all.push_back(&shipped_gemm_table());

  std::vector<std::string> passed;
  std::vector<GemmChoice> refused;
  for (const GemmTable* table : all) {
    for (const GemmRow& row : table->rows) {
      if (!is_for_device(row, device) || !is_for_types(row, question.form)) continue;
      const auto pass = [&](const std::string& reason) {
        passed.push_back(
            fmt::format("{}, line {}: {}: {}", table->name, row.line, row.kernel, reason));
      };
      if (const std::string reason = unmet(row, question, device); !reason.empty()) {
        pass(reason);
        continue;
      }
      try {
        GemmChoice choice = choice_of(*table, row, question.form);
        std::vector<std::string> reasons = reasons_against(choice, question, device);
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
    return is_described(choice, question, device);
  });
  if (described == refused.end()) throw KernelError("gemm/auto", std::move(passed));
  described->passed = std::move(passed);
  return std::move(*described);
}

std::string no_options_of_a_choice(const Options& options, const GemmQuestion& question,
                                   const DeviceCaps& device, const std::vector<GemmTable>& tables) {
  return fmt::format(
      "--{} is for the kernel that it chooses: here {}; name that kernel to change it",
      options.begin()->first, choose_gemm(question, device, tables).text());
}

ir::Kernel gemm_auto(const GemmQuestion& question, const DeviceCaps& device,
                     const std::vector<GemmTable>& tables) {
  std::optional<ir::Kernel> kernel;
  const GemmChoice choice =
      choose_gemm(question, device, tables, [&](const GemmChoice& one) -> std::vector<std::string> {
        if (one.is_plan()) return {"several kernels one after the other, one is asked for"};
        kernel = one.entry->describe(request_of(one, question, device));
        auto reasons = reasons_against(ir::interface_of(*kernel), device);
        if (!reasons.empty()) kernel.reset();
        return reasons;
      });
  return kernel ? *std::move(kernel) : choice.entry->describe(request_of(choice, question, device));
}

}  // namespace vkmoye::gen
