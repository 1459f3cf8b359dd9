// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {
namespace {

// Beyond these, scaled scores leave the range of f32 where no key is seen (scores.hpp).
constexpr double kLeastScale = 1e-6, kMaxScale = 1e6;

}  // namespace

double AttentionCall::scale_used() const {
  return scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(form.width));
}

std::vector<std::string> reasons_against(const AttentionForm& form) {
  std::vector<std::string> reasons;
  for (const auto& [what, width] :
       {std::pair{"width", form.width}, std::pair{"value width", form.value_width}}) {
    require(width >= 32 && width <= 256 && width % 8 == 0,
            fmt::format("{} {} is not a multiple of 8 from 32 to 256", what, width), reasons);
  }
  return reasons;
}

std::vector<std::string> reasons_against(const AttentionCall& call) {
  std::vector<std::string> reasons = reasons_against(call.form);
  require(call.queries >= 0 && call.keys >= 0 && call.batch >= 0,
          fmt::format("{} queries, {} keys or a batch of {} is negative", call.queries, call.keys,
                      call.batch),
          reasons);
  require(
      call.kv_heads >= 1 && call.heads >= 1 && call.heads % call.kv_heads == 0,
      fmt::format("{} heads are not a multiple of {} heads of K and V", call.heads, call.kv_heads),
      reasons);
  const std::int64_t most = kMaxExtent;
  require(
      call.queries <= most && call.keys <= most &&
          call.heads / call.kv_heads <= most / std::max<std::int64_t>(call.queries, 1) &&
          call.kv_heads <= most / std::max<std::int64_t>(call.batch, 1),
      fmt::format("{} queries of {} heads, {} keys, or {} heads of K and V in a batch of {} are "
                  "more than {}",
                  call.queries, call.heads, call.keys, call.kv_heads, call.batch, most),
      reasons);
  const double scale = call.scale_used();
  require(scale >= kLeastScale && scale <= kMaxScale,
          fmt::format("scale {} is outside {}..{}", scale, kLeastScale, kMaxScale), reasons);
  require(call.window >= 0, fmt::format("window {} is negative", call.window), reasons);
  require(
      call.soft_cap == 0 || (call.soft_cap >= kLeastScale && call.soft_cap <= kMaxScale),
      fmt::format("soft cap {} is neither 0 nor in {}..{}", call.soft_cap, kLeastScale, kMaxScale),
      reasons);
  return reasons;
}

std::string form_text(const AttentionForm& form) {
  std::string text = fmt::format("width={}", form.width);
  if (form.value_width != form.width) text += fmt::format("x{}", form.value_width);
  if (form.causal) text += " causal";
  if (form.window) text += " window";
  if (form.soft_cap) text += " soft-cap";
  return text;
}

Arguments attention_arguments(const AttentionCall& call) {
  Arguments arguments = {{"rows", call.rows()},
                         {"queries", call.queries},
                         {"keys", call.keys},
                         {"heads", call.kv_heads * call.batch},
                         {"scale", call.scale_used()}};
  if (call.form.window) arguments["window"] = std::min(call.window, call.keys);
  if (call.form.soft_cap) arguments["soft_cap"] = call.soft_cap;
  return arguments;
}

std::vector<PlanArray> attention_arrays(const AttentionCall& call, ScalarType type) {
  const auto bytes = [&](std::int64_t heads, std::int64_t rows, std::int64_t width) {
    std::uint64_t product = size_of(type);
    for (const std::int64_t extent : {call.batch, heads, rows, width}) {
      product *= static_cast<std::uint64_t>(extent);
    }
    return product;
  };
  const AttentionForm& form = call.form;
  return {{"q", bytes(call.heads, call.queries, form.width)},
          {"k", bytes(call.kv_heads, call.keys, form.width)},
          {"v", bytes(call.kv_heads, call.keys, form.value_width)},
          {"o", bytes(call.heads, call.queries, form.value_width)}};
}

}  // namespace vkmoye::gen
