// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/choice/choose_gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/matrix_units/probe.hpp"
#include "vkmoye/gen/kernels/products/choice/expected_time.hpp"
#include "vkmoye/gen/kernels/products/combine.hpp"
#include "vkmoye/gen/kernels/products/packed.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"

namespace vkmoye::gen {
namespace {

bool is_described(const GemmChoice& choice, const GemmProduct& product, const DeviceCaps& device) {
  try {
    choice.entry->describe(request_of(choice, product, device));
    return true;
  } catch (const KernelError&) {
    return false;
  }
}

// Why operands cannot be packed, as far as their fragment orders are known.
std::vector<std::string> reasons_against_packing(const GemmForm& product,
                                                 const KernelRequest& request) {
  std::vector<std::string> reasons;
  const GemmPackedConfig config = gemm_packed_config_of(request);
  for (const char use : {'a', 'b'}) {
    const PackedForm form = packed_form(config, product, use);
    const FragmentOrder* order = find_order(request.device, fragment_of(form));
    if (order == nullptr) continue;
    const OrderOrReason layout = fragment_layout(*order);
    if (!layout.layout) reasons.push_back(to_string(form) + ": " + layout.reason);
  }
  return reasons;
}

// The forms that satisfy the conditions of the entry.
std::vector<GemmForm> forms_of(const GemmTableEntry& entry, const KernelEntry& kernel) {
  GemmEpilogue epilogue;
  for (const std::string& name : entry.where.epilogue.value_or(std::vector<std::string>())) {
    if (const EpilogueOp* step = find_epilogue_op(name)) epilogue.push_back(*step);
  }
  std::vector<GemmTypes> types = entry.types;
  if (types.empty() && entry.where.weights.value_or(false)) {
    for (const WeightFormat& format : weight_formats()) {
      types.push_back({ScalarType::f16, kWeightType, ScalarType::f32, {}, &format});
    }
  }
  if (types.empty()) {
    for (const ScalarType type : kernel.types) {
      types.push_back({type, type, gemm_form(type).accumulator});
      if (type == ScalarType::f16) types.push_back({type, type, type});
    }
  }
  std::vector<GemmForm> forms;
  for (const GemmTypes& one : types) {
    for (int i = 0; i < 8; ++i) {
      GemmForm form{one.a, one.b, one.accumulator, one.result.value_or(one.accumulator)};
      form.weights = one.weights;
      form.a_k_contiguous = i % 2 == 0;
      form.b_k_contiguous = i / 2 % 2 == 0;
      form.beta = i / 4 == 1;
      form.has_experts = entry.where.experts.value_or(false);
      form.epilogue = epilogue;
      if (unmet(entry, form).empty()) forms.push_back(std::move(form));
    }
  }
  return forms;
}

}  // namespace

std::string GemmChoice::text() const {
  std::string out = entry->name;
  for (const auto& [name, value] : config) out += fmt::format(" --{} {}", name, value);
  if (slices > 1) out += fmt::format(" --split-k {}", slices);
  return out;
}

GemmChoice choice_of(const GemmTableEntry& entry, const GemmForm& form) {
  throw_if_any(entry.kernel, reasons_against_names(entry));
  GemmChoice choice;
  choice.entry = find_kernel(entry.kernel);
  choice.config = entry.options;
  if (const auto split = choice.config.extract("split-k"); split && !form.split_k) {
    const auto slices = parse_numbers(split.mapped(), 'x');
    if (!slices || slices->size() != 1 || slices->front() < 1) {
      throw KernelError(entry.kernel,
                        {not_read("split-k", split.mapped(), "a whole number from 1")});
    }
    choice.slices = slices->front();
  }
  choice.why = entry.why;
  return choice;
}

KernelRequest request_of(const GemmChoice& choice, const GemmProduct& product,
                         const DeviceCaps& device) {
  GemmProduct form = product;
  if (choice.slices > 1) static_cast<GemmForm&>(form) = form_of_slices(product);
  return {std::move(form), choice.config, device};
}

std::vector<std::string> reasons_against(const GemmChoice& choice, const GemmProduct& product,
                                         const DeviceCaps& device) {
  if (choice.slices > 1 && product.shape && (*product.shape)[2] < choice.slices) {
    return {
        fmt::format("k = {} cannot be split into {} slices", (*product.shape)[2], choice.slices)};
  }
  const KernelRequest request = request_of(choice, product, device);
  const auto reasons =
      choice.entry->refuse ? choice.entry->refuse(request) : std::vector<std::string>();
  const bool packs = choice.entry->takes_packed && choice.entry->weights == nullptr;
  if (reasons.empty() && packs) return reasons_against_packing(product, request);
  return reasons;
}

std::vector<std::string> reasons_against(const GemmTableEntry& entry, const DeviceCaps& device) {
  GemmChoice choice;
  try {
    choice = choice_of(entry, {});
  } catch (const KernelError& error) {
    return error.reasons;
  }
  std::vector<std::string> first;
  for (GemmForm& form : forms_of(entry, *choice.entry)) {
    auto reasons = reasons_against(choice, GemmProduct{std::move(form)}, device);
    if (reasons.empty()) return {};
    if (first.empty()) first = std::move(reasons);
  }
  if (first.empty()) first.emplace_back("its conditions exclude each other");
  return first;
}

namespace {

// Looks for the first choice that nothing rejects, and remembers why others were passed over.
class Search {
 public:
  Search(const GemmProduct& product, const DeviceCaps& device, const GemmRefusal& refuse)
      : product_(product), device_(device), refuse_(refuse) {}

