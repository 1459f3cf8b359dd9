// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/form/form.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace vkmoye::gen {

std::string form_text(const GemmForm& form) {
  std::string text = fmt::format(
      "{},{},{} a={} b={}{}{}{}", to_string(form.operand), to_string(form.accumulator),
      to_string(form.result), form.a_k_contiguous ? 'k' : 'm', form.b_k_contiguous ? 'k' : 'n',
      form.beta ? " beta" : "", form.batched ? " batch" : "", form.split_k ? " split-k" : "");
  if (!form.epilogue.empty()) text += " epilogue=" + epilogue_text(form.epilogue);
  return text;
}

std::vector<std::pair<std::string, std::string>> items_behind_form(
    const GemmForm& form, std::vector<std::pair<std::string, std::string>> config) {
  config.insert(config.begin(), {"form", form_text(form)});
  return config;
}

std::vector<std::string> reasons_against_form(const GemmForm& form) {
  std::vector<std::string> reasons = reasons_against_epilogue(form);
  const auto require = [&](bool holds, std::string reason) {
    if (!holds) reasons.push_back(std::move(reason));
  };
  require(!form.split_k || (!form.beta && form.epilogue.empty()),
          "slices of k are summed up without C and without an epilogue");
  const std::pair<const char*, ScalarType> types[] = {
      {"operands", form.operand}, {"accumulator", form.accumulator}, {"result", form.result}};
  for (std::size_t i = 1; i < std::size(types); ++i) {
    const auto& [before, one] = types[i - 1];
    const auto& [after, other] = types[i];
    require(is_floating(one) == is_floating(other),
            fmt::format("{} of {} and {} of {}: integers and floating-point numbers do not mix",
                        before, to_string(one), after, to_string(other)));
  }
  require(!is_unsigned(form.result) || is_unsigned(form.accumulator),
          fmt::format("accumulator of {} and result of {}: negative sums are none of its numbers",
                      to_string(form.accumulator), to_string(form.result)));
  return reasons;
}

}  // namespace vkmoye::gen
