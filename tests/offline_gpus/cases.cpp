#include "offline_gpus/cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/glsl/print.hpp"

namespace vkmoye::test {
namespace {

using gen::KernelEntry;
using gen::KernelRequest;

struct Variant {
  std::string name;
  KernelRequest request;
};

bool has_option(const KernelEntry& entry, const std::string& name) {
  return std::any_of(entry.options.begin(), entry.options.end(),
                     [&](const auto& option) { return option.name == name; });
}

std::vector<Variant> variants_of(const KernelEntry& entry, ScalarType type,
                                 const DeviceCaps& caps) {
  KernelRequest usual = gen::request_of(type);
  usual.device = caps;
  std::vector<Variant> variants = {{"-", usual}};
  const auto add = [&](const std::string& name, const auto& change) {
    change(variants.emplace_back(Variant{name, usual}).request);
  };
  if (entry.operation == "gemm") {
    add("a=m b=n", [](KernelRequest& r) { r.gemm.a_k_contiguous = r.gemm.b_k_contiguous = false; });
    if (type == entry.types.front()) {
      add("beta batch", [](KernelRequest& r) { r.gemm.beta = r.gemm.batched = true; });
    }
    if (type == ScalarType::f16) {
      add("f16,f16", [](KernelRequest& r) { r.gemm.accumulator = ScalarType::f16; });
    }
  }
  if (has_option(entry, "axis")) {
    add("axis=0", [](KernelRequest& r) { r.options["axis"] = "0"; });
  }
  // The other size of subgroups, of kernels that depend on it.
  if (has_option(entry, "subgroup-size") && caps.has(Feature::subgroup_size_control)) {
    for (const std::uint32_t lanes : {caps.min_subgroup_size, caps.max_subgroup_size}) {
      add(fmt::format("subgroup-size={}", lanes),
          [&](KernelRequest& r) { r.options["subgroup-size"] = std::to_string(lanes); });
    }
  }
  return variants;
}

Case make_case(const KernelEntry& entry, ScalarType type, const Variant& variant) {
  Case one{entry.name, std::string(to_string(type)), variant.name, ""};
  try {
    one.description = entry.describe(variant.request);
    one.glsl = gen::glsl::print(one.description);
  } catch (const Error& error) {
    one.refusal = error.what();
  }
  return one;
}

// The text below the first line, which names the type.
std::string_view below_first_line(const std::string& text) {
  return std::string_view(text).substr(std::min(text.find('\n'), text.size()));
}

}  // namespace

std::vector<Case> cases_for(const DeviceCaps& caps) {
  std::vector<Case> cases;
  for (const KernelEntry& entry : gen::registry()) {
    if (entry.chooses) continue;  // one of the others
    const std::size_t first = cases.size();
    for (const ScalarType type : entry.types) {
      for (const Variant& variant : variants_of(entry, type, caps)) {
        Case one = make_case(entry, type, variant);
        const auto same =
            std::find_if(cases.begin() + static_cast<std::ptrdiff_t>(first), cases.end(),
                         [&](const Case& other) {
                           return other.refusal.empty() && one.refusal.empty() &&
                                  below_first_line(other.glsl) == below_first_line(one.glsl);
                         });
        if (same == cases.end()) {
          cases.push_back(std::move(one));
        } else if (same->variant == one.variant) {
          same->types += "," + one.types;
        }
      }
    }
  }
  return cases;
}

}  // namespace vkmoye::test
