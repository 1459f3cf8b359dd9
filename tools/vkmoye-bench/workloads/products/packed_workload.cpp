// SPDX-License-Identifier: MIT
#include "workloads/products/packed_workload.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/products/packed.hpp"
#include "vkmoye/gen/kernels/products/parts/packed_form.hpp"
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::bench {
namespace {

// Sets the parts of C and the steps of k to those of the files, unless an option sets them.
gen::KernelRequest as_files_have_it(const gen::KernelEntry& entry,
                                    const gen::KernelRequest& request, const GemmProblem& problem) {
  gen::KernelRequest out = request;
  if (entry.weights != nullptr) {
    if (!problem.files[1] || request.options.contains("tile")) return out;
    const std::int64_t tile_m = gen::packed_weights_config_of(request).tile_m;
    out.options["tile"] = fmt::format("{}x{}", tile_m, problem.files[1]->form.block_rows());
    return out;
  }
  gen::GemmPackedConfig config = gen::gemm_packed_config_of(request);
  for (const auto& file : problem.files) {
    if (!file) continue;
    (file->form.use == 'a' ? config.part_m : config.part_n) = file->form.block_rows();
    config.steps = file->form.steps;
  }
  for (const auto& field : gen::gemm_packed_fields()) {
    const bool is_of_files = field.name == "part" || field.name == "steps";
    if (is_of_files && !request.options.contains(field.name)) {
      out.options[field.name] = field.show(config);
    }
  }
  return out;
}

// Throws ArgumentError with every reason why this device cannot use the files.
void require_same_order(const GemmProblem& problem,
                        const std::array<gen::OperandBlocks, 2>& operands,
                        const DeviceCaps& device) {
  std::vector<std::string> reasons;
  for (std::size_t which = 0; which < operands.size(); ++which) {
    if (!problem.files[which]) continue;
    const gen::OperandBlocks& x = operands[which];
    const PackedOperand& file = *problem.files[which];
    const auto blocks = [](const gen::PackedForm& form) {
      return fmt::format("{} in {} lanes", gen::to_string(form), form.lanes);
    };
    const std::string where = fmt::format("packed {}", x.plain.name);
    if (file.form != x.form) {
      reasons.push_back(fmt::format("{} has blocks of {}, but the product needs {}", where,
                                    blocks(file.form), blocks(x.form)));
      continue;
    }
    const auto found = gen::fragment_layout(device, gen::fragment_of(x.form));
    if (!found.layout) {
      reasons.push_back(found.reason);
      continue;
    }
    const std::string fragment = to_string(*found.layout);
    const std::string block = to_string(gen::block_layout(x.form, device));
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

}  // namespace

bool is_packed_beforehand(const GemmProblem& problem, std::size_t which) {
  return problem.packed.find(which == 0 ? 'a' : 'b') != std::string::npos;
}

namespace {

void require_sound(const char* what, const gen::KernelEntry& entry,
                   const gen::KernelRequest& request) {
  throw_if_any(what,
               entry.weights != nullptr
                   ? gen::reasons_against(gen::packed_weights_config_of(request), request.gemm)
                   : gen::reasons_against(gen::gemm_packed_config_of(request), request.gemm));
}

}  // namespace

std::vector<gen::ProbedMatrix> packed_probes(const gen::KernelEntry& entry,
                                             const gen::KernelRequest& request) {
  if (entry.probes) return entry.probes(request);
  const gen::GemmPackedConfig config = gen::gemm_packed_config_of(request);
  std::vector<gen::ProbedMatrix> out;
  if (!gen::reasons_against(config, request.gemm).empty()) return out;  // the kernel refuses it
  for (const char use : {'a', 'b'}) {
    out.push_back(gen::fragment_of(gen::packed_form(config, request.gemm, use)));
  }
  return out;
}

gen::KernelPlan packed_plan(const gen::KernelEntry& entry, const gen::KernelRequest& asked,
                            const GemmProblem& problem, const Extents& size, bool packs) {
  const gen::KernelRequest request = as_files_have_it(entry, asked, problem);
  if (problem.files[0] || problem.files[1]) {
    require_sound(entry.name.c_str(), entry, request);
    require_same_order(problem, gen::operand_blocks(entry, request, problem, size), request.device);
  }
  gen::GemmPlanOptions options;
  for (const std::size_t which : {0, 1}) {
    options.comes_packed[which] = problem.files[which].has_value();
    options.packs_first[which] = is_packed_beforehand(problem, which);
  }
  options.packs = packs;
  return gen::gemm_plan(entry, request, problem, size, options);
}

PackPlan pack_plan(const OperandToPack& given) {
  const gen::KernelRequest& request = given.request;
  require_sound("pack", *given.entry, request);
  const std::size_t which = given.is_a ? 0 : 1;
  const gen::OperandBlocks x =
      gen::operand_blocks(*given.entry, request, given.problem, given.size)[which];
  PackPlan out;
  out.plan = plan_of(gen::pack_plan(*given.entry, request, given.problem, given.size, which));
  out.plan.result = 1;
  out.plan.arrays[0].input = 0;
  // Without a layout, describing the kernel has already failed.
  const auto fragment = gen::fragment_layout(request.device, gen::fragment_of(x.form));
  out.operand = {x.form,
                 x.rows,
                 x.k,
                 given.batch,
                 to_string(*fragment.layout),
                 to_string(gen::block_layout(x.form, request.device)),
                 request.device.name,
                 request.device.driver};
  return out;
}

}  // namespace vkmoye::bench
