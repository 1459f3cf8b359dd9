#include "workloads/gemm_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

bool is_product(const gen::KernelEntry* entry) { return entry->operation == gen::Operation::gemm; }

// One of two letters; whether it is the first.
bool parse_order(const std::string& text, char first, char second) {
  if (text.size() == 1 && (text[0] == first || text[0] == second)) return text[0] == first;
  throw ArgumentError(fmt::format("'{}' is no index of it; there are {} {}", text, first, second));
}

Init parse_init(const std::string& text) {
  std::vector<std::string> names;
  for (const Init init : {Init::random, Init::integers, Init::nonfinite}) {
    if (text == to_string(init)) return init;
    names.emplace_back(to_string(init));
  }
  throw ArgumentError(unknown("initialization", text, names));
}

}  // namespace

void GemmOptions::add_to(CLI::App& command, Command which) {
  const auto option = [&](const std::string& name, const std::string& help,
                          const std::function<void(const std::string&)>& read) {
    command
        .add_option_function<std::string>(
            "--" + name,
            [this, name, read](const std::string& text) {
              names_.push_back("--" + name);
              try {
                read(text);
              } catch (const ArgumentError& error) {
                throw ArgumentError("--" + name + ": " + error.what());
              }
            },
            help)
        ->group("Products");
  };
  GemmProblem& p = given_;
  option("a", "the index of A(M,K) that is contiguous: k or m (k)",
         [&p](const std::string& text) { p.a_k_contiguous = parse_order(text, 'k', 'm'); });
  option("b", "the index of B(N,K) that is contiguous: k or n (k)",
         [&p](const std::string& text) { p.b_k_contiguous = parse_order(text, 'k', 'n'); });
  option("c", "the index of C(M,N) that is contiguous: n or m (n)",
         [&p](const std::string& text) { p.c_n_contiguous = parse_order(text, 'n', 'm'); });
  option("alpha", "C = alpha * A * B^T + beta * C (1)",
         [&p](const std::string& text) { p.alpha = parse_number(text); });
  option("beta", "0: C is not read (0)",
         [&p](const std::string& text) { p.beta = parse_number(text); });
  if (which == Command::apply) return;
  option("batch", "how many products at once (1)",
         [&p](const std::string& text) { p.batch = parse_count(text, 1); });
  if (which == Command::emit) return;
  struct Row {
    const char* name;
    Placement* place;
  };
  for (const Row row : {Row{"a", &p.a}, {"b", &p.b}, {"c", &p.c}}) {
    Placement* place = row.place;
    const std::string name = row.name;
    option("ld" + name, "elements from one row to the next (no gap)",
           [place](const std::string& text) { place->leading = parse_count(text, 1); });
    option("stride-" + name, "elements from one matrix of the batch to the next (no gap)",
           [place](const std::string& text) { place->stride = parse_count(text, 0); });
    option("offset-" + name, "elements in the buffer before the first (0)",
           [place](const std::string& text) { place->offset = parse_count(text, 0); });
  }
  option("init", "what the arrays hold: random, integers or nonfinite (random)",
         [&p](const std::string& text) { p.init = parse_init(text); });
}

GemmProblem GemmOptions::problem_of(const std::string& type) const {
  const GemmProblem types = parse_gemm_type(type);
  GemmProblem problem = given_;
  problem.operand = types.operand;
  problem.accumulator = types.accumulator;
  problem.result = types.result;
  return problem;
}

void GemmOptions::refuse_without_product(
    const std::vector<const gen::KernelEntry*>& entries) const {
  if (names_.empty() || std::any_of(entries.begin(), entries.end(), is_product)) return;
  throw ArgumentError(
      fmt::format("{}: for products, and {} is none", join(names_, " "), entries.front()->name));
}

}  // namespace vkmoye::bench
