// SPDX-License-Identifier: MIT
#include "workloads/products/workload.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "baselines/peak.hpp"
#include "numbers/number.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/common/quantise.hpp"
#include "vkmoye/gen/kernels/products/choice/gemm_plan.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"
#include "workloads/products/auto_workload.hpp"
#include "workloads/products/baselines.hpp"
#include "workloads/products/check.hpp"
#include "workloads/products/data.hpp"
#include "workloads/products/packed_workload.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::size_t kWeightsInput = 1;  // B
constexpr std::size_t kOffsetsInput = 2;  // after A and B; products with experts do not read C

// Against u32 offsets, the first row of each expert and then m.
std::vector<std::string> reasons_against_offsets(const std::vector<std::byte>& offsets,
                                                 std::int64_t m) {
  constexpr std::size_t kMaxReasons = 8;  // reasons
  std::vector<std::string> reasons;
  double before = 0;
  const std::size_t count = offsets.size() / sizeof(std::uint32_t);
  for (std::size_t i = 0; i < count && reasons.size() < kMaxReasons; ++i) {
    const double now = load_number(ScalarType::u32, &offsets[i * sizeof(std::uint32_t)]);
    if (i == 0 && now != 0) {
      reasons.push_back(fmt::format("offset 0 is {:.0f}, not 0", now));
    } else if (now < before) {
      reasons.push_back(
          fmt::format("offset {} is {:.0f}, less than the one before, {:.0f}", i, now, before));
    }
    before = now;
  }
  if (reasons.size() < kMaxReasons && before != static_cast<double>(m)) {
    reasons.push_back(
        fmt::format("offset {}, the last, is {:.0f}, but A has {} rows", count - 1, before, m));
  }
  return reasons;
}

class Gemm : public Workload {
 public:
  Gemm(const gen::KernelEntry& entry, gen::KernelRequest request, const GemmProblem& problem,
       const Extents& size, std::string refusal = {})
      : Workload(entry, std::move(request), size),
        refusal_(std::move(refusal)),
        problem_(problem),
        matrices_(arrays_of(problem, size)),
        order_({0, 1}) {
    const auto count = static_cast<int>(matrices_.size());
    for (int input = 3; input < count; ++input) order_.push_back(input);
    order_.push_back(2);
  }

  std::string refusal() const override { return refusal_; }
  std::vector<std::string> reasons_against_contents(
      std::size_t input, const std::vector<std::byte>& contents) const override {
    if (problem_.weights != nullptr && input == kWeightsInput && !problem_.files[input]) {
      const gen::GemmArray& rows = matrices_[input];
      return gen::reasons_against_blocks(*problem_.weights, contents,
                                         rows.cols * static_cast<std::int64_t>(size_of(rows.type)));
    }
    if (problem_.experts == 0 || input != kOffsetsInput) return {};
    return reasons_against_offsets(contents, size()[0]);
  }
  std::string type_text() const override { return problem_.type_text(); }
  std::vector<std::string> command_options() const override {
    return gemm_command_options(problem_);
  }

