// SPDX-License-Identifier: MIT
#include "vkmoye/base/error.hpp"

#include "vkmoye/base/text.hpp"

namespace vkmoye {

KernelError::KernelError(std::string_view subject, std::vector<std::string> all)
    : Error(with_reasons(subject, all)), reasons(std::move(all)) {}

void throw_if_any(std::string_view subject, std::vector<std::string> reasons) {
  if (!reasons.empty()) throw KernelError(subject, std::move(reasons));
}

CompileError::CompileError(std::string_view subject, std::string text, std::string source)
    : Error(std::string(subject) + ": the shader compiler rejected the generated text\n" + text),
      log(std::move(text)),
      numbered_source(std::move(source)) {}

}  // namespace vkmoye
