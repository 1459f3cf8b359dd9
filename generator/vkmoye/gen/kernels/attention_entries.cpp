// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/attention/choice/choose.hpp"
#include "vkmoye/gen/kernels/attention/coopmat.hpp"
#include "vkmoye/gen/kernels/attention/decode.hpp"
#include "vkmoye/gen/kernels/attention/simt.hpp"
#include "vkmoye/gen/kernels/entries.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"

namespace vkmoye::gen {
namespace {

using AttentionRequest = TypedRequest<TypedAttention>;

constexpr const char* kFlash2 = "FlashAttention-2 (Dao, 2023)";

KernelEntry simt_entry() {
  using Config = AttentionSimtConfig;
  return entry_of<Config, TypedAttention>({
      .name = "attention/simt",
      .operation = "attention",
      .summary = "computes attention without matrix units, in one pass over the keys",
      .source = kFlash2,
      .types = {ScalarType::f32, ScalarType::f16, ScalarType::bf16},
      .fields = attention_simt_fields(),
      .defaults =
          [](const AttentionRequest& request) {
            return attention_simt_config(request.form.form, request.device);
          },
      .describe =
          [](const Config& config, const AttentionRequest& request) {
            return attention_simt(config, request.form.form, request.form.type);
          },
      .refuse =
          [](const Config& config, const AttentionRequest& request) {
            return reasons_against(config, request.form.form);
          },
  });
}

KernelEntry coopmat_entry() {
  using Config = AttentionCoopmatConfig;
  EntryParts<Config, TypedAttention> parts;
  parts.name = "attention/coopmat";
  parts.operation = "attention";
  parts.summary = "computes attention on matrix units, with scores in registers";
  parts.source = kFlash2;
  parts.types = {ScalarType::f16, ScalarType::bf16};
  parts.fields = attention_coopmat_fields();
  parts.defaults = [](const AttentionRequest& request) {
    return attention_coopmat_config(request.form.form, request.form.type, request.device,
                                    request.options);
  };
  parts.describe = [](const Config& config, const AttentionRequest& request) {
    return attention_coopmat(config, request.form.form, request.form.type);
  };
  parts.refuse = [](const Config& config, const AttentionRequest& request) {
    auto reasons = reasons_against(config, request.form.form, request.form.type);
    if (reasons.empty()) {
      reasons = reasons_against_units(config, request.form.form, request.form.type, request.device);
    }
    return reasons;
  };
  parts.probes = [](const Config& config, const AttentionRequest& request) {
    const bool is_sound = reasons_against(config, request.form.form, request.form.type).empty();
    return is_sound ? probes(config, request.form.type) : std::vector<ProbedMatrix>();
  };
  return entry_of(std::move(parts));
}

KernelEntry decode_entry() {
  using Config = AttentionDecodeConfig;
  EntryParts<Config, TypedAttention> parts;
  parts.name = "attention/decode";
  parts.operation = "attention";
  parts.summary = "computes attention of few queries over many keys, split among workgroups";
  parts.source = "Flash-Decoding (Dao, Haziza, Massa and Sizov, 2023)";
  parts.types = {ScalarType::f32, ScalarType::f16, ScalarType::bf16};
  parts.fields = attention_decode_fields();
  parts.defaults = [](const AttentionRequest& request) {
    return attention_decode_config(request.form, request.form.type, request.device);
  };
  parts.describe = [](const Config& config, const AttentionRequest& request) {
    return attention_decode(config, request.form.form, request.form.type);
  };
  parts.refuse = [](const Config& config, const AttentionRequest& request) {
    return reasons_against(config, request.form.form, request.form.type);
  };
  parts.in_slices = [](const Config& config, const AttentionRequest& request) {
    throw_if_any("attention/decode", reasons_against(config, request.form.form, request.form.type));
    KernelPlan plan =
        attention_decode_plan(config, request.form, request.form.type, request.device);
    plan.steps.front().kernel.command =
        emit_command("attention/decode", command_options(request.form), request.options);
    return plan;
  };
  return entry_of(std::move(parts));
}

// Describes a single kernel; workloads use the plan of attention/choice/choose.hpp.
KernelEntry auto_attention_entry() {
  KernelEntry entry;
  entry.name = "attention/auto";
  entry.operation = "attention";
  entry.summary = "chooses the kernel for a device, type and sizes";
  entry.source = "attention/choice/choose.hpp";
  entry.types = {ScalarType::f32, ScalarType::f16, ScalarType::bf16};
  entry.chooses = true;
  entry.describe = [types = entry.types](const KernelRequest& request) {
    const auto form = form_of_kind<TypedAttention>(request.form, "attention/auto");
    std::vector<std::string> reasons = reasons_against_type(types, form.type);
    if (!request.options.empty()) reasons.push_back(no_options_of_a_choice(request.options));
    throw_if_any("attention/auto", std::move(reasons));
    std::optional<ir::Kernel> kernel;
    choose_attention(request, [&](const KernelEntry& one) -> std::vector<std::string> {
      if (one.in_slices)
        return {"it is a plan of several kernels, but a single kernel is requested"};
      kernel = one.describe(request);
      return reasons_against(ir::interface_of(*kernel), request.device);
    });
    return *std::move(kernel);
  };
  entry.plan = [](const KernelEntry&, const KernelRequest& request, const Problem& problem,
                  const PlanOptions& options) {
    if (!request.options.empty()) {
      throw KernelError("attention/auto", {no_options_of_a_choice(request.options)});
    }
    KernelPlan plan;
    const AttentionChoice choice = choose_attention(request, [&](const KernelEntry& one) {
      plan = plan_of(one, request, problem, options);
      return options.refuse ? options.refuse(plan) : reasons_against(plan, request.device);
    });
    plan.chosen = {{"kernel", choice.entry->name}};
    plan.why = {fmt::format("chosen: {}: {}", choice.entry->name, choice.why)};
    for (const std::string& passed : choice.passed) plan.why.push_back("passed over: " + passed);
    return plan;
  };
  return entry;
}

}  // namespace

std::vector<KernelEntry> attention_entries() {
  return {auto_attention_entry(), simt_entry(), coopmat_entry(), decode_entry()};
}

}  // namespace vkmoye::gen
