// SPDX-License-Identifier: MIT
// Both kernels of attention over slices of the keys, and the arrays between them.

#include "vkmoye/gen/kernels/attention/decode.hpp"
#include "vkmoye/gen/kernels/common/plan_step.hpp"

namespace vkmoye::gen {

KernelPlan attention_decode_plan(const AttentionDecodeConfig& config, const AttentionCall& call,
                                 ScalarType type, const DeviceCaps& device) {
  const std::int64_t slices = slices_of(config, call, type);
  const auto bytes = [&](std::int64_t width) {
    return static_cast<std::uint64_t>(width * call.rows() * call.kv_heads * call.batch * slices) *
           size_of(ScalarType::f32);
  };
  KernelPlan plan;
  plan.arrays = attention_arrays(call, type);
  plan.scratch = {{"sums of slices", bytes(call.form.value_width)},
                  {"maxima of slices", bytes(1)},
                  {"row sums of slices", bytes(1)}};
  std::vector<std::string> names;
  for (const PlanArray& array : plan.arrays) names.push_back(array.name);
  for (const char* name : {"slice_sums", "slice_max", "slice_row_sums"}) names.emplace_back(name);
  Arguments all = attention_arguments(call);
  all["rows"] = call.rows();
  all["heads"] = call.kv_heads * call.batch;
  all["slices"] = slices;
  plan.steps = {plan_step(attention_decode(config, call.form, type), names, all),
                plan_step(attention_combine(call.form, type, device), names, all)};
  return plan;
}

}  // namespace vkmoye::gen