  std::vector<Array> arrays() const override {
    std::vector<Array> arrays;
    for (const int which : order_) {
      const gen::GemmArray& matrix = matrix_at(which);
      const std::uint64_t width = size_of(matrix.type);
      Array& array = arrays.emplace_back();
      array.name = matrix.name;
      array.bytes = matrix.span() * width;
      array.offset = static_cast<std::uint64_t>(matrix.offset) * width;
      const int unread = which > 2 && !problem_.reads_c() ? 1 : 0;  // C is not among the arrays
      if (which != 2 || problem_.reads_c()) array.input = static_cast<std::size_t>(which - unread);
    }
    return arrays;
  }
  // If C has m contiguous, the kernel exchanges A and B.
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
    if (entry().takes_packed) return packed_probes(entry(), request_for(caps));
    return entry().probes ? entry().probes(request_for(caps)) : std::vector<gen::ProbedMatrix>();
  }

  RunPlan plan(const DeviceCaps& caps) const override { return make_plan(caps, /*packs=*/true); }
  RunPlan described_plan(const DeviceCaps& caps) const override {
    std::vector<std::string> unknown;
    if (entry().takes_packed) {
      for (const gen::ProbedMatrix& probed : probes(caps)) {
        const auto found = gen::fragment_layout(caps, probed);
        if (!found.layout) unknown.push_back(found.reason);
      }
    }
    RunPlan plan = make_plan(caps, /*packs=*/unknown.empty());
    if (!unknown.empty()) {
      plan.left_out = {"the kernels that pack A and B: " + join(unknown, "; ")};
    }
    return plan;
  }

  double bytes() const override {
    if (size()[0] == 0 || size()[1] == 0) return 0;  // a C without elements needs no reads
    double bytes = 0;
    for (const gen::GemmArray& matrix : matrices_) {
      const double elements = static_cast<double>(matrix.rows) * static_cast<double>(matrix.cols) *
                              static_cast<double>(matrix.stride == 0 ? 1 : matrix.batch);
      const int passes = matrix.name == "C" && problem_.reads_c() ? 2 : 1;
      bytes += passes * elements * static_cast<double>(size_of(matrix.type));
    }
    return bytes;
  }
  double flops() const override { return 2 * products(); }
  // Up to so many operations per byte, every device is memory-bound.
  bool is_bound_by_memory() const override { return flops() <= 8 * bytes(); }
  bool is_checked_in_full() const override { return products() <= 0x1p29; }

  void fill(Execution& execution, std::uint64_t seed) const override {
    const GemmData data(problem_, size(), seed);
    for (std::size_t i = 0; i < order_.size(); ++i) execution.write(i, data.bytes(order_[i]));
  }

  CheckResult check(const Execution& execution, Verify verify, std::uint64_t seed) const override {
    const std::vector<std::byte> result =
        read_all(execution, order_.size() - 1, arrays().back().bytes);
    const auto wider = execution.has_matrices() ? WiderOperand::rounded : WiderOperand::kept;
    return check_gemm(GemmData(problem_, size(), seed), problem_, size(), result, verify, seed,
                      wider);
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
  // `packs`: with the steps that pack operands.
  RunPlan make_plan(const DeviceCaps& caps, bool packs) const {
    const gen::KernelRequest request = request_for(caps);
    const bool takes_packed = entry().takes_packed;
    RunPlan plan = plan_of(takes_packed ? packed_plan(entry(), request, problem_, size(), packs)
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
    for (gen::GemmArray& input : further_inputs_of(problem, size)) all.push_back(std::move(input));
    return all;
  }
  const gen::GemmArray& matrix_at(int which) const {
    return matrices_[static_cast<std::size_t>(which)];
  }
  double products() const {
    return static_cast<double>(size()[0]) * static_cast<double>(size()[1]) *
           static_cast<double>(size()[2]) * static_cast<double>(problem_.batch);
  }

  std::string refusal_;
  GemmProblem problem_;
  std::vector<gen::GemmArray> matrices_;  // A, B, C, then those that the epilogue reads
  std::vector<int> order_;                // the index among them of each of arrays()
};

}  // namespace

gen::KernelRequest request_of(const WorkloadSpec& spec, const GemmProblem& problem,
                              const Extents& size) {
  return gen::request_of(problem, size, common_device(), spec.config);
}

namespace {

// `problem` with B in the format that the kernel supplies. As the user has not asked for it, a product that it does not
// fit is refused, which is no error of a command with several kernels.
std::unique_ptr<Workload> make_product_by_weights(const WorkloadSpec& spec,
                                                  const GemmProblem& problem, const Extents& size) {
  GemmProblem with_weights = problem;
  with_weights.weights = spec.entry->weights;
  with_weights.b_type = gen::kWeightType;
  const auto refused = [&](std::string reason) {
    return std::make_unique<Gemm>(*spec.entry, request_of(spec, with_weights, size), problem, size,
                                  std::move(reason));
  };
  const auto reasons = gen::reasons_against_form(with_weights.form(), {.weights = true});
  if (!reasons.empty()) return refused(join(reasons, "; "));
  try {
    return make_product(spec, with_weights, size);
  } catch (const ArgumentError& error) {
    return refused(error.what());
  }
}

}  // namespace

std::unique_ptr<Workload> make_product(const WorkloadSpec& spec, const GemmProblem& problem,
                                       const Extents& size) {
  if (problem.packed != "none" && !spec.entry->takes_packed) {
    throw ArgumentError(
        fmt::format("--packed {}: {} takes plain operands; gemm/packed takes packed "
                    "ones",
                    problem.packed, spec.entry->name));
  }
  if (spec.entry->weights != nullptr && problem.packed.find('a') != std::string::npos) {
    throw ArgumentError(
        fmt::format("--packed {}: {} takes A as it is; --packed b packs the weights",
                    problem.packed, spec.entry->name));
  }
  if (spec.entry->weights != nullptr && problem.weights == nullptr) {
    return make_product_by_weights(spec, problem, size);
  }
  if (spec.entry->chooses) return make_chosen_product(spec, problem, size);
  return std::make_unique<Gemm>(*spec.entry, request_of(spec, problem, size), problem, size);
}

}  // namespace vkmoye::bench
