// SPDX-License-Identifier: MIT
#include "vkmoye/contract/compiled_file.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/base/text_file.hpp"
#include "vkmoye/contract/checked_file.hpp"
#include "vkmoye/contract/kernel_file.hpp"
#include "vkmoye/contract/kernel_json.hpp"
#include "vkmoye/contract/plan_file.hpp"

namespace vkmoye {
namespace {

constexpr FileKind kVariantsFile = {"variants", 1};
constexpr std::string_view kVariants = "vkmoye variants";

CompiledFile parse_one(std::string_view text, std::string_view format) {
  if (format == "vkmoye kernel") return parse_kernel(text);
  if (format == "vkmoye plan") return parse_plan(text);
  if (format == kVariants) throw ArgumentError("a variant is a kernel or a plan, not variants");
  throw ArgumentError(
      "file: \"format\" is none of \"vkmoye kernel\", \"vkmoye plan\" and \"vkmoye variants\", so "
      "it is no file of `vkmoye-bench emit --kernel`");
}

std::string format_of(const Json& file) {
  const auto* format = text_of(member_or_null(file, "format"));
  return format == nullptr ? "" : *format;
}

std::string text_of_one(const CompiledFile& file) {
  const auto* kernel = std::get_if<CompiledKernel>(&file);
  return kernel != nullptr ? kernel_text(*kernel) : plan_text(std::get<CompiledPlan>(file));
}

// "read f32 (cols,rows)", with the strides of an array that has some.
std::string text_of_binding(const Binding& binding) {
  const auto joined = [](const std::vector<Extent>& all) {
    std::vector<std::string> texts;
    for (const Extent& one : all) texts.push_back(to_string(one));
    return join(texts, ",");
  };
  const std::string strides = binding.strides.empty() ? "" : ":" + joined(binding.strides);
  return fmt::format("{} {} ({}){}", to_string(binding.access), to_string(binding.type),
                     joined(binding.extents), strides);
}

// How the caller calls it: "a kernel with src read f32 (cols,rows), ..; arguments cols u32, ..".
std::string call_of(const CompiledFile& file) {
  std::vector<std::string> arrays, arguments;
  if (const auto* plan = std::get_if<CompiledPlan>(&file)) {
    for (std::size_t i = 0; i < plan->arrays.size(); ++i) {
      std::set<std::string> uses;
      for (const CompiledStep& step : plan->steps) {
        for (std::size_t b = 0; b < step.arrays.size(); ++b) {
          const Binding& binding = step.kernel.interface.bindings[b];
          if (step.arrays[b] == i) uses.insert(std::string(to_string(binding.type)));
        }
      }
      arrays.push_back(fmt::format("{} {} of {} bytes", plan->arrays[i].name,
                                   fmt::join(uses, " and "), plan->arrays[i].bytes));
    }
    return fmt::format("a plan with {}", join(arrays, ", "));
  }
  const KernelInterface& kernel = std::get<CompiledKernel>(file).interface;
  for (const Binding& binding : kernel.bindings) {
    arrays.push_back(binding.name + " " + text_of_binding(binding));
  }
  std::map<std::string, std::string> sorted;
  for (const PushConstant& one : kernel.push_constants) {
    if (!is_set_by_runtime(one)) sorted[one.name] = to_string(one.type);
  }
  for (const SpecialisedArgument& one : kernel.specialised) sorted[one.name] = "specialised";
  for (const auto& [name, type] : sorted) arguments.push_back(name + " " + type);
  return fmt::format("a kernel with {}; arguments {}", join(arrays, ", "), join(arguments, ", "));
}

void refuse_what_differs(const std::vector<CompiledFile>& variants) {
  std::vector<std::string> reasons;
  if (variants.empty()) reasons.emplace_back("there are none");
  const std::string first = variants.size() > 1 ? call_of(variants.front()) : "";
  for (std::size_t i = 1; i < variants.size(); ++i) {
    const std::string other = call_of(variants[i]);
    if (other == first) continue;
    reasons.push_back(
        fmt::format("number {} is called in another way than the first: {}; the first is {}", i + 1,
                    other, first));
  }
  if (!reasons.empty()) refuse_file(kVariantsFile, reasons);
}

}  // namespace

std::vector<CompiledFile> parse_variants(std::string_view text) {
  const std::string format = format_of(parse_json(text));
  if (format != kVariants) return {parse_one(text, format)};
  const auto [content, version] = checked_content(kVariantsFile, text);
  if (!content.is_array()) refuse_file(kVariantsFile, {"variants is not an array"});
  std::vector<CompiledFile> variants;
  std::vector<std::string> reasons;
  for (const Json& one : content) {
    try {
      variants.push_back(parse_one(dump(one), format_of(one)));
    } catch (const ArgumentError& error) {
      reasons.push_back(
          fmt::format("number {}: {}", variants.size() + reasons.size() + 1, error.what()));
    }
  }
  if (!reasons.empty()) refuse_file(kVariantsFile, reasons);
  refuse_what_differs(variants);
  return variants;
}

std::string variants_text(const std::vector<CompiledFile>& variants) {
  refuse_what_differs(variants);
  if (variants.size() == 1) return text_of_one(variants.front());
  Json content = Json::array();
  for (const CompiledFile& one : variants) content.push_back(parse_json(text_of_one(one)));
  return checked_text(kVariantsFile, std::move(content));
}

std::size_t fitting_variant(const std::vector<CompiledFile>& variants, const DeviceCaps& caps) {
  if (variants.empty()) refuse_what_differs(variants);
  if (variants.size() == 1) return 0;
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    std::vector<std::string> of_variant;
    for (const KernelInterface* kernel : kernels_of(variants[i])) {
      for (std::string& reason : reasons_against(*kernel, caps)) {
        of_variant.push_back(std::move(reason));
      }
    }
    if (of_variant.empty()) return i;
    reasons.push_back(fmt::format("variant {}: {}", i + 1, join(of_variant, "; ")));
  }
  const auto* plan = std::get_if<CompiledPlan>(&variants.front());
  const std::string& name =
      plan != nullptr ? plan->name : std::get<CompiledKernel>(variants.front()).interface.name;
  throw KernelError(
      fmt::format("{}: {} can run none of {} variants", name, caps.name, variants.size()), reasons);
}

CompiledFile parse_compiled(std::string_view text, const DeviceCaps& caps) {
  std::vector<CompiledFile> variants = parse_variants(text);
  return std::move(variants[fitting_variant(variants, caps)]);
}

std::vector<CompiledFile> read_variants(const std::filesystem::path& file) {
  return parse_text_file(file, parse_variants);
}

CompiledFile read_compiled_file(const std::filesystem::path& file, const DeviceCaps& caps) {
  std::vector<CompiledFile> variants = read_variants(file);
  return std::move(variants[fitting_variant(variants, caps)]);
}

std::vector<const KernelInterface*> kernels_of(const CompiledFile& file) {
  if (const auto* plan = std::get_if<CompiledPlan>(&file)) return kernels_of(*plan);
  return {&std::get<CompiledKernel>(file).interface};
}

}  // namespace vkmoye
