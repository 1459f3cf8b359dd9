#include "vkmoye/gen/kernels/gemm_form.hpp"

#include <fmt/format.h>

namespace vkmoye::gen {

std::string form_text(const GemmForm& form) {
  std::string text = fmt::format(
      "{},{},{} a={} b={}{}{}{}", to_string(form.operand), to_string(form.accumulator),
      to_string(form.result), form.a_k_contiguous ? 'k' : 'm', form.b_k_contiguous ? 'k' : 'n',
      form.beta ? " beta" : "", form.batched ? " batch" : "", form.split_k ? " split-k" : "");
  if (!form.epilogue.empty()) text += " epilogue=" + epilogue_text(form.epilogue);
  return text;
}

}  // namespace vkmoye::gen
