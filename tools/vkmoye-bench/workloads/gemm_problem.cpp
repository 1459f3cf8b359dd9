// SPDX-License-Identifier: MIT
#include "workloads/gemm_problem.hpp"

#include <fmt/format.h>

#include <cfloat>
#include <cmath>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/gemm_combine.hpp"

namespace vkmoye::bench {
namespace {

Matrix matrix_of(const std::string& name, ScalarType type, bool second_contiguous,
                 std::int64_t first, std::int64_t second, std::int64_t batch,
                 const Placement& place, std::vector<std::string>& reasons) {
  Matrix matrix = {};
  matrix.name = name;
  matrix.type = type;
  matrix.second_contiguous = second_contiguous;
  matrix.rows = second_contiguous ? first : second;
  matrix.cols = second_contiguous ? second : first;
  matrix.leading = place.leading.value_or(matrix.cols);
  matrix.offset = place.offset;
  matrix.batch = batch;
  if (matrix.leading < matrix.cols) {
    reasons.push_back(
        fmt::format("{} has rows of {} elements, {} apart", name, matrix.cols, matrix.leading));
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
    reasons.push_back(fmt::format("the matrices of C span {} elements each and lie {} apart",
                                  matrix_span, matrix.stride));
  }
  return matrix;
}

// As the accumulator takes it.
Argument scalar(double value, ScalarType accumulator) {
  if (is_floating(accumulator)) return value;
  return static_cast<std::int64_t>(value);
}

}  // namespace

gen::GemmForm GemmProblem::form() const {
  gen::GemmForm form;
  form.operand = operand;
  form.accumulator = accumulator;
  form.result = result;
  form.a_k_contiguous = a_k_contiguous;
  form.b_k_contiguous = b_k_contiguous;
  if (!c_n_contiguous) std::swap(form.a_k_contiguous, form.b_k_contiguous);
  form.beta = beta != 0;
  form.batched = batch != 1;
  form.epilogue = kernel_epilogue(epilogue, !c_n_contiguous);
  return slices > 1 ? gen::form_of_slices(form) : form;
}

std::string GemmProblem::type_text() const {
  const auto name = [](ScalarType type) { return std::string(vkmoye::to_string(type)); };
  const gen::GemmForm usual = gen::gemm_form(operand);
  if (accumulator == usual.accumulator && result == usual.result) return name(operand);
  std::string text = name(operand) + ',';
  text += name(accumulator);
  if (result == accumulator) return text;
  text += ',';
  return text + name(result);
}

GemmProblem parse_gemm_type(const std::string& text) {
  std::vector<ScalarType> types;
  for (const std::string& part : split(text, ',')) types.push_back(parse_type(part));
  if (types.size() > 3) {
    throw ArgumentError(
        fmt::format("type '{}' has {} names, a product has operands, accumulator and result", text,
                    types.size()));
  }
  const gen::GemmForm usual = gen::gemm_form(types.front());
  GemmProblem problem;
  problem.operand = types.front();
  problem.accumulator = types.size() > 1 ? types[1] : usual.accumulator;
  problem.result = types.size() > 1 ? types.back() : usual.result;
  return problem;
}

std::uint64_t Matrix::span() const {
  // At stride 0 there is one matrix, also for a batch of none.
  const std::int64_t matrices = stride == 0 ? 1 : batch;
  if (rows == 0 || cols == 0 || matrices == 0) return static_cast<std::uint64_t>(offset);
  return static_cast<std::uint64_t>(offset + (matrices - 1) * stride + (rows - 1) * leading + cols);
}

std::uint64_t Matrix::at(std::int64_t which, std::int64_t i, std::int64_t j) const {
  return static_cast<std::uint64_t>(offset + which * stride + i * step_first() + j * step_second());
}

std::array<Matrix, 3> matrices_of(const GemmProblem& problem, const Extents& size) {
  const std::int64_t m = size[0], n = size[1], k = size[2];
  std::vector<std::string> reasons;
  const auto matrix = [&](const char* name, ScalarType type, bool contiguous, std::int64_t first,
                          std::int64_t second, const Placement& place) {
    return matrix_of(name, type, contiguous, first, second, problem.batch, place, reasons);
  };
  const std::array<Matrix, 3> matrices = {
      matrix("A", problem.operand, problem.a_k_contiguous, m, k, problem.a),
      matrix("B", problem.operand, problem.b_k_contiguous, n, k, problem.b),
      matrix("C", problem.result, problem.c_n_contiguous, m, n, problem.c)};
  std::vector<std::pair<std::string, double>> numbers = {{"alpha", problem.alpha},
                                                         {"beta", problem.beta}};
  for (const NamedStep& named : problem.epilogue) {
    if (!named.step->arguments.empty()) numbers.emplace_back(named.step->name, named.number);
  }
  for (const auto& [name, value] : numbers) {
    // The kernel is given an f64, i32 or u32, of other accumulators an f32.
    const double magnitude = std::fabs(value);
    const bool without_sign = is_unsigned(problem.accumulator);
    const bool whole = value == std::trunc(value) && value >= (without_sign ? 0 : -0x1p31) &&
                       value < (without_sign ? 0x1p32 : 0x1p31);
    const bool normal =
        magnitude == 0 || !std::isfinite(value) || (magnitude >= FLT_MIN && magnitude <= FLT_MAX);
    const bool held = !is_floating(problem.accumulator)        ? whole
                      : problem.accumulator == ScalarType::f64 ? true
                                                               : normal;
    if (held) continue;
    reasons.push_back(fmt::format("{} = {} is no value of the accumulator {}", name, value,
                                  vkmoye::to_string(problem.accumulator)));
  }
  if (problem.slices > 1) {
    const double sums = static_cast<double>(problem.slices) * static_cast<double>(problem.batch) *
                        static_cast<double>(m) * static_cast<double>(n);
    if (sums > 0x1p48) {  // below, nothing wraps
      reasons.push_back(
          fmt::format("{} slices of k of {} products have {} x {} sums each, more than 2^48 in all",
                      problem.slices, problem.batch, m, n));
    }
  }
  if (!reasons.empty()) {
    throw ArgumentError(fmt::format("product {}: {}", to_string(size), join(reasons, "; ")));
  }
  return matrices;
}

Extents kernel_shape(const GemmProblem& problem, const Extents& size) {
  if (problem.c_n_contiguous) return size;
  return {size[1], size[0], size[2]};
}

std::vector<Matrix> epilogue_inputs_of(const GemmProblem& problem, const Extents& size) {
  std::vector<Matrix> inputs;
  for (const NamedStep& named : problem.epilogue) {
    for (const gen::GemmInput& input : named.step->inputs) {
      Matrix& matrix = inputs.emplace_back(matrices_of(problem, size)[2]);
      matrix.name = input.name;
      if (input.along == gen::GemmInput::Along::both) continue;
      matrix.second_contiguous = input.along == gen::GemmInput::Along::n;
      matrix.rows = 1;
      matrix.cols = size[matrix.second_contiguous ? 1 : 0];
      matrix.leading = matrix.stride = matrix.offset = 0;
    }
  }
  return inputs;
}

Arguments gemm_arguments(const GemmProblem& problem, const Extents& size) {
  const auto [A, B, C] = matrices_of(problem, size);
  const bool exchanged = !problem.c_n_contiguous;
  const Matrix& a = exchanged ? B : A;
  const Matrix& b = exchanged ? A : B;
  Arguments arguments = {{"m", size[exchanged ? 1 : 0]},
                         {"n", size[exchanged ? 0 : 1]},
                         {"k", size[2]},
                         {"lda", a.leading},
                         {"ldb", b.leading},
                         {"ldc", C.leading},
                         {"alpha", scalar(problem.alpha, problem.accumulator)}};
  if (problem.form().beta) arguments["beta"] = scalar(problem.beta, problem.accumulator);
  for (const NamedStep& named : problem.epilogue) {
    if (problem.slices > 1) break;  // no part of that kernel
    for (const std::string& name : named.step->arguments) {
      arguments[name] = scalar(named.number, problem.accumulator);
    }
  }
  if (problem.form().batched) {
    arguments["batch"] = problem.batch;
    arguments["stride_a"] = a.stride;
    arguments["stride_b"] = b.stride;
    arguments["stride_c"] = C.stride;
  }
  if (problem.slices > 1) {  // compact sums
    const Extents shape = kernel_shape(problem, size);
    arguments["ldc"] = shape[1];
    arguments["stride_c"] = shape[0] * shape[1];
    arguments["slices"] = problem.slices;
    arguments["alpha"] = scalar(problem.alpha == 0 ? 0 : 1, problem.accumulator);
  }
  return arguments;
}

std::vector<std::string> gemm_words(const GemmProblem& problem) {
  std::vector<std::string> words;
  for (const auto& field : gemm_problem_fields()) {
    const std::string value = field.show(problem);
    if (value == field.show({})) continue;
    words.push_back("--" + field.name);
    words.push_back(value);
  }
  return words;
}

}  // namespace vkmoye::bench
