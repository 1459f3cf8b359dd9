// SPDX-License-Identifier: MIT
// The command-line options of products.

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/text.hpp"
#include "workloads/products/problem.hpp"

namespace vkmoye::bench {
namespace {

using Field = gen::ConfigField<GemmProblem>;

// An option with two letters; the first one means true.
Field order_field(std::string name, std::string help, char usual, char other,
                  bool GemmProblem::*is_usual) {
  return gen::choice_field<GemmProblem, bool>(
      std::move(name), std::move(help), {std::string(1, other), std::string(1, usual)}, is_usual);
}

Field factor_field(std::string name, std::string help, double GemmProblem::*value) {
  return {std::move(name), std::move(help), "a finite number",
          [value](const GemmProblem& problem) { return fmt::format("{}", problem.*value); },
          [value](const std::string& text, GemmProblem& problem) {
            const auto number = parse_number(text);
            if (number) problem.*value = *number;
            return number.has_value();
          }};
}

Field epilogue_field() {
  return {"epilogue",
          "comma-separated steps on alpha * A * B^T + beta * C before it is rounded, in order: " +
              epilogue_expects() +
              " (none); apply takes the arrays that they read after the others",
          "comma-separated steps of " + epilogue_expects(),
          [](const GemmProblem& problem) { return epilogue_text(problem.epilogue); },
          [](const std::string& text, GemmProblem& problem) {
            problem.epilogue = parse_epilogue(text);
            return true;
          }};
}

// An option for a count from `min`, stored in the member of a problem that `place` returns.
template <class Place>
Field count_field(std::string name, std::string help, std::int64_t min, Place place) {
  return {std::move(name), std::move(help), count_text(min),
          [place](const GemmProblem& problem) {
            GemmProblem copy = problem;
            const std::optional<std::int64_t> value = place(copy);
            return value ? std::to_string(*value) : std::string();
          },
          [place, min](const std::string& text, GemmProblem& problem) {
            const auto count = parse_count(text, min);
            if (count) place(problem) = *count;
            return count.has_value();
          }};
}

std::vector<Field> placement_fields(const std::string& matrix,
                                    gen::GemmPlacement GemmProblem::*place) {
  return {count_field(
              "ld" + matrix, "elements from one row to the next (contiguous)",
              1, [place](GemmProblem & p) -> auto& { return (p.*place).leading; }),
          count_field(
              "stride-" + matrix, "elements from one matrix of the batch to the next (contiguous)",
              0, [place](GemmProblem & p) -> auto& { return (p.*place).stride; }),
          count_field(
              "offset-" + matrix, "elements of the buffer before the first one of the matrix (0)",
              0, [place](GemmProblem & p) -> auto& { return (p.*place).offset; })};
}

}  // namespace

const std::vector<Field>& gemm_problem_fields() {
  using P = GemmProblem;
  static const std::vector<Field> fields = [] {
    std::vector<Field> all = {
        order_field("a", "the index of A(M,K) that is contiguous: k or m (k)", 'k', 'm',
                    &P::a_k_contiguous),
        order_field("b", "the index of B(N,K) that is contiguous: k or n (k)", 'k', 'n',
                    &P::b_k_contiguous),
        order_field("c", "the index of C(M,N) that is contiguous: n or m (n)", 'n', 'm',
                    &P::c_n_contiguous),
        factor_field("alpha", "C = alpha * A * B^T + beta * C (1)", &P::alpha),
        factor_field("beta", "factor of C; with 0, C is not read (0)", &P::beta),
        epilogue_field(),
        count_field(
            "batch", "number of products in the batch (1)", 1,
            [](P & p) -> auto& { return p.batch; }),
        count_field(
            "experts",
            "number of matrices of B, each for a group of rows of A; 0: there are no groups (0)", 0,
            [](P & p) -> auto& { return p.experts; }),
        count_field(
            "split-k", "number of slices of k, which are summed separately and then added (1)", 1,
            [](P & p) -> auto& { return p.slices; })};
    for (const auto& [name, place] : {std::pair{"a", &P::a}, {"b", &P::b}, {"c", &P::c}}) {
      for (Field& field : placement_fields(name, place)) all.push_back(std::move(field));
    }
    all.push_back(gen::choice_field<P, Init>(
        "init", "contents of the arrays: random, integers, nonfinite or hard (random)",
        {"random", "integers", "nonfinite", "hard"}, &P::init));
    const std::vector<std::string> packed = {"none", "a", "b", "ab"};
    all.push_back({"packed",
                   "operands that gemm/packed finds already packed: none, a, b or ab (none)",
                   join(packed, ", "), [](const P& problem) { return problem.packed; },
                   [packed](const std::string& text, P& problem) {
                     problem.packed = text;
                     return std::find(packed.begin(), packed.end(), text) != packed.end();
                   }});
    return all;
  }();
  return fields;
}

}  // namespace vkmoye::bench
