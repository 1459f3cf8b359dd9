// SPDX-License-Identifier: MIT
#include "workloads/products/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "baselines/baselines.hpp"
#include "baselines/peak.hpp"
#include "io/array_order.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/products/choice/plan.hpp"
#include "vkmoye/gen/kernels/products/fragments/packed_form.hpp"
#include "workloads/products/auto_workload.hpp"
#include "workloads/products/check.hpp"
#include "workloads/products/data.hpp"

namespace vkmoye::bench {
namespace {

class Gemm : public Workload {
 public:
  Gemm(const gen::KernelEntry& entry, gen::KernelRequest request, const GemmProblem& problem,
       const Extents& size)
      : Workload(entry, std::move(request), size),
        problem_(problem),
        matrices_(arrays_of(problem, size)),
        order_({0, 1}) {
    const auto count = static_cast<int>(matrices_.size());
    for (int input = 3; input < count; ++input) order_.push_back(input);
    order_.push_back(2);
  }

  std::string type_text() const override { return problem_.type_text(); }
  std::vector<std::string> words() const override { return gemm_words(problem_); }

  std::vector<Array> arrays() const override {
    std::vector<Array> arrays;
    for (const int which : order_) {
      const gen::GemmArray& matrix = matrix_at(which);
      const std::uint64_t width = size_of(matrix.type);
      Array& array = arrays.emplace_back();
      array.name = matrix.name;
      array.bytes = matrix.span() * width;
      array.offset = static_cast<std::uint64_t>(matrix.offset) * width;
      const int unread = which > 2 && problem_.beta == 0 ? 1 : 0;  // C is not given
      if (which != 2 || problem_.beta != 0) array.input = static_cast<std::size_t>(which - unread);
    }
    return arrays;
  }
  // Where C has m contiguous, A and B change places in the kernel.
  std::vector<std::size_t> bindings() const override {
    std::vector<std::size_t> numbers = Workload::bindings();
    if (!problem_.c_n_contiguous) std::swap(numbers[0], numbers[1]);
    return numbers;
  }
  Arguments arguments() const override { return gemm_arguments(problem_, size()); }
  Step step(const DeviceCaps& caps) const override {
    return {gen::gemm_step(entry(), request_for(caps), problem_, size())};
  }
  std::vector<gen::ProbedMatrix> probes(const DeviceCaps& caps) const override {
    if (entry().takes_packed) return packed_probes(request_for(caps));
    return entry().probes ? entry().probes(request_for(caps)) : std::vector<gen::ProbedMatrix>();
  }

  Plan plan(const DeviceCaps& caps) const override { return make_plan(caps, /*packs=*/true); }
  Plan described_plan(const DeviceCaps& caps) const override {
    std::vector<std::string> unknown;
    if (entry().takes_packed) {
      for (const gen::ProbedMatrix& probed : probes(caps)) {
        const auto found = gen::fragment_layout(caps, probed);
        if (!found.layout) unknown.push_back(found.reason);
      }
    }
    Plan plan = make_plan(caps, /*packs=*/unknown.empty());
    if (!unknown.empty()) {
      plan.left_out = {"the kernels that pack A and B: " + join(unknown, "; ")};
    }
    return plan;
  }

  double bytes() const override {
    if (size()[0] == 0 || size()[1] == 0) return 0;  // nothing is read for a C without elements
    double bytes = 0;
    for (const gen::GemmArray& matrix : matrices_) {
      const double elements = static_cast<double>(matrix.rows) * static_cast<double>(matrix.cols) *
                              static_cast<double>(matrix.stride == 0 ? 1 : matrix.batch);
      const int passes = matrix.name == "C" && problem_.beta != 0 ? 2 : 1;
      bytes += passes * elements * static_cast<double>(size_of(matrix.type));
    }
    return bytes;
  }
  double flops() const override { return 2 * products(); }
  // Up to so many operations a byte, the arithmetic of any device keeps up.
  bool is_bound_by_memory() const override { return flops() <= 8 * bytes(); }
  bool is_checked_in_full() const override { return products() <= 0x1p29; }

  void fill(Execution& execution, std::uint64_t seed) const override {
    const GemmData data(problem_, size(), seed);
    for (std::size_t i = 0; i < order_.size(); ++i) execution.write(i, data.bytes(order_[i]));
  }

