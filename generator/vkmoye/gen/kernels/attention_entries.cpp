// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention_entries.hpp"

#include "vkmoye/gen/kernels/attention/coopmat.hpp"
#include "vkmoye/gen/kernels/attention/simt.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"

namespace vkmoye::gen {
namespace {

constexpr const char* kFlash2 = "FlashAttention-2 (Dao, 2023)";

KernelEntry simt_entry() {
  return entry_of<AttentionSimtConfig>(
      {"attention/simt",
       "attention",
       "scores in registers, one pass over the keys, without matrix units",
       kFlash2,
       {ScalarType::f32, ScalarType::f16, ScalarType::bf16},
       attention_simt_fields(),
       [](const KernelRequest& request) {
         return attention_simt_config(request.attention, request.device);
       },
       [](const AttentionSimtConfig& config, const KernelRequest& request) {
         return attention_simt(config, request.attention, request.type);
       },
       [](const AttentionSimtConfig& config, const KernelRequest& request) {
         return reasons_against(config, request.attention);
       }});
}

KernelEntry coopmat_entry() {
  using Config = AttentionCoopmatConfig;
  EntryParts<Config> parts;
  parts.name = "attention/coopmat";
  parts.operation = "attention";
  parts.summary = "matrix units, scores and weights in registers";
  parts.source = kFlash2;
  parts.types = {ScalarType::f16, ScalarType::bf16};
  parts.fields = attention_coopmat_fields();
  parts.defaults = [](const KernelRequest& request) {
    return attention_coopmat_config(request.attention, request.type, request.device);
  };
  parts.describe = [](const Config& config, const KernelRequest& request) {
    return attention_coopmat(config, request.attention, request.type);
  };
  parts.refuse = [](const Config& config, const KernelRequest& request) {
    auto reasons = reasons_against(config, request.attention, request.type);
    return reasons.empty() ? reasons_against_orders(config) : reasons;
  };
  parts.probes = [](const Config& config, const KernelRequest& request) {
    const bool is_sound = reasons_against(config, request.attention, request.type).empty();
    return is_sound ? probes(config, request.type) : std::vector<ProbedMatrix>();
  };
  return entry_of(std::move(parts));
}

}  // namespace

std::vector<KernelEntry> attention_entries() { return {simt_entry(), coopmat_entry()}; }

}  // namespace vkmoye::gen
