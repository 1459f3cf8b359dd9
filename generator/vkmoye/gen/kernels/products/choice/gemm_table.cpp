// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/choice/gemm_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {
namespace {

// The sizes of a product as kernels see it, and a device. Doubles, because m * n may exceed 64 bits.
struct Numbers {
  double m, n, k, batch;
  const DeviceCaps& device;
};

struct QuantityRow {
  const char* name;  // in a file of entries
  const char* text;  // in messages
  double (*of)(const Numbers&);
};

constexpr std::array<QuantityRow, static_cast<std::size_t>(GemmQuantity::count)> kQuantities = {{
    {"m", "m", [](const Numbers& x) { return x.m; }},
    {"n", "n", [](const Numbers& x) { return x.n; }},
    {"k", "k", [](const Numbers& x) { return x.k; }},
    {"batch", "batch", [](const Numbers& x) { return x.batch; }},
    {"least", "min(m,n)", [](const Numbers& x) { return std::min(x.m, x.n); }},
    {"area", "m*n", [](const Numbers& x) { return x.m * x.n; }},
    {"elements", "m*n*batch", [](const Numbers& x) { return x.m * x.n * x.batch; }},
    {"k_alignment", "alignment of k",
     [](const Numbers& x) {
       const auto k = static_cast<std::int64_t>(x.k);
       return static_cast<double>(k & -k);
     }},
    {"lanes", "lanes",
     [](const Numbers& x) { return static_cast<double>(x.device.subgroup_size); }},
    {"shared", "shared memory",
     [](const Numbers& x) { return static_cast<double>(x.device.max_shared_bytes); }},
}};
static_assert(kQuantities.back().name != nullptr, "a quantity without a row");

const QuantityRow& row_of(GemmQuantity quantity) {
  return kQuantities[static_cast<std::size_t>(quantity)];
}

char contiguous_a(const GemmForm& form) { return form.a_k_contiguous ? 'k' : 'm'; }
char contiguous_b(const GemmForm& form) { return form.b_k_contiguous ? 'k' : 'n'; }

std::vector<std::string> step_names(const GemmForm& form) {
  std::vector<std::string> names;
  for (const EpilogueOp& step : form.epilogue) names.emplace_back(step.name);
  return names;
}

std::string epilogue_word(const std::vector<std::string>& steps) {
  return steps.empty() ? "none" : join(steps, ",");
}

std::string not_met(const char* name, const std::string& wanted, const std::string& found) {
  return fmt::format("needs {}={}, but it is {}", name, wanted, found);
}

}  // namespace

std::string to_string(const GemmTypes& types) {
  std::string text = fmt::format("{},{}", operands_text(types.a, types.b, types.weights),
                                 to_string(types.accumulator));
  if (types.result) text += fmt::format(",{}", to_string(*types.result));
  return text;
}

const char* to_string(GemmQuantity quantity) { return row_of(quantity).name; }

std::string to_string(const GemmRange& range) {
  const GemmRange any{range.quantity};
  const char* name = row_of(range.quantity).text;
  if (range.min == range.max) return fmt::format("{}={}", name, range.min);
  if (range.max == any.max) return fmt::format("{}>={}", name, range.min);
  if (range.min == any.min) return fmt::format("{}<={}", name, range.max);
  return fmt::format("{}<={}<={}", range.min, name, range.max);
}

bool is_for_the_same(const GemmTableEntry& a, const GemmTableEntry& b) {
  return a.devices == b.devices && a.types == b.types && a.where == b.where;
}

GemmTableEntry entry_for(const GemmProduct& product) {
  using enum GemmQuantity;
  const GemmForm& form = product;
  const std::vector<std::int64_t>& shape = product.shape.value();
  GemmTableEntry entry;
  entry.types = {{form.a_type, form.b_type, form.accumulator, form.result, form.weights}};
  entry.where = {.ranges = {{m, shape[0], shape[0]},
                            {n, shape[1], shape[1]},
                            {k, shape[2], shape[2]},
                            {batch, product.batch, product.batch}},
                 .a = contiguous_a(form),
                 .b = contiguous_b(form),
                 .beta = form.beta,
                 .epilogue = step_names(form)};
  return entry;
}

