// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/choice/problem_plan.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/products/packed.hpp"
#include "vkmoye/gen/kernels/products/packing/packed_form.hpp"
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

// Sets the parts of C and the steps of k to those of the files, unless an option sets them.
KernelRequest as_files_have_it(const KernelEntry& entry, const KernelRequest& request,
                               const GemmOptions& product) {
  KernelRequest out = request;
  if (entry.weights != nullptr) {
    if (!product.files[1] || request.options.contains("tile")) return out;
    const GemmThinCoopmatConfig config = packed_weights_config_of(request);
    const std::int64_t rows = product.files[1]->form.block_rows();
    if (rows != config.tile_n) out.options["tile"] = fmt::format("{}x{}", config.tile_m, rows);
    return out;
  }
  GemmPackedConfig config = gemm_packed_config_of(request);
  for (const auto& file : product.files) {
    if (!file) continue;
    (file->form.use == 'a' ? config.part_m : config.part_n) = file->form.block_rows();
    config.steps = file->form.steps;
  }
  for (const auto& field : gemm_packed_fields()) {
    const bool is_of_files = field.name == "part" || field.name == "steps";
    if (is_of_files && !request.options.contains(field.name)) {
      out.options[field.name] = field.show(config);
    }
  }
  return out;
}

// Throws ArgumentError with every reason why this device cannot use the files.
void require_same_order(const GemmOptions& product, const std::array<OperandBlocks, 2>& operands,
                        const DeviceCaps& device) {
  std::vector<std::string> reasons;
  for (std::size_t which = 0; which < operands.size(); ++which) {
    if (!product.files[which]) continue;
    const OperandBlocks& x = operands[which];
    const PackedOperand& file = *product.files[which];
    const auto blocks = [](const PackedForm& form) {
      return fmt::format("{} in {} lanes", to_string(form), form.lanes);
    };
    const std::string where = fmt::format("packed {}", x.plain.name);
    if (file.form != x.form) {
      reasons.push_back(fmt::format("{} has blocks of {}, but the product needs {}", where,
                                    blocks(file.form), blocks(x.form)));
      continue;
    }
    const auto found = fragment_layout(device, fragment_of(x.form));
    if (!found.layout) {
      reasons.push_back(found.reason);
      continue;
    }
    const std::string fragment = to_string(*found.layout);
    const std::string block = to_string(block_layout(x.form, device));
    if (file.fragment != fragment) {
      reasons.push_back(fmt::format(
          "{} has fragments in the order {}, packed on {} ({}); {} ({}) "
          "has the order {}",
          where, file.fragment, file.device, file.driver, device.name, device.driver, fragment));
    } else if (file.block != block) {
      reasons.push_back(fmt::format("{} has blocks in the order {}, but the product needs {}",
                                    where, file.block, block));
    }
  }
  if (!reasons.empty()) throw ArgumentError(with_reasons("packed operands", reasons));
}

// Whether A (`which` 0) or B is packed before the timing starts.
bool is_packed_beforehand(const GemmOptions& product, std::size_t which) {
  return product.packed.find(which == 0 ? 'a' : 'b') != std::string::npos;
}

void require_sound(const char* what, const KernelEntry& entry, const KernelRequest& request) {
  const auto form = form_of_kind<GemmProduct>(request.form, what);
  throw_if_any(what, entry.weights != nullptr
                         ? reasons_against(packed_weights_config_of(request), form)
                         : reasons_against(gemm_packed_config_of(request), form));
}

// Why the matrices of the plan have no known order on the device.
std::vector<std::string> unknown_orders(const KernelEntry& entry, const KernelRequest& request) {
  std::vector<std::string> unknown;
  for (const ProbedMatrix& probed : entry.probes(request)) {
    const auto found = fragment_layout(request.device, probed);
    if (!found.layout) unknown.push_back(found.reason);
  }
  return unknown;
}

}  // namespace

