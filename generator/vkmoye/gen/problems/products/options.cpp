// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/products/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/problems/option_fields.hpp"

namespace vkmoye::gen {
namespace {

using Field = ConfigField<GemmOptions>;

// An option with two letters; the first one means true.
template <class Place>
Field order_field(const char* name, const char* help, char usual, char other, Place is_usual) {
  return word_field<GemmOptions>(name, help, {std::string(1, other), std::string(1, usual)},
                                 is_usual);
}

Field epilogue_field() {
  return {"epilogue",
          "comma-separated steps on alpha * A * B^T + beta * C before it is rounded, in order: " +
              epilogue_expects() +
              " (none); apply takes the arrays that they read after the others",
          "comma-separated steps",
          [](const GemmOptions& problem) { return epilogue_text(problem.epilogue); },
          [](const std::string& text, GemmOptions& problem) {
            problem.epilogue = parse_epilogue(text);
            return true;
          },
          /*changes_result=*/false,
          epilogue_step_names()};
}

std::vector<Field> placement_fields(const std::string& matrix, GemmPlacement GemmOptions::*place) {
  return {count_field<GemmOptions>(
              "ld" + matrix, "elements from one row to the next (contiguous)",
              1, [place](GemmOptions & p) -> auto& { return (p.*place).leading; }),
          count_field<GemmOptions>(
              "stride-" + matrix, "elements from one matrix of the batch to the next (contiguous)",
              0, [place](GemmOptions & p) -> auto& { return (p.*place).stride; }),
          count_field<GemmOptions>(
              "offset-" + matrix, "elements of the buffer before the first one of the matrix (0)",
              0, [place](GemmOptions & p) -> auto& { return (p.*place).offset; })};
}

Field packed_field() {
  const std::vector<std::string> packed = {"none", "a", "b", "ab"};
  return {"packed",
          "operands that gemm/packed finds already packed: none, a, b or ab (none)",
          join(packed, ", "),
          [](const GemmOptions& problem) { return problem.packed; },
          [packed](const std::string& text, GemmOptions& problem) {
            problem.packed = text;
            return std::find(packed.begin(), packed.end(), text) != packed.end();
          },
          /*changes_result=*/false,
          packed};
}

// The accumulator and result types if `--type` names only the operands: those for the wider type; with two operand
// types, the result has the accumulator type.
GemmForm usual_form(ScalarType a, ScalarType b) {
  GemmForm form = gemm_form(size_of(a) < size_of(b) ? b : a);
  if (a != b) form.result = form.accumulator;
  return form;
}

}  // namespace

const std::vector<Field>& gemm_fields() {
  static const std::vector<Field> fields = [] {
    std::vector<Field> all = {
        order_field(
            "a", "the index of A(M,K) that is contiguous: k or m (k)", 'k', 'm',
            [](GemmOptions & p) -> auto& { return p.a_k_contiguous; }),
        order_field(
            "b", "the index of B(N,K) that is contiguous: k or n (k)", 'k', 'n',
            [](GemmOptions & p) -> auto& { return p.b_k_contiguous; }),
        order_field(
            "c", "the index of C(M,N) that is contiguous: n or m (n)", 'n', 'm',
            [](GemmOptions & p) -> auto& { return p.c_n_contiguous; }),
        number_field<GemmOptions>(
            "alpha", "C = alpha * A * B^T + beta * C (1)",
            [](GemmOptions & p) -> auto& { return p.alpha; }),
        number_field<GemmOptions>(
            "beta", "factor of C; with 0, C is not read (0)",
            [](GemmOptions & p) -> auto& { return p.beta; }),
        epilogue_field(),
        count_field<GemmOptions>(
            "batch", "number of products in the batch (1)", 1,
            [](GemmOptions & p) -> auto& { return p.batch; }),
        count_field<GemmOptions>(
            "experts",
            "number of matrices of B, each for a group of rows of A; 0: there are no groups (0)", 0,
            [](GemmOptions & p) -> auto& { return p.experts; }),
        count_field<GemmOptions>(
            "split-k", "number of slices of k, which are summed separately and then added (1)", 1,
            [](GemmOptions & p) -> auto& { return p.slices; })};
    for (const auto& [name, place] :
         {std::pair{"a", &GemmOptions::a}, {"b", &GemmOptions::b}, {"c", &GemmOptions::c}}) {
      for (Field& field : placement_fields(name, place)) all.push_back(std::move(field));
    }
    all.push_back(word_field<GemmOptions>(
        "init", "contents of the arrays: random, integers, nonfinite or hard (random)",
        {"random", "integers", "nonfinite", "hard"},
        [](GemmOptions & p) -> auto& { return p.init; }));
    all.push_back(packed_field());
    return all;
  }();
  return fields;
}

std::string GemmOptions::type_text() const {
  std::string text = operands_text(a_type, b_type, weights);
  const GemmForm usual = usual_form(a_type, b_type);
  if (accumulator == usual.accumulator && result == usual.result) return text;
  text += ',';
  text += to_string(accumulator);
  if (result == accumulator) return text;
  text += ',';
  return text += to_string(result);
}

GemmOptions parse_gemm_type(const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() > 3) {
    throw ArgumentError(fmt::format(
        "type '{}' has {} parts; a product has up to three: operands, accumulator and result", text,
        parts.size()));
  }
  const std::vector<std::string> operands = split(parts.front(), '*');
  if (operands.size() > 2) {
    throw ArgumentError(
        fmt::format("type '{}' has {} operands; a product has two", text, operands.size()));
  }
  GemmOptions problem;
  problem.a_type = parse_type(operands.front());
  // i8 is a weight format beside a floating-point A, and a type beside integers.
  const bool may_be_weights = operands.size() == 2 && is_floating(problem.a_type);
  problem.weights = may_be_weights ? find_weight_format(operands.back()) : nullptr;
  problem.b_type = problem.weights != nullptr ? kWeightType
                   : may_be_weights           ? parse_type(operands.back(), weight_format_names())
                                              : parse_type(operands.back());
  const GemmForm usual = usual_form(problem.a_type, problem.b_type);
  problem.accumulator = parts.size() > 1 ? parse_type(parts[1]) : usual.accumulator;
  problem.result = parts.size() > 1 ? parse_type(parts.back()) : usual.result;
  return problem;
}

void set_types(GemmOptions& problem, const std::string& text) {
  const GemmOptions types = parse_gemm_type(text);
  problem.a_type = types.a_type;
  problem.b_type = types.b_type;
  problem.weights = types.weights;
  problem.accumulator = types.accumulator;
  problem.result = types.result;
}

GemmOptions read_gemm_options(const Options& values) {
  GemmOptions problem;
  const auto reasons = read_fields(gemm_fields(), values, problem);
  if (!reasons.empty()) throw ArgumentError(with_reasons("options of the product", reasons));
  return problem;
}

GemmOptions read_product(const Options& values, const std::string& type) {
  GemmOptions problem = read_gemm_options(values);
  set_types(problem, type);
  return problem;
}

}  // namespace vkmoye::gen
