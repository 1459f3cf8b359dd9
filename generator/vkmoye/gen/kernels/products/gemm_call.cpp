// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/gemm_call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/products/arrays/expert_rows.hpp"
#include "vkmoye/gen/kernels/products/combine.hpp"

namespace vkmoye::gen {
namespace {

GemmArray matrix_of(const std::string& name, ScalarType type, bool second_contiguous,
                    std::int64_t first, std::int64_t second, std::int64_t batch,
                    const GemmPlacement& place, std::vector<std::string>& reasons) {
  GemmArray matrix = {};
  matrix.name = name;
  matrix.type = type;
  matrix.second_contiguous = second_contiguous;
  matrix.rows = second_contiguous ? first : second;
  matrix.cols = second_contiguous ? second : first;
  matrix.leading = place.leading.value_or(matrix.cols);
  matrix.offset = place.offset;
  matrix.batch = batch;
  if (matrix.leading < matrix.cols) {
    reasons.push_back(fmt::format("{} has rows of {} elements, but they are {} apart", name,
                                  matrix.cols, matrix.leading));
  }
  const double compact = static_cast<double>(matrix.rows) * static_cast<double>(matrix.leading);
  const double stride = place.stride ? static_cast<double>(*place.stride) : compact;
  if (compact + static_cast<double>(batch) * stride > 0x1p48) {  // below, nothing wraps
    reasons.push_back(fmt::format("{} spans more than 2^48 elements", name));
    return matrix;
  }
  matrix.stride = place.stride.value_or(matrix.rows * matrix.leading);
  const std::int64_t matrix_span =
      matrix.rows == 0 ? 0 : (matrix.rows - 1) * matrix.leading + matrix.cols;
  if (name == "C" && batch > 1 && matrix.stride < matrix_span) {
    reasons.push_back(fmt::format("the matrices of C span {} elements each, but they are {} apart",
                                  matrix_span, matrix.stride));
  }
  return matrix;
}

// `matrix`, of elements, as rows of blocks in 16-bit words.
GemmArray in_blocks(GemmArray matrix, const WeightFormat& format,
                    std::vector<std::string>& reasons) {
  const auto words = [&](const char* what, std::int64_t elements) {
    if (elements % format.elements != 0) {
      reasons.push_back(
          fmt::format("B in {} has {} of {} elements, not a multiple of the {} of a "
                      "block",
                      format.name, what, elements, format.elements));
    }
    return elements / format.elements * format.bytes / 2;
  };
  matrix.type = ScalarType::u16;
  matrix.cols = words("rows", matrix.cols);
  matrix.leading = words("a leading dimension", matrix.leading);
  matrix.stride = words("a stride", matrix.stride);
  matrix.offset = words("an offset", matrix.offset);
  return matrix;
}

// `value` in the type of the kernel's argument.
Argument scalar(double value, ScalarType type) {
  if (is_floating(type)) return value;
  return static_cast<std::int64_t>(value);
}

constexpr std::int64_t kMaxExperts = 1 << 16;

// The steps of the transpose, whose n is m.
constexpr std::pair<std::string_view, const char*> kExchanged[] = {
    {"bias", "bias_m"}, {"bias_m", "bias"}, {"scale_m", "scale_n"}, {"scale_n", "scale_m"}};

}  // namespace

GemmForm GemmCall::form() const {
  GemmForm form;
  form.a_type = a_type;
  form.b_type = b_type;
  form.accumulator = accumulator;
  form.result = result;
  form.a_k_contiguous = a_k_contiguous;
  form.b_k_contiguous = b_k_contiguous;
  form.weights = weights;
  if (!c_n_contiguous) {
    std::swap(form.a_type, form.b_type);
    std::swap(form.a_k_contiguous, form.b_k_contiguous);
  }
  form.beta = beta != 0;
  form.batched = batch != 1;
  form.has_experts = experts > 0;
  form.epilogue = kernel_epilogue(epilogue, !c_n_contiguous);
  return slices > 1 ? form_of_slices(form) : form;
}

bool GemmCall::reads_c() const {
  return beta != 0 || std::any_of(epilogue.begin(), epilogue.end(),
                                  [](const auto& named) { return named.step->reads_c; });
}

GemmEpilogue kernel_epilogue(const std::vector<AppliedEpilogueOp>& epilogue, bool exchanged) {
  GemmEpilogue out;
  for (const AppliedEpilogueOp& named : epilogue) {
    const std::string& name = named.step->name;
    const auto other = std::find_if(std::begin(kExchanged), std::end(kExchanged),
                                    [&](const auto& pair) { return pair.first == name; });
    out.push_back(exchanged && other != std::end(kExchanged) ? *find_epilogue_op(other->second)
                                                             : *named.step);
  }
  return out;
}

std::uint64_t GemmArray::span() const {
  // With stride 0 there is one matrix, even for an empty batch.
  const std::int64_t matrices = stride == 0 ? 1 : batch;
  if (rows == 0 || cols == 0 || matrices == 0) return static_cast<std::uint64_t>(offset);
  return static_cast<std::uint64_t>(offset + (matrices - 1) * stride + (rows - 1) * leading + cols);
}

std::uint64_t GemmArray::at(std::int64_t which, std::int64_t i, std::int64_t j) const {
  return static_cast<std::uint64_t>(offset + which * stride + i * step_first() + j * step_second());
}

std::array<GemmArray, 3> matrices_of(const GemmCall& call, const std::vector<std::int64_t>& size) {
  const std::int64_t m = size[0], n = size[1], k = size[2];
  std::vector<std::string> reasons;
  const auto matrix = [&](const char* name, ScalarType type, bool contiguous, std::int64_t first,
                          std::int64_t second, const GemmPlacement& place) {
    const bool has_groups = call.experts > 0 && name == std::string("B");
    return matrix_of(name, type, contiguous, first, second, has_groups ? call.experts : call.batch,
                     place, reasons);
  };
  std::array<GemmArray, 3> matrices = {matrix("A", call.a_type, call.a_k_contiguous, m, k, call.a),
                                       matrix("B", call.b_type, call.b_k_contiguous, n, k, call.b),
                                       matrix("C", call.result, call.c_n_contiguous, m, n, call.c)};
  if (call.weights != nullptr) {
    const bool is_placed = reasons.empty();
    if (!call.c_n_contiguous || !call.b_k_contiguous) {
      reasons.push_back(
          fmt::format("B in {}: its k and the n of C must be contiguous", call.weights->name));
    }
    if (is_placed) matrices[1] = in_blocks(matrices[1], *call.weights, reasons);
  }
  if (call.experts != 0) {
    const auto require = [&](bool holds, std::string reason) {
      if (!holds) reasons.push_back(std::move(reason));
    };
    require(call.experts > 0 && call.experts <= kMaxExperts,
            fmt::format("{} experts are not 1 to {}", call.experts, kMaxExperts));
    require(call.c_n_contiguous, "experts: the n of C must be contiguous");
    require(call.batch == 1, fmt::format("experts: there is no batch, but of {}", call.batch));
    matrices[0].stride = matrices[2].stride = 0;  // for all experts
  }
  std::vector<std::pair<std::string, double>> numbers = {{"alpha", call.alpha},
                                                         {"beta", call.beta}};
  for (const AppliedEpilogueOp& named : call.epilogue) {
    if (!named.step->arguments.empty()) numbers.emplace_back(named.step->name, named.number);
  }
  for (const auto& [name, value] : numbers) {
    // The argument has type f64, i32 or u32 for these accumulators, and f32 for others.
    const double magnitude = std::fabs(value);
    const ScalarType type = call.number_type();
    const bool without_sign = is_unsigned(type);
    const bool whole = value == std::trunc(value) && value >= (without_sign ? 0 : -0x1p31) &&
                       value < (without_sign ? 0x1p32 : 0x1p31);
    const bool normal =
        magnitude == 0 || !std::isfinite(value) || (magnitude >= FLT_MIN && magnitude <= FLT_MAX);
    const bool held = !is_floating(type) ? whole : type == ScalarType::f64 ? true : normal;
    if (held) continue;
    reasons.push_back(fmt::format("{} = {} cannot be represented in the accumulator {}", name,
                                  value, to_string(type)));
  }
  if (call.slices > 1) {
    const double sums = static_cast<double>(call.slices) * static_cast<double>(call.batch) *
                        static_cast<double>(m) * static_cast<double>(n);
    if (sums > 0x1p48) {  // below, nothing wraps
      reasons.push_back(fmt::format(
          "{} slices of k of {} products have {} x {} sums each, more than 2^48 in total",
          call.slices, call.batch, m, n));
    }
  }
  if (!reasons.empty()) {
    throw ArgumentError(with_reasons(fmt::format("product {}", fmt::join(size, "x")), reasons));
  }
  return matrices;
}

std::vector<std::int64_t> kernel_shape(const GemmCall& call,
                                       const std::vector<std::int64_t>& size) {
  if (call.c_n_contiguous) return size;
  return {size[1], size[0], size[2]};
}

std::vector<GemmArray> epilogue_inputs_of(const GemmCall& call,
                                          const std::vector<std::int64_t>& size) {
  std::vector<GemmArray> inputs;
  for (const AppliedEpilogueOp& named : call.epilogue) {
    for (const GemmInput& input : named.step->inputs) {
      GemmArray& matrix = inputs.emplace_back(matrices_of(call, size)[2]);
      matrix.name = input.name;
      matrix.type = input.type.value_or(call.result);
      if (input.along == GemmInput::Along::both) continue;
      matrix.second_contiguous = input.along == GemmInput::Along::n;
      matrix.rows = 1;
      matrix.cols = size[matrix.second_contiguous ? 1 : 0];
      matrix.leading = matrix.stride = matrix.offset = 0;
    }
  }
  return inputs;
}

std::vector<GemmArray> further_inputs_of(const GemmCall& call,
                                         const std::vector<std::int64_t>& size) {
  std::vector<GemmArray> inputs;
  if (call.experts > 0) {
    const std::int64_t ends = call.experts + 1;
    inputs.push_back({.name = "offsets",
                      .type = ScalarType::u32,
                      .second_contiguous = true,
                      .rows = 1,
                      .cols = ends,
                      .leading = ends,
                      .stride = ends,
                      .offset = 0,
                      .batch = 1});
  }
  for (GemmArray& input : epilogue_inputs_of(call, size)) inputs.push_back(std::move(input));
  return inputs;
}

Arguments gemm_arguments(const GemmCall& call, const std::vector<std::int64_t>& size) {
  const auto [A, B, C] = matrices_of(call, size);
  const bool exchanged = !call.c_n_contiguous;
  const ScalarType type = call.slices > 1 ? call.accumulator : call.number_type();
  const GemmArray& a = exchanged ? B : A;
  const GemmArray& b = exchanged ? A : B;
  Arguments arguments = {{"m", size[exchanged ? 1 : 0]},
                         {"n", size[exchanged ? 0 : 1]},
                         {"k", size[2]},
                         {"lda", a.leading},
                         {"ldb", b.leading},
                         {"ldc", C.leading},
                         {"alpha", scalar(call.alpha, type)}};
  if (call.weights != nullptr) arguments["words"] = B.cols;
  if (call.form().beta) arguments["beta"] = scalar(call.beta, type);
  for (const AppliedEpilogueOp& named : call.epilogue) {
    if (call.slices > 1) break;  // gemm/combine applies the epilogue
    for (const std::string& name : named.step->arguments) {
      arguments[name] = scalar(named.number, type);
    }
  }
  if (call.form().batched) {
    arguments["batch"] = call.batch;
    arguments["stride_a"] = a.stride;
    arguments["stride_b"] = b.stride;
    arguments["stride_c"] = C.stride;
  }
  if (call.experts > 0) {
    arguments["experts"] = call.experts;
    arguments["ends"] = call.experts + 1;
    arguments["padded_m"] = size[0] + call.experts * kMaxRowsOfTile;
    arguments["stride_b"] = b.stride;
  }
  if (call.slices > 1) {  // compact sums
    const std::vector<std::int64_t> shape = kernel_shape(call, size);
    arguments["ldc"] = shape[1];
    arguments["stride_c"] = shape[0] * shape[1];
    arguments["slices"] = call.slices;
    arguments["alpha"] = scalar(call.alpha == 0 ? 0 : 1, type);
  }
  return arguments;
}

}  // namespace vkmoye::gen