GemmProduct product_of(const GemmOptions& options, const Extents& size) {
  return {options.form(), kernel_shape(options, size), options.batch};
}

GemmOptions options_by(const GemmChoice& choice, const GemmOptions& options) {
  GemmOptions cut = options;
  if (choice.slices > 1) cut.slices = choice.slices;
  return cut;
}

KernelPlan plan_of_product(const KernelEntry& entry, const KernelRequest& given,
                           const GemmProblem& problem, const PlanOptions& options) {
  const GemmOptions& product = problem.options();
  if (!entry.takes_packed) return gemm_plan(entry, given, product, problem.size);
  const std::vector<std::string> unknown =
      options.without_unknown_orders ? unknown_orders(entry, given) : std::vector<std::string>();
  const KernelRequest request = as_files_have_it(entry, given, product);
  if (product.files[0] || product.files[1]) {
    require_sound(entry.name.c_str(), entry, request);
    require_same_order(product, operand_blocks(entry, request, product, problem.size),
                       request.device);
  }
  GemmPlanOptions of_plan;
  std::size_t beforehand = 0;
  for (const std::size_t which : {0, 1}) {
    of_plan.comes_packed[which] = product.files[which].has_value();
    of_plan.packs_first[which] = is_packed_beforehand(product, which);
    if (of_plan.packs_first[which] && !of_plan.comes_packed[which]) ++beforehand;
  }
  of_plan.packs = unknown.empty();
  KernelPlan plan = gemm_plan(entry, request, product, problem.size, of_plan);
  if (unknown.empty()) {
    plan.beforehand = beforehand;
  } else {
    plan.left_out = {"the kernels that pack A and B: " + join(unknown, "; ")};
  }
  return plan;
}

ChosenPlan choose_plan(const KernelRequest& request, const GemmProblem& problem,
                       const PlanOptions& options) {
  const std::vector<GemmTable> none;
  const std::vector<GemmTable>& tables = options.tables == nullptr ? none : *options.tables;
  const GemmProduct product = product_of(problem.options(), problem.size);
  if (!request.options.empty()) {
    throw KernelError("gemm/auto",
                      {no_options_of_a_choice(request.options, product, request.device, tables)});
  }
  const auto plan_by = [&](const GemmChoice& choice) {
    const GemmProblem cut(options_by(choice, problem.options()), problem.size);
    return plan_of(*choice.entry, {cut.form, choice.config, request.device}, cut, options);
  };
  ChosenPlan chosen = choose_plan(product, request.device, tables, plan_by, options.refuse);
  const GemmChoice& choice = chosen.choice;
  chosen.plan.chosen = {{"kernel", choice.entry->name}};
  if (choice.slices > 1) {
    chosen.plan.chosen.emplace_back("split-k", std::to_string(choice.slices));
  }
  chosen.plan.why = {fmt::format("chosen: {} ({}): {}", choice.text(), choice.source, choice.why)};
  for (const std::string& passed : choice.passed) {
    chosen.plan.why.push_back("passed over: " + passed);
  }
  return chosen;
}

PackPlan pack_plan(const OperandToPack& given) {
  const KernelRequest& request = given.request;
  require_sound("pack", *given.entry, request);
  const std::size_t which = given.is_a ? 0 : 1;
  const OperandBlocks x = operand_blocks(*given.entry, request, given.product, given.size)[which];
  PackPlan out;
  out.plan = pack_plan(*given.entry, request, given.product, given.size, which);
  // Without a layout, describing the kernel has already failed.
  const auto fragment = fragment_layout(request.device, fragment_of(x.form));
  out.operand = {x.form,
                 x.rows,
                 x.k,
                 given.batch,
                 to_string(*fragment.layout),
                 to_string(block_layout(x.form, request.device)),
                 request.device.name,
                 request.device.driver};
  return out;
}

}  // namespace vkmoye::gen
