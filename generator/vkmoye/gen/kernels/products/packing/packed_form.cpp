// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/packing/packed_form.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/products/sources/packed_weights.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {

std::string to_string(const PackedForm& form) {
  return fmt::format("{}{}{} {} {}x{} x {}x{}", form.weights == nullptr ? "" : form.weights->name,
                     form.weights == nullptr ? "" : " for ", to_string(form.type), form.use,
                     form.rows, form.depth, form.group, form.steps);
}

std::int64_t PackedForm::block_bytes() const {
  if (weights == nullptr) return block_elements() * static_cast<std::int64_t>(size_of(type));
  return packed_bytes(*weights, block_rows(), block_depth());
}

View output_block(Builder& builder, ScalarType type, std::int64_t elements, bool batched) {
  std::vector<Builder::AxisSpec> axes = {
      {"at", elements}, {"k_block", "k_blocks"}, {"block", "blocks"}};
  if (batched) axes.push_back({"batch", "batch"});
  const Tensor dst = builder.output("dst", type, axes);
  if (!batched)
    return slice(tile(dst, {elements, 1, 1}, {0, builder.block_x(), builder.block_y()}), {_, 0, 0});
  return slice(
      tile(dst, {elements, 1, 1, 1}, {0, builder.block_x(), builder.block_y(), builder.block_z()}),
      {_, 0, 0, 0});
}

PackedWeights packed_weights(const PackedForm& form, const DeviceCaps& device) {
  const std::int64_t held = form.fragment_elements() / form.lanes;
  const OrderOrReason found = fragment_layout(device, fragment_of(form));
  if (!found.layout) throw KernelError("pack " + to_string(form), {found.reason});
  LanesOrReason lanes = split_order(*found.layout, held);
  if (!lanes.lanes) throw KernelError("pack " + to_string(form), {lanes.reason});
  return {form.weights, *std::move(lanes.lanes), form.block_rows()};
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
  if (form.weights != nullptr) {
    const PackedWeights weights = packed_weights(form, device);
    const Layout codes = weights.places(weights.planes().front());
    return make_layout(codes.mode(1), codes.mode(0));
  }
  const OrderOrReason found = fragment_layout(device, fragment_of(form));
  if (!found.layout) throw KernelError("pack " + to_string(form), {found.reason});
  const std::int64_t fragment = form.fragment_elements();
  return make_layout(make_layout(found.layout->mode(0), Layout(form.group, fragment)),
                     make_layout(found.layout->mode(1), Layout(form.steps, fragment * form.group)));
}

}  // namespace vkmoye::gen