  Verdict check(const Execution& execution, Verify verify, std::uint64_t seed) const override {
    const std::vector<std::byte> result =
        read_all(execution, order_.size() - 1, arrays().back().bytes);
    GemmProblem problem = problem_;
    problem.rounds_wider = execution.has_matrices();
    return check_gemm(GemmData(problem_, size(), seed), problem, size(), result, verify, seed);
  }

  Timing time_baseline(const std::string& name, const BaselineRun& run) const override {
    if (name == kPeakBaseline) return time_peak(run, problem_.form(), flops());
    return time_gemm_baseline(name, run, problem_, size());
  }

  std::vector<std::int64_t> result_shape() const override {
    const gen::GemmArray& C = matrix_at(2);
    if (C.batch != 1 || problem_.keeps_batch) return {C.batch, C.rows, C.cols};
    return {C.rows, C.cols};
  }
  ScalarType result_type() const override { return problem_.result; }

 private:
  // `packs`: operands in fragment order are packed first.
  Plan make_plan(const DeviceCaps& caps, bool packs) const {
    const gen::KernelRequest request = request_for(caps);
    const bool takes_packed = entry().takes_packed;
    Plan plan = plan_of(takes_packed ? packed_plan(entry(), request, problem_, size(), packs)
                                     : gen::gemm_plan(entry(), request, problem_, size()));
    const std::vector<Array> given = arrays();
    for (std::size_t i = 0; i < given.size(); ++i) {
      const bool comes_packed = i < 2 && problem_.files[i];
      plan.arrays[i].input = given[i].input;
      if (comes_packed) continue;
      plan.arrays[i].offset = given[i].offset;
      plan.arrays[i].bytes = given[i].bytes;
    }
    plan.result = given.size() - 1;
    for (const std::size_t which : {0, 1}) {
      const bool is_step = takes_packed && packs && !problem_.files[which];
      if (is_step && is_packed_beforehand(problem_, which)) ++plan.beforehand;
    }
    return plan;
  }

  static std::vector<gen::GemmArray> arrays_of(const GemmProblem& problem, const Extents& size) {
    const auto product = matrices_of(problem, size);
    std::vector<gen::GemmArray> all(product.begin(), product.end());
    for (gen::GemmArray& input : epilogue_inputs_of(problem, size)) all.push_back(std::move(input));
    return all;
  }
  const gen::GemmArray& matrix_at(int which) const {
    return matrices_[static_cast<std::size_t>(which)];
  }
  double products() const {
    return static_cast<double>(size()[0]) * static_cast<double>(size()[1]) *
           static_cast<double>(size()[2]) * static_cast<double>(problem_.batch);
  }