std::vector<std::string> reasons_against_names(const GemmTableEntry& entry) {
  const KernelEntry* kernel = find_kernel(entry.kernel);
  if (kernel == nullptr || kernel->operation != "gemm" || kernel->chooses) {
    return {fmt::format("'{}' is not a product kernel", entry.kernel)};
  }
  std::vector<std::string> reasons;
  for (const auto& option : entry.options) {
    const std::string& name = option.first;
    const bool is_known =
        name == "split-k" || std::any_of(kernel->options.begin(), kernel->options.end(),
                                         [&](const KernelOption& one) { return one.name == name; });
    if (!is_known) reasons.push_back(fmt::format("{} has no option '{}'", kernel->name, name));
  }
  return reasons;
}

bool is_for_device(const GemmTableEntry& entry, const DeviceCaps& device) {
  const std::string name = lower_case(device.name);
  return entry.devices.empty() ||
         std::any_of(entry.devices.begin(), entry.devices.end(), [&](const std::string& part) {
           return name.find(lower_case(part)) != std::string::npos;
         });
}

bool is_for_types(const GemmTableEntry& entry, const GemmForm& form) {
  const ScalarType unit = multiplied_type(form);
  return entry.types.empty() ||
         std::any_of(entry.types.begin(), entry.types.end(), [&](const GemmTypes& one) {
           const bool is_for_operands =
               (one.a == form.a_type && one.b == form.b_type) || (one.a == unit && one.b == unit);
           return is_for_operands && one.accumulator == form.accumulator &&
                  one.result.value_or(form.result) == form.result && one.weights == form.weights;
         });
}

std::string unmet(const GemmTableEntry& entry, const GemmForm& form) {
  const GemmWhere& where = entry.where;
  if (where.weights && *where.weights != (form.weights != nullptr)) {
    return *where.weights ? "needs weights in blocks" : "refuses weights in blocks";
  }
  if (where.long_blocks && (form.weights == nullptr || form.weights->elements <= 128)) {
    return "needs blocks of more than 128 weights";
  }
  if (where.experts.value_or(form.has_experts) != form.has_experts) {
    return *where.experts ? "needs experts" : "refuses experts";
  }
  if (where.a != 0 && where.a != contiguous_a(form)) {
    return not_met("a", {where.a}, {contiguous_a(form)});
  }
  if (where.b != 0 && where.b != contiguous_b(form)) {
    return not_met("b", {where.b}, {contiguous_b(form)});
  }
  if (where.beta.value_or(form.beta) != form.beta) {
    return not_met("beta", *where.beta ? "yes" : "no", form.beta ? "yes" : "no");
  }
  const std::vector<std::string> steps = step_names(form);
  if (where.epilogue.value_or(steps) != steps) {
    return not_met("epilogue", epilogue_word(*where.epilogue), epilogue_word(steps));
  }
  return "";
}

std::string unmet(const GemmTableEntry& entry, const GemmProduct& product,
                  const DeviceCaps& device) {
  const std::vector<std::int64_t> shape =
      product.shape.value_or(std::vector<std::int64_t>(3, kUnknownExtent));
  const Numbers numbers{static_cast<double>(shape[0]), static_cast<double>(shape[1]),
                        static_cast<double>(shape[2]), static_cast<double>(product.batch), device};
  for (const GemmRange& range : entry.where.ranges) {
    const double found = row_of(range.quantity).of(numbers);
    const bool holds =
        static_cast<double>(range.min) <= found && found <= static_cast<double>(range.max);
    if (holds) continue;
    return fmt::format("needs {}, but {} is {:.0f}", to_string(range), row_of(range.quantity).text,
                       found);
  }
  return unmet(entry, product);
}

}  // namespace vkmoye::gen