  // In the rows of a table.
  bool finds_in(const GemmTable& table) {
    int place = 0;
    for (const GemmTableEntry& entry : table.entries) {
      ++place;
      if (!is_for_device(entry, device_) || !is_for_types(entry, product_)) continue;
      const std::string source =
          fmt::format("{}, row {}", table.name, entry.number > 0 ? entry.number : place);
      if (const std::string reason = unmet(entry, product_, device_); !reason.empty()) {
        pass(source, entry.kernel, reason);
        continue;
      }
      if (takes(source, entry.kernel, [&] { return choice_of(entry, product_); })) return true;
    }
    return false;
  }

  // Among the configs whose times are expected.
  bool finds_by_time() {
    std::vector<ModelledChoice> all = modelled_choices(product_, device_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      GemmChoice& choice = all[i].choice;
      choice.why =
          fmt::format("expected to take {:.3g} us: {}", all[i].time.microseconds, all[i].time.how);
      if (!takes("expected times", choice.entry->name, [&] { return choice; })) continue;
      const auto next =
          std::find_if(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(),
                       [&](const ModelledChoice& one) {
                         return reasons_against(one.choice, product_, device_).empty();
                       });
      if (next != all.end()) {
        found_->why +=
            fmt::format("; the next, {}, {:.3g} us", next->choice.text(), next->time.microseconds);
      }
      return true;
    }
    return false;
  }

  // What was found; else the first whose kernel can be described.
  GemmChoice result() {
    if (!found_) {
      const auto described = std::find_if(refused_.begin(), refused_.end(), [&](const auto& one) {
        return is_described(one, product_, device_);
      });
      if (described == refused_.end()) throw KernelError("gemm/auto", std::move(passed_));
      found_ = std::move(*described);
    }
    found_->passed = std::move(passed_);
    return *std::move(found_);
  }

 private:
  // Whether nothing rejects the choice that `make` returns, of this kernel.
  bool takes(const std::string& source, const std::string& kernel,
             const std::function<GemmChoice()>& make) try {
    GemmChoice choice = make();
    choice.source = source;
    std::vector<std::string> reasons = reasons_against(choice, product_, device_);
    if (reasons.empty() && refuse_) reasons = refuse_(choice);
    if (reasons.empty()) {
      found_ = std::move(choice);
      return true;
    }
    pass(source, kernel, join(reasons, "; "));
    refused_.push_back(std::move(choice));
    return false;
  } catch (const KernelError& error) {
    pass(source, kernel, join(error.reasons, "; "));
    return false;
  }
  // Each reason once: configs of a kernel are often refused for the same one.
  void pass(const std::string& source, const std::string& kernel, const std::string& reason) {
    std::string why = fmt::format("{}: {}: {}", source, kernel, reason);
    if (std::find(passed_.begin(), passed_.end(), why) == passed_.end()) {
      passed_.push_back(std::move(why));
    }
  }

  const GemmProduct& product_;
  const DeviceCaps& device_;
  const GemmRefusal& refuse_;
  std::optional<GemmChoice> found_;
  std::vector<std::string> passed_;
  std::vector<GemmChoice> refused_;
};

}  // namespace

GemmChoice choose_gemm(const GemmProduct& product, const DeviceCaps& device,
                       const std::vector<GemmTable>& tables, const GemmRefusal& refuse) {
  throw_if_any("gemm/auto",
               reasons_against_type(find_kernel("gemm/auto")->types, multiplied_type(product)));
  Search search(product, device, refuse);
  const bool is_tuned = std::any_of(tables.begin(), tables.end(),
                                    [&](const GemmTable& table) { return search.finds_in(table); });
  if (!is_tuned && !search.finds_in(shipped_gemm_table()) && !search.finds_by_time()) {
    search.finds_in(general_gemm_table());
  }
  return search.result();
}

std::string no_options_of_a_choice(const Options& options, const GemmProduct& product,
                                   const DeviceCaps& device, const std::vector<GemmTable>& tables) {
  return fmt::format(
      "--{} is an option of the kernel that gemm/auto chooses, here {}; name that kernel to change "
      "it",
      options.begin()->first, choose_gemm(product, device, tables).text());
}

ir::Kernel gemm_auto(const GemmProduct& product, const DeviceCaps& device,
                     const std::vector<GemmTable>& tables) {
  std::optional<ir::Kernel> kernel;
  const GemmChoice choice =
      choose_gemm(product, device, tables, [&](const GemmChoice& one) -> std::vector<std::string> {
        if (one.is_plan())
          return {"it is a plan of several kernels, but a single kernel is requested"};
        kernel = one.entry->describe(request_of(one, product, device));
        auto reasons = reasons_against(ir::interface_of(*kernel), device);
        if (!reasons.empty()) kernel.reset();
        return reasons;
      });
  return kernel ? *std::move(kernel) : choice.entry->describe(request_of(choice, product, device));
}

}  // namespace vkmoye::gen
