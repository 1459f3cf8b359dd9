// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/choice/gemm_plan.hpp"

#include <algorithm>
#include <utility>

#include "vkmoye/gen/kernels/products/combine.hpp"
#include "vkmoye/gen/kernels/products/packed.hpp"
#include "vkmoye/gen/kernels/products/packing/pack.hpp"
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/layout/checked.hpp"

namespace vkmoye::gen {
namespace {

using Size = std::vector<std::int64_t>;

// Which of A and B is operand number `operand` of the kernel: they are exchanged if C has m contiguous.
std::size_t operand_of(const GemmCall& call, std::size_t operand) {
  return call.c_n_contiguous ? operand : 1 - operand;
}

PlanArray array_of(const GemmArray& array) {
  const std::uint64_t elements = array.span() - static_cast<std::uint64_t>(array.offset);
  return {array.name, elements * size_of(array.type)};
}

// Those of A and B that a kernel takes packed: of packed weights, B alone.
std::vector<std::size_t> packed_operands(const KernelEntry& entry) {
  return entry.weights != nullptr ? std::vector<std::size_t>{1} : std::vector<std::size_t>{0, 1};
}

KernelStep pack_step(const OperandBlocks& x, const DeviceCaps& device, std::size_t from,
                     std::size_t to) {
  const bool batched = x.matrices != 1;
  const bool has_blocks = x.weights != nullptr;
  Arguments arguments = {
      {"rows", x.rows},
      has_blocks ? Arguments::value_type{"words", x.plain.cols} : Arguments::value_type{"k", x.k},
      {"leading", x.plain.leading},
      {"k_blocks", x.k_blocks()},
      {"blocks", x.blocks()}};
  if (batched) {
    arguments["batch"] = x.matrices;
    arguments["stride"] = x.plain.stride;
  }
  ir::Kernel kernel =
      !has_blocks ? pack({x.plain.type, x.plain.second_contiguous, batched}, x.form, device)
      : x.form.weights == nullptr ? pack_decoded(*x.weights, batched, x.form, device)
                                  : pack_weights(packed_weights(x.form, device), batched);
  return {std::move(kernel), arguments, {from, to}};
}

// Adds steps that pack the operands that are not packed yet into scratch arrays, which replace A and B in
// `operands`.
void pack_operands(const KernelEntry& entry, const KernelRequest& request, const GemmCall& call,
                   const Size& size, const GemmPlanOptions& options, KernelPlan& plan,
                   std::array<std::size_t, 2>& operands) {
  const std::array<OperandBlocks, 2> blocks = operand_blocks(entry, request, call, size);
  for (const std::size_t which : packed_operands(entry)) {
    const std::string name = "packed " + blocks[which].plain.name;
    const PlanArray packed = {name, blocks[which].bytes()};
    if (options.comes_packed[which]) {
      plan.arrays[which] = packed;
      continue;
    }
    operands[which] = plan.arrays.size() + plan.scratch.size();
    plan.scratch.push_back(packed);
  }
  for (const bool first : {true, false}) {
    for (const std::size_t which : packed_operands(entry)) {
      const bool is_packed_here = options.packs && !options.comes_packed[which];
      if (!is_packed_here || options.packs_first[which] != first) continue;
      plan.steps.push_back(pack_step(blocks[which], request.device, which, operands[which]));
    }
  }
}

// Makes the product write the sums of slices to a scratch array, and adds the step that combines them into C.
void combine_slices(const GemmCall& call, const Size& size, const DeviceCaps& device,
                    KernelPlan& plan) {
  const Size shape = kernel_shape(call, size);
  GemmCall whole = call;
  whole.slices = 1;
  const GemmForm form = whole.form();
  std::uint64_t sums = size_of(sum_type(form));
  for (const std::int64_t count : {call.slices, call.batch, shape[0], shape[1]}) {
    sums *= static_cast<std::uint64_t>(count);
  }
  const std::size_t partials = plan.arrays.size() + plan.scratch.size();
  plan.scratch.push_back({"sums of slices", sums});
  std::vector<std::size_t>& of_slices = plan.steps[plan.main].arrays;
  std::vector<std::size_t> bindings = {partials};  // then the inputs of the epilogue, and C
  bindings.insert(bindings.end(), of_slices.begin() + 2, of_slices.end());
  of_slices = {of_slices[0], of_slices[1], partials};
  Arguments arguments = gemm_arguments(whole, size);
  for (const char* of_operands : {"k", "words", "lda", "ldb", "stride_a", "stride_b"}) {
    arguments.erase(of_operands);
  }
  arguments["slices"] = call.slices;
  plan.steps.push_back(
      {gemm_combine(form, call.slices, shape, device), std::move(arguments), bindings});
}

}  // namespace

std::int64_t OperandBlocks::blocks() const { return ceil_div(rows, form.block_rows()); }

std::int64_t OperandBlocks::k_blocks() const { return ceil_div(k, form.block_depth()); }

std::uint64_t OperandBlocks::bytes() const {
  return static_cast<std::uint64_t>(form.block_bytes() * blocks() * k_blocks() * matrices);
}

std::array<OperandBlocks, 2> operand_blocks(const KernelEntry& entry, const KernelRequest& request,
                                            const GemmCall& call, const Size& size) {
  const auto form = form_of_kind<GemmProduct>(request.form, entry.name);
  const auto form_of = [&](char use) {
    return entry.weights != nullptr ? packed_form(packed_weights_config_of(request), form)
                                    : packed_form(gemm_packed_config_of(request), form, use);
  };
  const std::array<GemmArray, 3> arrays = matrices_of(call, size);
  const auto of = [&](std::size_t which) {
    const GemmArray& plain = arrays[which];
    const char use = operand_of(call, which) == 0 ? 'a' : 'b';
    const std::int64_t matrices = plain.stride == 0 ? 1 : call.batch;
    return OperandBlocks{form_of(use), plain,    size[which],
                         size[2],      matrices, which == 1 ? call.weights : nullptr};
  };
  return {of(0), of(1)};
}

KernelRequest request_of(const GemmCall& call, const Size& size, const DeviceCaps& device,
                         Options options) {
  return {GemmProduct(call.form(), kernel_shape(call, size), call.batch), std::move(options),
          device};
}

KernelStep gemm_step(const KernelEntry& entry, const KernelRequest& request, const GemmCall& call,
                     const Size& size) {
  Arguments arguments = gemm_arguments(call, size);
  if (!entry.takes_packed) return {entry.describe(request), std::move(arguments), {}};
  const std::array<OperandBlocks, 2> blocks = operand_blocks(entry, request, call, size);
  arguments.erase("words");
  arguments["k_blocks"] = blocks[1].k_blocks();
  for (const std::size_t operand : packed_operands(entry)) {
    const OperandBlocks& x = blocks[operand_of(call, operand)];
    const std::string name = operand == 0 ? "a" : "b";
    arguments.erase("ld" + name);
    arguments.erase("stride_" + name);
    arguments[name + "_blocks"] = x.blocks() * x.matrices;
    if (call.form().batched) arguments[name + "_step"] = x.matrices > 1 ? x.blocks() : 0;
  }
  return {entry.describe(request), std::move(arguments), {}};
}

KernelPlan gemm_plan(const KernelEntry& entry, const KernelRequest& request, const GemmCall& call,
                     const Size& size, const GemmPlanOptions& options) {
  KernelPlan plan;
  const std::array<GemmArray, 3> product = matrices_of(call, size);
  plan.arrays = {array_of(product[0]), array_of(product[1])};
  for (const GemmArray& input : further_inputs_of(call, size)) {
    plan.arrays.push_back(array_of(input));
  }
  plan.arrays.push_back(array_of(product[2]));
  if (!call.epilogue.empty() && !call.epilogue.back().step->output.empty()) {
    const EpilogueOp& last = *call.epilogue.back().step;
    GemmArray output = product[2];
    output.name = last.output;
    output.type = last.output_type.value_or(output.type);
    plan.arrays.push_back(array_of(output));
  }
  // The arrays that are multiplied: A and B as given or packed.
  std::array<std::size_t, 2> operands = {0, 1};
  throw_if_any(entry.name, reasons_against_types(entry, request.form));
  if (entry.takes_packed) pack_operands(entry, request, call, size, options, plan, operands);
  KernelStep step = gemm_step(entry, request, call, size);
  step.arrays = {operands[operand_of(call, 0)], operands[operand_of(call, 1)]};
  for (std::size_t i = 2; i < plan.arrays.size(); ++i) step.arrays.push_back(i);
  plan.main = plan.steps.size();
  plan.steps.push_back(std::move(step));
  if (call.slices > 1) combine_slices(call, size, request.device, plan);
  return plan;
}

ChosenPlan choose_plan(const GemmProduct& product, const DeviceCaps& device,
                       const std::vector<GemmTable>& tables,
                       const std::function<KernelPlan(const GemmChoice&)>& plan_of,
                       const std::function<std::vector<std::string>(const KernelPlan&)>& refuse) {
  KernelPlan plan;
  const auto refuse_choice = [&](const GemmChoice& choice) {
    plan = plan_of(choice);
    std::vector<std::string> reasons = refuse ? refuse(plan) : reasons_against(plan, device);
    if (!reasons.empty()) plan = {};
    return reasons;
  };
  GemmChoice choice = choose_gemm(product, device, tables, refuse_choice);
  if (plan.steps.empty()) plan = plan_of(choice);  // running it says why it cannot
  return {std::move(choice), std::move(plan)};
}

KernelPlan gemm_plan(const GemmCall& call, const Size& size, const DeviceCaps& device,
                     const std::vector<GemmTable>& tables) {
  const auto plan_of = [&](const GemmChoice& choice) {
    GemmCall cut = call;
    if (choice.slices > 1) cut.slices = choice.slices;
    return gemm_plan(*choice.entry, request_of(cut, size, device, choice.config), cut, size);
  };
  const GemmProduct product = {call.form(), kernel_shape(call, size), call.batch};
  return choose_plan(product, device, tables, plan_of, {}).plan;
}

KernelPlan pack_plan(const KernelRequest& request, const GemmCall& call, const Size& size,
                     std::size_t which) {
  const char* name = call.weights == nullptr ? "gemm/packed" : "gemm/packed_weights";
  return pack_plan(*find_kernel(name), request, call, size, which);
}

KernelPlan pack_plan(const KernelEntry& entry, const KernelRequest& request, const GemmCall& call,
                     const Size& size, std::size_t which) {
  const OperandBlocks x = operand_blocks(entry, request, call, size).at(which);
  KernelPlan plan;
  plan.arrays = {array_of(x.plain), {"packed " + x.plain.name, x.bytes()}};
  plan.steps = {pack_step(x, request.device, 0, 1)};
  return plan;
}

}  // namespace vkmoye::gen
