// SPDX-License-Identifier: MIT
#include "workloads/gemm_packed_workload.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/gemm_packed.hpp"
#include "vkmoye/gen/kernels/pack.hpp"
#include "vkmoye/layout/checked.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::bench {
namespace {

// An operand of the kernel and the blocks that it is packed into.
struct Packing {
  gen::PackedForm form;
  gen::GemmArray matrix;  // where its elements lie before
  std::int64_t rows, k;   // of it
  std::int64_t matrices;  // of a batch; 1: one for all of them
  bool beforehand;
  const PackedOperand* file;  // that it comes from; nullptr: it is packed here

  std::int64_t blocks() const { return ceil_div(rows, form.block_rows()); }
  std::int64_t k_blocks() const { return ceil_div(k, form.block_depth()); }
  std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(form.block_elements() * blocks() * k_blocks() * matrices) *
           size_of(form.type);
  }
};

using Packings = std::array<Packing, 2>;

// With parts of C and steps of k as the files have them, where no option says otherwise.
gen::KernelRequest as_files_have_it(const gen::KernelRequest& request, const GemmProblem& problem) {
  gen::KernelRequest out = request;
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

// The operands in the kernel's order: where C has m contiguous, A and B have changed places.
Packings packings(const gen::KernelRequest& request, const GemmProblem& problem,
                  const Extents& size) {
  const gen::GemmPackedConfig config = gen::gemm_packed_config_of(request);
  const std::array<gen::GemmArray, 3> matrices = matrices_of(problem, size);
  const auto packing = [&](char use, bool is_a) {
    const std::size_t which = is_a ? 0 : 1;
    const gen::GemmArray& matrix = matrices[which];
    const bool one_for_all = problem.batch == 1 || matrix.stride == 0;
    const std::string& packed = problem.packed;
    return Packing{gen::packed_form(config, request.gemm, use),
                   matrix,
                   size[which],
                   size[2],
                   one_for_all ? 1 : problem.batch,
                   packed.find(is_a ? 'a' : 'b') != std::string::npos,
                   problem.files[which] ? &*problem.files[which] : nullptr};
  };
  const bool exchanged = !problem.c_n_contiguous;
  return {packing('a', !exchanged), packing('b', exchanged)};
}

// Throws ArgumentError with every reason why this device cannot take the files.
void require_same_order(const Packings& operands, const DeviceCaps& device) {
  std::vector<std::string> reasons;
  for (const Packing& x : operands) {
    if (x.file == nullptr) continue;
    const PackedOperand& file = *x.file;
    const auto blocks = [](const gen::PackedForm& form) {
      return fmt::format("{} in {} lanes", gen::to_string(form), form.lanes);
    };
    const std::string where = fmt::format("packed {}", x.matrix.name);
    if (file.form != x.form) {
      reasons.push_back(fmt::format("{} has blocks of {}, the product takes {}", where,
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
          "{} has fragments in the order {}, made on {} ({}); {} ({}) "
          "holds them in the order {}",
          where, file.fragment, file.device, file.driver, device.name, device.driver, fragment));
    } else if (file.block != block) {
      reasons.push_back(fmt::format("{} has blocks in the order {}, the product takes {}", where,
                                    file.block, block));
    }
  }
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
}

Step pack_step(const Packing& x, const DeviceCaps& device, std::size_t from, std::size_t to) {
  const bool batched = x.matrices != 1;
  Arguments arguments = {{"rows", x.rows},
                         {"k", x.k},
                         {"leading", x.matrix.leading},
                         {"k_blocks", x.k_blocks()},
                         {"blocks", x.blocks()}};
  if (batched) {
    arguments["batch"] = x.matrices;
    arguments["stride"] = x.matrix.stride;
  }
  return {gen::pack({x.matrix.second_contiguous, batched}, x.form, device), arguments, {from, to}};
}

// The product of operands that are packed.
Step product_step(const gen::KernelEntry& entry, const gen::KernelRequest& request,
                  const GemmProblem& problem, const Extents& size, const Packings& operands) {
  Arguments arguments = gemm_arguments(problem, size);
  for (const char* plain : {"lda", "ldb", "stride_a", "stride_b"}) arguments.erase(plain);
  arguments["k_blocks"] = operands[0].k_blocks();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Packing& x = operands[i];
    const std::string name = i == 0 ? "a" : "b";
    arguments[name + "_blocks"] = x.blocks() * x.matrices;
    if (request.gemm.batched) arguments[name + "_step"] = x.matrices > 1 ? x.blocks() : 0;
  }
  return {entry.describe(request), arguments, {}};
}

}  // namespace

