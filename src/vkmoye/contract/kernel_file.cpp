// SPDX-License-Identifier: MIT
#include "vkmoye/contract/kernel_file.hpp"

#include <string>
#include <vector>

#include "vkmoye/base/text_file.hpp"
#include "vkmoye/contract/checked_file.hpp"
#include "vkmoye/contract/interface_json.hpp"
#include "vkmoye/contract/kernel_json.hpp"

namespace vkmoye {
namespace {

constexpr FileKind kKernelFile = {"kernel", kKernelFileVersion, 1};

// The oldest version that has all of `kernel`.
FileKind kind_of(const CompiledKernel& kernel) {
  if (kernel.interface.arrivals) return {"kernel", kKernelFileVersion};
  return {"kernel", kernel.interface.specialised.empty() ? 1 : 2};
}

}  // namespace

std::string interface_text(const KernelInterface& kernel) {
  return dump(interface_to_json(kernel), 2) + "\n";
}

std::string kernel_text(const CompiledKernel& kernel) {
  return checked_text(kind_of(kernel), kernel_to_json(kernel));
}

CompiledKernel parse_kernel(std::string_view text) {
  const auto [content, version] = checked_content(kKernelFile, text);
  std::vector<std::string> reasons;
  CompiledKernel kernel = kernel_of_json(content, reasons);
  check_version(kind_of(kernel), version, reasons);
  if (!reasons.empty()) refuse_file(kKernelFile, reasons);
  return kernel;
}

void write_kernel_file(const std::filesystem::path& file, const CompiledKernel& kernel) {
  write_text_file(file, kernel_text(kernel));
}

CompiledKernel read_kernel_file(const std::filesystem::path& file) {
  return parse_text_file(file, parse_kernel);
}

}  // namespace vkmoye
