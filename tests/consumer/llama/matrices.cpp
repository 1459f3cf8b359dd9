// SPDX-License-Identifier: MIT
#include "matrices.hpp"

#include <algorithm>
#include <cmath>

#include "kernels.hpp"

namespace llama {
namespace {

using namespace vkmoye;

// Whether matrix units hold operands of f16 in an order that is a layout.
bool has_layout(const DeviceCaps& caps, char use) {
  return std::any_of(
      caps.fragment_orders.begin(), caps.fragment_orders.end(), [&](const FragmentOrder& order) {
        return order.use == use && order.type == "f16" && gen::fragment_layout(order).layout;
      });
}

gen::GemmCall call_of(const TensorType& type, ScalarType activations, ScalarType result) {
  gen::GemmCall call;
  call.a_type = activations;
  call.result = result;
  call.weights = type.blocks;
  call.b_type = type.scalar;
  return call;
}

std::int64_t extent(const FileTensor& tensor, std::size_t i) {
  return static_cast<std::int64_t>(tensor.extents[i]);
}

std::string text_of(const TensorType& type, std::int64_t n, std::int64_t k, std::int64_t of) {
  return type.name + " " + std::to_string(n) + "x" + std::to_string(k) +
         (n == of ? "" : " of " + std::to_string(of));
}

// The step of an epilogue that multiplies by silu(gate).
const gen::EpilogueOp& times_silu() {
  static const gen::EpilogueOp step = {.name = "times_silu",
                                       .inputs = {{"gate", gen::GemmInput::Along::both}},
                                       .function = [](gen::Builder& k, const gen::GemmElement& e) {
                                         gen::GemmElement gate = e;
                                         gate.value = k.let("gate_value", e.inputs[0]);
                                         return e.value * std::ldexp(1, -kGatedExponent) *
                                                gen::find_epilogue_op("silu")->function(k, gate);
                                       }};
  return step;
}

// The step that writes h, the next row of activations: norms.hpp.
gen::EpilogueOp weighted(ScalarType activations) {
  using enum gen::GemmInput::Along;
  return {.name = "weigh",
          .inputs = {{"norm_weight", n, ScalarType::f32}, {"scale", m, ScalarType::f32}},
          .function = [](gen::Builder&,
                         const gen::GemmElement& e) { return e.value * e.inputs[1] * e.inputs[0]; },
          .output = "h",
          .output_type = activations};
}

const gen::KernelEntry& packed_weights() { return *gen::find_kernel("gemm/packed_weights"); }

}  // namespace

std::optional<Matrix> joined(const std::vector<Matrix>& matrices) {
  std::vector<Part> parts;
  Matrix out = matrices.front();
  out.n = 0;
  for (const Matrix& matrix : matrices) {
    parts.push_back(matrix.part);
    out.n += matrix.n;
  }
  const std::optional<Part> whole = joined(parts);
  if (!whole) return std::nullopt;
  out.part = *whole;
  return out;
}

Matrices::Matrices(Plans& plans, ScalarType activations)
    : plans_(plans),
      activations_(activations),
      weighted_(weighted(activations)),
      packs_(activations == ScalarType::f16 && has_layout(plans.caps(), 'a') &&
             has_layout(plans.caps(), 'b')) {}

bool Matrices::can_share(const std::vector<const FileTensor*>& tensors, std::int64_t n) const {
  const TensorType& type = *tensors.front()->type;
  std::uint64_t bytes = 0;
  for (const FileTensor* tensor : tensors) bytes += row_bytes(*tensor) * tensor->extents[1];
  if (tensors.size() > 1 && bytes > plans_.max_binding()) return false;
  std::int64_t rows = 1;  // of a block
  if (packs(type)) {
    const gen::GemmCall call = call_of(type, activations_, activations_);
    const std::vector<std::int64_t> size = {1, n, extent(*tensors.front(), 0)};
    const gen::KernelRequest request = gen::request_of(call, size, plans_.caps());
    rows = gen::operand_blocks(packed_weights(), request, call, size)[1].form.block_rows();
  }
  return std::all_of(tensors.begin(), tensors.end(), [&](const FileTensor* tensor) {
    return tensor->type == &type && (extent(*tensor, 1) % rows == 0 || tensor == tensors.back());
  });
}

std::vector<Matrix> Matrices::load(const std::vector<const FileTensor*>& tensors) {
  std::vector<Matrix> out;
  std::int64_t n_of_array = 0;
  for (const FileTensor* tensor : tensors) n_of_array += extent(*tensor, 1);
  if (!can_share(tensors, n_of_array)) {
    for (const FileTensor* tensor : tensors) out.push_back(load({tensor}).front());
    return out;
  }
  std::string array;
  std::vector<std::uint64_t> bytes;
  std::vector<LoadedTensor> loaded;
  for (const FileTensor* tensor : tensors) {
    const TensorType& type = *tensor->type;
    const std::int64_t k = extent(*tensor, 0), n = extent(*tensor, 1);
    array += (array.empty() ? "" : ", ") + tensor->name;
    bytes.push_back(tensor->bytes.size());
    loaded.push_back({tensor, {}});
    if (packs(type)) {
      loaded.back().packing = plans_.number("packing of " + text_of(type, n, k, n_of_array),
                                            [&] { return packing(*tensor, n_of_array); });
      bytes.back() = plans_.all()[*loaded.back().packing].arrays[1].bytes;
    }
    out.push_back({{}, &type, k, n, n_of_array});
  }
  if (loaded.front().packing) array += ", packed";
  const std::vector<Part> parts = parts_of(array, bytes);
  for (std::size_t i = 0; i < parts.size(); ++i) out[i].part = loaded[i].part = parts[i];
  plans_.load(array, loaded);
  return out;
}

std::uint64_t Matrices::row_bytes(const FileTensor& tensor) const {
  if (!packs(*tensor.type)) return tensor.bytes.size() / tensor.extents[1];
  FileTensor some = tensor;
  some.extents[1] = 256;  // whole blocks
  return packing(some, extent(tensor, 1)).arrays[1].bytes / 256;
}

gen::KernelPlan Matrices::packing(const FileTensor& tensor, std::int64_t n_of_array) const {
  // The request is for the whole array, whose blocks all parts have; the size is that of the part.
  const gen::GemmCall call = call_of(*tensor.type, activations_, activations_);
  const std::int64_t k = extent(tensor, 0);
  const gen::KernelRequest request = gen::request_of(call, {1, n_of_array, k}, plans_.caps());
  return gen::pack_plan(request, call, {1, extent(tensor, 1), k}, 1);
}

std::size_t Matrices::product(std::int64_t m, const Matrix& b, ScalarType type, Result result) {
  gen::GemmCall call = call_of(*b.type, activations_, type);
  const bool of_gated = result == Result::of_gated || result == Result::of_gated_and_weighted;
  const bool weighs =
      result == Result::added_and_weighted || result == Result::of_gated_and_weighted;
  call.beta = result == Result::added || of_gated || weighs ? 1 : 0;
  if (of_gated) call.alpha = std::ldexp(1, kGatedExponent);
  if (result == Result::gated) call.epilogue = {{&times_silu()}};
  if (weighs) call.epilogue = {{&weighted_}};
  const char* names[] = {
      "", " adds", " gates", " of gated", " adds and weighs", " of gated and weighs"};
  const std::string key = "product of " + std::to_string(m) + ", " +
                          text_of(*b.type, b.n, b.k, b.n_of_array) + " to " +
                          std::string(to_string(type)) + names[static_cast<int>(result)];
  return plans_.number(key, [&] {
    if (!packs(*b.type)) return gen::gemm_plan(call, {m, b.n, b.k}, plans_.caps());
    const gen::KernelRequest request =
        gen::request_of(call, {m, b.n_of_array, b.k}, plans_.caps());  // as it was packed
    return gen::gemm_plan(packed_weights(), request, call, {m, b.n, b.k},
                          {.comes_packed = {false, true}});
  });
}

}  // namespace llama