std::vector<gen::ProbedMatrix> packed_probes(const gen::KernelRequest& request) {
  const gen::GemmPackedConfig config = gen::gemm_packed_config_of(request);
  std::vector<gen::ProbedMatrix> out;
  if (!gen::reasons_against(config, request.gemm).empty()) return out;  // the kernel refuses it
  for (const char use : {'a', 'b'}) {
    out.push_back(gen::fragment_of(gen::packed_form(config, request.gemm, use)));
  }
  return out;
}

Step packed_step(const gen::KernelEntry& entry, const gen::KernelRequest& request,
                 const GemmProblem& problem, const Extents& size) {
  return product_step(entry, request, problem, size, packings(request, problem, size));
}

Plan packed_plan(const gen::KernelEntry& entry, const gen::KernelRequest& asked,
                 const GemmProblem& problem, const Extents& size, std::vector<Array> arrays,
                 bool packs) {
  const gen::KernelRequest request = as_files_have_it(asked, problem);
  const Packings operands = packings(request, problem, size);
  require_same_order(operands, request.device);
  Plan plan;
  plan.arrays = std::move(arrays);
  const std::size_t given = plan.arrays.size();
  plan.result = given - 1;
  std::vector<std::size_t> packed;  // each packed operand among the arrays
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Packing& x = operands[i];
    const std::string name = std::string("packed ") + (i == 0 ? "a" : "b");
    if (x.file != nullptr) {
      packed.push_back(i);
      plan.arrays[i] = {name, x.bytes(), plan.arrays[i].input, 0};
    } else {
      packed.push_back(plan.arrays.size());
      plan.arrays.push_back({name, x.bytes(), {}, 0});
    }
  }
  for (const bool beforehand : {true, false}) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!packs || operands[i].file != nullptr || operands[i].beforehand != beforehand) continue;
      plan.steps.push_back(pack_step(operands[i], request.device, i, packed[i]));
    }
    if (beforehand) plan.beforehand = plan.steps.size();
  }
  plan.main = plan.steps.size();
  plan.steps.push_back(product_step(entry, request, problem, size, operands));
  std::vector<std::size_t>& bindings = plan.steps.back().arrays;
  bindings = packed;
  for (std::size_t i = 2; i < given; ++i) bindings.push_back(i);  // what the epilogue reads, and C
  return plan;
}

PackPlan pack_plan(const OperandToPack& given) {
  const gen::KernelRequest& request = given.request;
  auto reasons = gen::reasons_against(gen::gemm_packed_config_of(request), request.gemm);
  if (!reasons.empty()) throw KernelError("pack", std::move(reasons));
  const bool is_first = given.is_a == given.problem.c_n_contiguous;
  const Packing x = packings(request, given.problem, given.size)[is_first ? 0 : 1];
  PackPlan out;
  Plan& plan = out.plan;
  plan.arrays = {{x.matrix.name, x.matrix.span() * size_of(x.form.type), 0, 0},
                 {"packed", x.bytes(), {}, 0}};
  plan.steps = {pack_step(x, request.device, 0, 1)};
  plan.result = 1;
  // pack_step was refused where there is no layout.
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
