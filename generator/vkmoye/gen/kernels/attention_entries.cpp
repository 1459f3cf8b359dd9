// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention_entries.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/attention/choice/choose.hpp"
#include "vkmoye/gen/kernels/attention/coopmat.hpp"
#include "vkmoye/gen/kernels/attention/decode.hpp"
#include "vkmoye/gen/kernels/attention/simt.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"

namespace vkmoye::gen {
namespace {

constexpr const char* kFlash2 = "FlashAttention-2 (Dao, 2023)";

// Numbers that the kernel takes at run time are examples.
std::optional<OptionList> options_of_attention(const KernelRequest& request) {
  const AttentionForm& form = request.attention.form;
  OptionList out = {{"type", type_text(request.type, form)}};
  if (form.width != 64) out.emplace_back("size", fmt::format("1024x1024x{}", form.width));
  if (form.value_width != form.width) {
    out.emplace_back("value-width", std::to_string(form.value_width));
  }
  if (form.causal) out.emplace_back("causal", "");
  if (form.window) out.emplace_back("window", "256");
  if (form.soft_cap) out.emplace_back("soft-cap", "50");
  if (form.page != 0) out.emplace_back("page", std::to_string(form.page));
  if (form.lengths) out.emplace_back("lengths", "");
  if (form.mask) out.emplace_back("mask", std::string(to_string(*form.mask)));
  if (form.slopes) out.emplace_back("slopes", "");
  if (form.sinks) out.emplace_back("sinks", "");
  if (form.log_sums) out.emplace_back("log-sums", "");
  if (form.orders != AttentionOrders{}) out.emplace_back("axes", orders_text(form.orders));
  return out;
}

KernelEntry simt_entry() {
  using Config = AttentionSimtConfig;
  return entry_of<Config>({
      .name = "attention/simt",
      .operation = "attention",
      .summary = "computes attention without matrix units, in one pass over the keys",
      .source = kFlash2,
      .types = {ScalarType::f32, ScalarType::f16, ScalarType::bf16},
      .fields = attention_simt_fields(),
      .defaults =
          [](const KernelRequest& request) {
            return attention_simt_config(request.attention.form, request.device);
          },
      .describe =
          [](const Config& config, const KernelRequest& request) {
            return attention_simt(config, request.attention.form, request.type);
          },
      .refuse =
          [](const Config& config, const KernelRequest& request) {
            return reasons_against(config, request.attention.form);
          },
      .problem = options_of_attention,
  });
}

KernelEntry coopmat_entry() {
  using Config = AttentionCoopmatConfig;
  EntryParts<Config> parts;
  parts.name = "attention/coopmat";
  parts.operation = "attention";
  parts.summary = "computes attention on matrix units, with scores in registers";
  parts.source = kFlash2;
  parts.types = {ScalarType::f16, ScalarType::bf16};
  parts.problem = options_of_attention;
  parts.fields = attention_coopmat_fields();
  parts.defaults = [](const KernelRequest& request) {
    return attention_coopmat_config(request.attention.form, request.type, request.device,
                                    request.options);
  };
  parts.describe = [](const Config& config, const KernelRequest& request) {
    return attention_coopmat(config, request.attention.form, request.type);
  };
  parts.refuse = [](const Config& config, const KernelRequest& request) {
    auto reasons = reasons_against(config, request.attention.form, request.type);
    if (reasons.empty()) reasons = reasons_against_units(config, request.type, request.device);
    return reasons;
  };
  parts.probes = [](const Config& config, const KernelRequest& request) {
    const bool is_sound = reasons_against(config, request.attention.form, request.type).empty();
    return is_sound ? probes(config, request.type) : std::vector<ProbedMatrix>();
  };
  return entry_of(std::move(parts));
}

KernelEntry decode_entry() {
  using Config = AttentionDecodeConfig;
  EntryParts<Config> parts;
  parts.name = "attention/decode";
  parts.operation = "attention";
  parts.summary = "computes attention of few queries over many keys, split among workgroups";
  parts.source = "Flash-Decoding (Dao, Haziza, Massa and Sizov, 2023)";
  parts.types = {ScalarType::f32, ScalarType::f16, ScalarType::bf16};
  parts.problem = options_of_attention;
  parts.fields = attention_decode_fields();
  parts.defaults = [](const KernelRequest& request) {
    return attention_decode_config(request.attention, request.type, request.device);
  };
  parts.describe = [](const Config& config, const KernelRequest& request) {
    return attention_decode(config, request.attention.form, request.type);
  };
  parts.refuse = [](const Config& config, const KernelRequest& request) {
    return reasons_against(config, request.attention.form, request.type);
  };
  parts.plan = [](const Config& config, const KernelRequest& request) {
    throw_if_any("attention/decode", reasons_against(config, request.attention.form, request.type));
    KernelPlan plan =
        attention_decode_plan(config, request.attention, request.type, request.device);
    plan.steps.front().kernel.command =
        emit_command("attention/decode", options_of_attention(request), request.options);
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
    std::vector<std::string> reasons = reasons_against_type(types, request.type);
    if (!request.options.empty()) reasons.push_back(no_options_of_a_choice(request.options));
    throw_if_any("attention/auto", std::move(reasons));
    std::optional<ir::Kernel> kernel;
    choose_attention(request, [&](const KernelEntry& one) -> std::vector<std::string> {
      if (one.plan) return {"it is a plan of several kernels, but a single kernel is requested"};
      kernel = one.describe(request);
      return reasons_against(ir::interface_of(*kernel), request.device);
    });
    return *std::move(kernel);
  };
  return entry;
}

}  // namespace

std::vector<KernelEntry> attention_entries() {
  return {auto_attention_entry(), simt_entry(), coopmat_entry(), decode_entry()};
}

}  // namespace vkmoye::gen
