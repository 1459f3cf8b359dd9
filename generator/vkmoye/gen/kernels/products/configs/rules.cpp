// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/configs/rules.hpp"

#include <fmt/format.h>

#include "vkmoye/gen/kernels/products/arrays/expert_rows.hpp"
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"

namespace vkmoye::gen {

std::vector<std::string> reasons_against_arithmetic(const GemmForm& form, FormsOfKernel kernel) {
  std::vector<std::string> reasons = reasons_against_form(form, kernel);
  require(are_multiplied(form.a_type, form.b_type),
          fmt::format("operands of {}: two different types must both be f16, bf16 or f32",
                      operands_text(form.a_type, form.b_type)),
          reasons);
  require(
      form.accumulator == ScalarType::f16 || form.accumulator == ScalarType::f32 ||
          form.accumulator == ScalarType::f64 || form.accumulator == ScalarType::i32,
      fmt::format("accumulator {}: it must be f16, f32, f64 or i32", to_string(form.accumulator)),
      reasons);
  return reasons;
}

void require_tile_of_expert(const GemmForm& form, std::int64_t tile_m,
                            std::vector<std::string>& reasons) {
  if (form.has_experts) require_within("tile m of an expert", tile_m, kMaxRowsOfTile, reasons);
}

void require_weights(const GemmForm& form, const char* what, std::vector<std::string>& reasons) {
  require(form.weights != nullptr,
          fmt::format("B of {}: the kernel multiplies by {}, such as {}*q4_0,f32",
                      to_string(form.b_type), what, to_string(form.a_type)),
          reasons);
}

void require_whole_words(std::int64_t blocks, const WeightFormat& format,
                         std::vector<std::string>& reasons) {
  require(blocks == 1 || blocks % blocks_of_pair(format) == 0,
          fmt::format("{} blocks of {} are not whole words of 4 bytes", blocks, format.name),
          reasons);
}

}  // namespace vkmoye::gen
