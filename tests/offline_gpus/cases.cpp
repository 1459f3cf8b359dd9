// SPDX-License-Identifier: MIT
#include "offline_gpus/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "support/fragment_orders.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/attention/decode.hpp"
#include "vkmoye/gen/kernels/products/combine.hpp"
#include "vkmoye/gen/kernels/products/packed.hpp"
#include "vkmoye/gen/kernels/products/packing/pack.hpp"

namespace vkmoye::test {
namespace {

using gen::GemmForm;
using gen::KernelEntry;
using gen::KernelRequest;

struct Variant {
  std::string name;
  KernelRequest request;
};

// The products whose k is split into slices if C is small.
bool has_slices(const std::string& kernel) {
  return kernel == "gemm/simt" || kernel == "gemm/coopmat" || kernel == "gemm/packed";
}

bool has_option(const KernelEntry& entry, const std::string& name) {
  return std::any_of(entry.options.begin(), entry.options.end(),
                     [&](const auto& option) { return option.name == name; });
}

gen::GemmEpilogue bias_and_relu() {
  return {*gen::find_epilogue_op("bias"), *gen::find_epilogue_op("relu")};
}

// The orders in which the GPUs hold fragments. No probe can run, so these are known from other sources. (RDNA3 has
// none: its lanes hold copies.)
DeviceCaps with_orders(DeviceCaps caps) {
  const bool is_nvidia = caps.driver.starts_with("NVK");
  const bool is_rdna4 = caps.name.find("GFX1201") != std::string::npos;
  const bool is_rdna3 = caps.driver.starts_with("radv") && !caps.matrix_shapes.empty() && !is_rdna4;
  for (const char use : {'a', 'b'}) {
    if (is_nvidia) caps.fragment_orders.push_back(order_of(kOnAnH200, use));
    if (is_rdna4) caps.fragment_orders.push_back(order_of(kOnRdna4, use));
  }
  const auto sums = is_nvidia ? kOnAnH200 : is_rdna4 ? kSumsOnRdna4 : kSumsOnRdna3;
  if (is_nvidia || is_rdna3 || is_rdna4) {
    caps.fragment_orders.push_back(order_of(sums, 'c', "f32"));
  }
  if (is_nvidia) caps.fragment_orders.push_back(order_of(kOnAnH200, 'a', "bf16"));
  return caps;
}

std::vector<Variant> variants_of(const KernelEntry& entry, ScalarType type,
                                 const DeviceCaps& caps) {
  KernelRequest usual = gen::request_of(type);
  usual.device = with_orders(caps);
  std::vector<Variant> variants = {{"-", usual}};
  const auto add = [&](const std::string& name, const auto& change) {
    change(variants.emplace_back(Variant{name, usual}).request);
  };
  if (entry.operation == "gemm") {
    add("a=m b=n",
        [](KernelRequest& r) { r.product().a_k_contiguous = r.product().b_k_contiguous = false; });
    if (type == entry.types.front()) {
      add("beta batch", [](KernelRequest& r) { r.product().beta = r.product().batched = true; });
      add("bias,relu", [](KernelRequest& r) { r.product().epilogue = bias_and_relu(); });
      if (has_slices(entry.name)) {
        add("split-k", [](KernelRequest& r) { r.product() = gen::form_of_slices(r.product()); });
      }
    }
    const bool has_experts = entry.name == "gemm/simt" || entry.name == "gemm/coopmat";
    if (has_experts && (type == ScalarType::f16 || type == ScalarType::f32)) {
      add("experts", [](KernelRequest& r) { r.product().has_experts = true; });
    }
    if (type == ScalarType::f16) {
      add("f16,f16", [](KernelRequest& r) { r.product().accumulator = ScalarType::f16; });
    }
    const bool decodes = entry.name == "gemm/coopmat" || entry.weights != nullptr;
    for (const gen::WeightFormat& format : gen::weight_formats()) {
      if (!decodes || (type != ScalarType::f16 && type != ScalarType::bf16)) continue;
      if (format.has_sub_blocks() && type == ScalarType::bf16) continue;  // as f16
      add(format.name, [&](KernelRequest& r) {
        r.product().weights = &format;
        r.product().b_type = gen::kWeightType;
        r.product().shape = {{4, 8192, 8192}};
      });
    }
    const bool takes_two = !entry.chooses;
    if (takes_two && (type == ScalarType::f16 || type == ScalarType::bf16)) {
      add("a=f32", [](KernelRequest& r) {
        r.product().a_type = r.product().accumulator = r.product().result = ScalarType::f32;
      });
    }
  }
  if (type == ScalarType::f16 && (entry.name == "gemm/coopmat" || entry.name == "gemm/packed")) {
    add("2x2x2 subgroups", [&](KernelRequest& r) {
      r.options["subgroups"] = "2x2x2";
      if (entry.name == "gemm/coopmat") r.options["tile"] = "128x128x64";
    });
  }
  if (entry.name == "gemm/packed_weights" && type == ScalarType::f16) {
    add("q4_0, subgroups side by side", [](KernelRequest& r) {
      r.product().weights = gen::find_weight_format("q4_0");
      r.product().b_type = gen::kWeightType;
      r.product().shape = {{512, 8192, 8192}};
      r.options["across"] = r.options["subgroups"] = "8";
    });
  }
  if (entry.operation == "attention") {
    add("128 wide",
        [](KernelRequest& r) { r.attention().form.width = r.attention().form.value_width = 128; });
    add("causal", [](KernelRequest& r) { r.attention().form.causal = true; });
    if (type == ScalarType::f16) {
      add("128 wide, causal, window, soft cap", [](KernelRequest& r) {
        r.attention().form = {128, 128, true, true, true};
      });
      for (const char* format : {"q8_0", "q4_0", "q5_1", "iq4_nl"}) {
        add("128 wide, " + std::string(format), [=](KernelRequest& r) {
          r.attention().form.width = r.attention().form.value_width = 128;
          r.attention().form.key_format = r.attention().form.value_format =
              gen::find_weight_format(format);
        });
      }
      add("128 wide, pages", [](KernelRequest& r) {
        gen::AttentionForm& form = r.attention().form;
        form.width = form.value_width = 128;
        form.page = 16;
        form.lengths = true;
      });
      add("lengths, mask, slopes, sinks, log sums, bshd", [](KernelRequest& r) {
        gen::AttentionForm& form = r.attention().form;
        form.lengths = form.slopes = form.sinks = form.log_sums = true;
        form.mask = ScalarType::f16;
        form.orders = {gen::AttentionOrder::bshd};
      });
    }
    if (has_option(entry, "slices")) {
      // As many accesses in flight as are chosen for 4 rows.
      add("4 rows", [](KernelRequest& r) { r.options = {{"rows", "4"}, {"reads", "8"}}; });
    }
  }
  if (entry.operation == "relayout") {
    add("pixels", [](KernelRequest& r) {
      r.elements().shape = {{64, 128, 3}};
      r.options["permute"] = "2,0,1";
    });
  }
  if (has_option(entry, "axis")) {
    add("axis=0", [](KernelRequest& r) { r.options["axis"] = "0"; });
  }
  if (has_option(entry, "address") && (type == ScalarType::f32 || type == ScalarType::f16)) {
    add("address=pointer", [](KernelRequest& r) { r.options["address"] = "pointer"; });
  }
  // For kernels that do so only with an option.
  const bool may_exchange = has_option(entry, "exchange");
  if (may_exchange && (type == ScalarType::f32 || type == ScalarType::f16)) {
    add("exchange=shuffle", [](KernelRequest& r) { r.options["exchange"] = "shuffle"; });
  }
  // The other subgroup size, for kernels that depend on it.
  if (has_option(entry, "subgroup-size") && !may_exchange &&
      caps.has(Feature::subgroup_size_control)) {
    for (const std::uint32_t lanes : {caps.min_subgroup_size, caps.max_subgroup_size}) {
      add(fmt::format("subgroup-size={}", lanes),
          [&](KernelRequest& r) { r.options["subgroup-size"] = std::to_string(lanes); });
    }
  }
  return variants;
}

Case make_case(Case one, const std::function<gen::ir::Kernel()>& describe) {
  try {
    one.description = describe();
    one.glsl = gen::glsl::print(one.description);
  } catch (const Error& error) {
    one.refusal = error.what();
  }
  return one;
}

// The text below the comments at the top, which name the type.
std::string_view below_comments(const std::string& text) {
  return std::string_view(text).substr(std::min(text.find("#version"), text.size()));
}

}  // namespace

std::vector<Case> further_steps(const DeviceCaps& caps) {
  std::vector<Case> cases;
  const auto add = [&](const char* kernel, ScalarType type, const char* variant,
                       const std::function<gen::ir::Kernel()>& describe) {
    cases.push_back(make_case({kernel, std::string(to_string(type)), variant, ""}, describe));
  };
  for (const ScalarType type :
       {ScalarType::f16, ScalarType::f32, ScalarType::f64, ScalarType::i32}) {
    GemmForm form = gen::gemm_form(type);
    const auto combine = [&] { return gen::gemm_combine(form, 16, std::nullopt, caps); };
    add("gemm/combine", type, "-", combine);
    if (type != ScalarType::f16) continue;
    form.epilogue = bias_and_relu();
    add("gemm/combine", type, "bias,relu", combine);
    form.beta = form.batched = true;
    add("gemm/combine", type, "bias,relu beta batch", combine);
  }
  add("attention/combine", ScalarType::f16, "-",
      [&] { return gen::attention_combine({}, ScalarType::f16, caps); });
  // Few long rows, in slices.
  for (const char* entry : {"softmax/rows", "norm/rms", "argmax/rows", "topk/rows", "reduce/sum"}) {
    gen::KernelRequest request = gen::request_of(ScalarType::f16);
    request.device = caps;
    request.elements().shape = {{4, 1 << 20}};
    for (const gen::KernelStep& step : gen::find_kernel(entry)->in_slices(request).steps) {
      add(step.kernel.name.c_str(), ScalarType::f16, "4x1048576", [&] { return step.kernel; });
    }
  }
  const GemmForm form = gen::gemm_form(ScalarType::f16);
  const gen::PackedForm packed = packed_form(gemm_packed_config(form, {}, caps), form, 'a');
  const DeviceCaps device = with_orders(caps);
  add("gemm/pack", packed.type, "-", [&] { return pack({}, packed, device); });
  add("gemm/pack", packed.type, "a=m",
      [&] { return pack({.k_contiguous = false}, packed, device); });
  add("gemm/pack", packed.type, "batch", [&] { return pack({.batched = true}, packed, device); });
  return cases;
}

std::vector<Case> cases_for(const DeviceCaps& caps, const Part& part) {
  std::vector<Case> cases;
  std::size_t number = 0;
  for (const KernelEntry& entry : gen::registry()) {
    if (entry.chooses) continue;  // one of the others
    if (number++ % part.of != part.number) continue;
    const std::size_t first = cases.size();
    for (const ScalarType type : entry.types) {
      for (const Variant& variant : variants_of(entry, type, caps)) {
        Case one = make_case({entry.name, std::string(to_string(type)), variant.name, ""},
                             [&] { return entry.describe(variant.request); });
        const auto same =
            std::find_if(cases.begin() + static_cast<std::ptrdiff_t>(first), cases.end(),
                         [&](const Case& other) {
                           return other.refusal.empty() && one.refusal.empty() &&
                                  below_comments(other.glsl) == below_comments(one.glsl);
                         });
        if (same == cases.end()) {
          cases.push_back(std::move(one));
        } else if (same->variant == one.variant) {
          same->types += "," + one.types;
        }
      }
    }
  }
  if (part.number + 1 < part.of) return cases;
  for (Case& step : further_steps(caps)) cases.push_back(std::move(step));
  return cases;
}

}  // namespace vkmoye::test
