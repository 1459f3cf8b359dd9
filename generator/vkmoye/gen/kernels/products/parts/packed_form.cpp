// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/parts/packed_form.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {

std::string to_string(const PackedForm& form) {
  return fmt::format("{} {} {}x{} x {}x{}", to_string(form.type), form.use, form.rows, form.depth,
                     form.group, form.steps);
}

ProbedMatrix fragment_of(const PackedForm& form) {
  const auto rows = static_cast<std::uint32_t>(form.rows);
  const auto depth = static_cast<std::uint32_t>(form.depth);
  using Use = ir::MatrixType::Use;
  return {
      form.type,
      form.use == 'a' ? ir::MatrixType{Use::a, rows, depth} : ir::MatrixType{Use::b, depth, rows},
      form.lanes};
}

Layout block_layout(const PackedForm& form, const DeviceCaps& device) {
  const OrderOrReason found = fragment_layout(device, fragment_of(form));
  if (!found.layout) throw KernelError("pack " + to_string(form), {found.reason});
  const std::int64_t fragment = form.fragment_elements();
  return make_layout(make_layout(found.layout->mode(0), Layout(form.group, fragment)),
                     make_layout(found.layout->mode(1), Layout(form.steps, fragment * form.group)));
}

}  // namespace vkmoye::gen