  GemmProblem problem_;
  std::vector<gen::GemmArray> matrices_;  // A, B, C, what the epilogue reads
  std::vector<int> order_;                // which of them each of arrays() is
};

// Rows, columns and matrices of a given array.
struct Given {
  std::int64_t batch, rows, cols;
  bool is_batch;
};

Given read_shape(const GivenArray& array) {
  const auto& shape = array.shape;
  if (shape.size() != 2 && shape.size() != 3) {
    throw ArgumentError(fmt::format("{}: has {} dimension{}, a product takes 2, or 3 for a batch",
                                    array.name, shape.size(), shape.size() == 1 ? "" : "s"));
  }
  const bool is_batch = shape.size() == 3;
  return {is_batch ? shape[0] : 1, shape[shape.size() - 2], shape.back(), is_batch};
}

// Rows and k of A or B. `k_contiguous`: as the options say, `name` the one.
Given read_operand(const GivenArray& array, char name, bool k_contiguous,
                   std::vector<std::string>& reasons) {
  Given given = read_shape(array);
  if (array.packed) {
    if (!k_contiguous) {
      reasons.push_back(fmt::format("--{}: {} is in fragment order, nothing else is contiguous",
                                    name, array.name));
    }
    return given;
  }
  if (!k_contiguous) std::swap(given.rows, given.cols);
  return given;
}

// What lies in Fortran's order is, in C's, the transposed array, whose other index is contiguous.
GivenArray as_it_lies(GivenArray array, bool& k_contiguous) {
  if (!array.fortran_order) return array;
  array.shape = reversed(array.shape);
  array.fortran_order = false;
  k_contiguous = !k_contiguous;
  return array;
}

// Which operand of the matrix units a file has to be. Where C has m contiguous, they change places.
void expect_operand(const GivenArray& array, bool is_first, std::vector<std::string>& reasons) {
  const char needed = is_first ? 'a' : 'b';
  if (!array.packed || array.packed->form.use == needed) return;
  reasons.push_back(
      fmt::format("{}: is packed as operand {} of the matrix units, {} is needed there", array.name,
                  array.packed->form.use, needed));
}

// What the options say, without its types.
GemmProblem read_problem(const Question& question) {
  GemmProblem problem;
  const auto reasons = gen::read_fields(gemm_problem_fields(), question.values, problem);
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
  return problem;
}

void set_types(GemmProblem& problem, const std::string& text) {
  const GemmProblem types = parse_gemm_type(text);
  problem.a_type = types.a_type;
  problem.b_type = types.b_type;
  problem.accumulator = types.accumulator;
  problem.result = types.result;
}

// A and B, C where it is read, then what the epilogue reads.
void require_count(const Question& question, const GemmProblem& problem, std::size_t count) {
  std::vector<std::string> names = {"A", "B"};
  if (problem.beta != 0) names.push_back("C");
  for (const gen::AppliedStep& named : problem.epilogue) {
    for (const gen::GemmInput& input : named.step->inputs) names.push_back(input.name);
  }
  if (count == names.size()) return;
  constexpr const char* kNumbers[] = {"two", "three", "four", "five", "six"};
  const std::string with =
      problem.epilogue.empty() ? "" : ", --epilogue " + epilogue_text(problem.epilogue);
  throw ArgumentError(fmt::format("{} takes {} arrays, {}, got {}: --beta is {}{}",
                                  question.entry->name, kNumbers[names.size() - 2],
                                  join(names, " "), count, problem.beta, with));
}

std::unique_ptr<Workload> of_arrays(const Question& question,
                                    const std::vector<GivenArray>& given) {
  GemmProblem problem = read_problem(question);
  const bool reads_c = problem.beta != 0;
  require_count(question, problem, given.size());
  const ScalarType a_type = given[0].type, b_type = given[1].type;
  const std::string of_arrays =
      gen::operands_text(a_type, gen::are_multiplied(a_type, b_type) ? b_type : a_type);
  set_types(problem, question.type.empty() ? of_arrays : question.type);
  std::vector<std::string> reasons;
  const GivenArray array_a = as_it_lies(given[0], problem.a_k_contiguous);
  const GivenArray array_b = as_it_lies(given[1], problem.b_k_contiguous);
  const Given a = read_operand(array_a, 'a', problem.a_k_contiguous, reasons);
  const Given b = read_operand(array_b, 'b', problem.b_k_contiguous, reasons);
  const std::int64_t m = a.rows, n = b.rows, k = a.cols, k_of_b = b.cols;
  const auto expect = [&](const GivenArray& array, ScalarType type) {
    if (array.type == type) return;
    reasons.push_back(fmt::format("{}: holds {}, the product takes {} there", array.name,
                                  to_string(array.type), to_string(type)));
  };
  for (const std::size_t i : {0, 1}) {
    const ScalarType type = i == 0 ? problem.a_type : problem.b_type;
    expect(given[i], given[i].packed ? unit_type(problem.form()) : type);
    expect_operand(given[i], (i == 0) == problem.c_n_contiguous, reasons);
    problem.files[i] = given[i].packed;
  }
  for (std::size_t i = 2; i < given.size(); ++i) {
    if (given[i].packed) reasons.push_back(given[i].name + ": is packed, and neither A nor B");
  }
  if (k != k_of_b) {
    reasons.push_back(fmt::format(
        "K is {} in {}, whose shape is {}, and {} in {}, whose shape is {}", k, given[0].name,
        shape_text(given[0].shape), k_of_b, given[1].name, shape_text(given[1].shape)));
  }
  if (a.is_batch && b.is_batch && a.batch != b.batch) {
    reasons.push_back(fmt::format("{} has {} matrices, {} has {}", given[0].name, a.batch,
                                  given[1].name, b.batch));
  }
  problem.batch = a.is_batch ? a.batch : b.batch;
  problem.keeps_batch = a.is_batch || b.is_batch;
  const auto expect_shape = [&](const GivenArray& array, const std::string& what,
                                const std::vector<std::int64_t>& shape) {
    expect(array, problem.result);
    if (array.shape == shape) return;
    reasons.push_back(fmt::format("{}: has the shape {}, {} has {}", array.name,
                                  shape_text(array.shape), what, shape_text(shape)));
  };
  std::vector<std::int64_t> shape = {problem.c_n_contiguous ? m : n,
                                     problem.c_n_contiguous ? n : m};
  if (problem.keeps_batch) shape.insert(shape.begin(), problem.batch);
  if (reads_c) expect_shape(given[2], "C", shape);
  std::size_t next = reads_c ? 3 : 2;
  for (const gen::AppliedStep& named : problem.epilogue) {
    for (const gen::GemmInput& input : named.step->inputs) {
      using Along = gen::GemmInput::Along;
      const std::vector<std::int64_t> vector = {input.along == Along::n ? n : m};
      expect_shape(given[next++], input.name, input.along == Along::both ? shape : vector);
    }
  }
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
  // One matrix for all of the batch.
  if (!a.is_batch) problem.a.stride = 0;
  if (!b.is_batch) problem.b.stride = 0;
  return make_product(question, problem, {m, n, k});
}

std::unique_ptr<Workload> of_size(const Question& question, const Extents& size) {
  return make_product(question, read_product(question.values, question.type), size);
}

}  // namespace

gen::KernelRequest request_of(const Question& question, const GemmProblem& problem,
                              const Extents& size) {
  return gen::request_of(problem, size, common_device(), question.config);
}

GemmProblem read_product(const gen::Options& values, const std::string& type) {
  GemmProblem problem = read_problem({nullptr, type, {}, values});
  set_types(problem, type);
  return problem;
}

std::unique_ptr<Workload> make_product(const Question& question, const GemmProblem& problem,
                                       const Extents& size) {
  if (problem.packed != "none" && !question.entry->takes_packed) {
    throw ArgumentError(
        fmt::format("--packed {}: {} takes plain operands; gemm/packed takes packed "
                    "ones",
                    problem.packed, question.entry->name));
  }
  if (question.entry->chooses) return make_chosen_product(question, problem, size);
  return std::make_unique<Gemm>(*question.entry, request_of(question, problem, size), problem,
                                size);
}

OperandToPack operand_to_pack(const Question& question, bool is_a, const GivenArray& array) {
  OperandToPack out;
  out.is_a = is_a;
  GemmProblem& problem = out.problem;
  problem = read_problem(question);
  set_types(problem, question.type.empty() ? std::string(to_string(array.type)) : question.type);
  const GivenArray given =
      as_it_lies(array, is_a ? problem.a_k_contiguous : problem.b_k_contiguous);
  std::vector<std::string> reasons;
  const auto refuse = [&](const std::string& why) {
    reasons.push_back(fmt::format("{}: {}", given.name, why));
  };
  if (given.packed) refuse("is packed already");
  const ScalarType type = is_a ? problem.a_type : problem.b_type;
  if (given.type != type) {
    refuse(fmt::format("holds {}, the product takes {} there", to_string(given.type),
                       to_string(type)));
  }
  if (!(is_a ? problem.b_k_contiguous : problem.a_k_contiguous)) {
    refuse(
        fmt::format("is operand {}, --{} is of the other one", is_a ? "a" : "b", is_a ? "b" : "a"));
  }
  const char name = is_a ? 'a' : 'b';
  const Given x =
      read_operand(given, name, is_a ? problem.a_k_contiguous : problem.b_k_contiguous, reasons);
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
  problem.batch = x.batch;
  if (x.is_batch) out.batch = x.batch;
  out.size = is_a ? Extents{x.rows, 0, x.cols} : Extents{0, x.rows, x.cols};
  out.request = request_of(question, problem, out.size);
  return out;
}

Operation products() {
  Operation row;
  row.name = "gemm";
  row.size = {"MxNxK", 3, false, {1024, 1024, 1024}};
  row.takes_all_types = true;
  for (const auto& field : gemm_problem_fields()) {
    const bool of_form = field.name == "a" || field.name == "b" || field.name == "c" ||
                         field.name == "alpha" || field.name == "beta" || field.name == "epilogue";
    const bool is_order = field.name == "a" || field.name == "b" || field.name == "c";
    const bool is_packed = field.name == "packed";
    row.options.push_back({field.name, field.help, of_form || is_packed,
                           of_form || is_packed || field.name == "batch" || field.name == "split-k",
                           is_order, field.expects.starts_with("a ") ? field.expects : ""});
  }
  row.baselines = {"cublas", "openblas", kPeakBaseline};
  row.of_size = of_size;
  row.of_arrays = of_arrays;
  row.takes_fortran_order = [](const GivenArray& array, std::size_t place) {
    return place < 2 && array.shape.size() == 2;  // A or B, alone
  };
  return row;
}

}  // namespace vkmoye::bench
