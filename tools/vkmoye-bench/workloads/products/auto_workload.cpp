// SPDX-License-Identifier: MIT
#include "workloads/products/auto_workload.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "workloads/products/tuned_table.hpp"

namespace vkmoye::bench {
namespace {

// Arrays and definition are those of every product; only the plan depends on the choice.
class ChosenGemm : public Workload {
 public:
  ChosenGemm(const WorkloadSpec& spec, const GemmProblem& problem, const Extents& size)
      : Workload(*spec.entry, request_of(spec, problem, size), size),
        problem_(problem),
        any_(make_product({gen::find_kernel("gemm/simt"), spec.type, {}, {}}, problem, size)) {}

  gen::ir::Kernel describe(const DeviceCaps& caps) const override {
    refuse_options(caps);
    return gen::gemm_auto(gemm_product(problem_, size()), caps, tuned_tables(caps));
  }
  Step step(const DeviceCaps& caps) const override { return chosen(choose(caps))->step(caps); }
  RunPlan plan(const DeviceCaps& caps) const override { return chosen(choose(caps))->plan(caps); }
  RunPlan described_plan(const DeviceCaps& caps) const override {
    refuse_options(caps);
    const gen::GemmProduct product = gemm_product(problem_, size());
    const gen::GemmRefusal refuse = gen::refusal_on(product, caps);
    return chosen(gen::choose_gemm(product, caps, tuned_tables(caps), refuse))
        ->described_plan(caps);
  }
  std::optional<RunPlan> plan_chosen_on(Executor& executor) const override {
    refuse_options(executor.caps());
    return choose_on(executor, problem_, size()).plan;
  }
  std::vector<std::string> choice(const DeviceCaps& caps) const override {
    const gen::GemmChoice choice = choose(caps);
    std::vector<std::string> lines = {
        fmt::format("chosen: {} ({}): {}", choice.text(), choice.row, choice.why)};
    for (const std::string& passed : choice.passed) lines.push_back("passed over: " + passed);
    return lines;
  }

  std::vector<std::string> reasons_against_contents(
      std::size_t input, const std::vector<std::byte>& contents) const override {
    return any_->reasons_against_contents(input, contents);
  }
  std::string type_text() const override { return any_->type_text(); }
  std::vector<std::string> command_options() const override { return any_->command_options(); }
  std::vector<Array> arrays() const override { return any_->arrays(); }
  Arguments arguments() const override { return any_->arguments(); }
  double bytes() const override { return any_->bytes(); }
  double flops() const override { return any_->flops(); }
  bool is_bound_by_memory() const override { return any_->is_bound_by_memory(); }
  bool is_checked_in_full() const override { return any_->is_checked_in_full(); }
  void fill(Execution& execution, std::uint64_t seed) const override {
    any_->fill(execution, seed);
  }
  CheckResult check(const Execution& execution, Verify verify, std::uint64_t seed) const override {
    return any_->check(execution, verify, seed);
  }
  Timing time_baseline(const std::string& name, const BaselineRun& run) const override {
    return any_->time_baseline(name, run);
  }
  std::vector<std::int64_t> result_shape() const override { return any_->result_shape(); }
  ScalarType result_type() const override { return any_->result_type(); }

 private:
  void refuse_options(const DeviceCaps& caps) const {
    if (request().options.empty()) return;
    throw KernelError(entry().name, {gen::no_options_of_a_choice(request().options,
                                                                 gemm_product(problem_, size()),
                                                                 caps, tuned_tables(caps))});
  }
  gen::GemmChoice choose(const DeviceCaps& caps) const {
    refuse_options(caps);
    const gen::GemmProduct product = gemm_product(problem_, size());
    return gen::choose_gemm(product, caps, tuned_tables(caps));
  }
  std::unique_ptr<Workload> chosen(const gen::GemmChoice& choice) const {
    return make_product_by(choice, problem_, size());
  }
  GemmProblem problem_;
  std::unique_ptr<Workload> any_;
};

}  // namespace

gen::GemmProduct gemm_product(const GemmProblem& problem, const Extents& size) {
  return {problem.form(), kernel_shape(problem, size), problem.batch};
}

std::unique_ptr<Workload> make_product_by(const gen::GemmChoice& choice, const GemmProblem& problem,
                                          const Extents& size) {
  GemmProblem cut = problem;
  if (choice.slices > 1) cut.slices = choice.slices;
  return make_product({choice.entry, "", choice.config, {}}, cut, size);
}

ChosenPlan choose_on(Executor& executor, const GemmProblem& problem, const Extents& size) {
  const DeviceCaps caps = executor.caps();
  std::optional<RunPlan> plan;
  gen::GemmChoice choice = gen::choose_gemm(
      gemm_product(problem, size), caps, tuned_tables(caps), [&](const gen::GemmChoice& one) {
        plan = plan_on(executor, *make_product_by(one, problem, size));
        std::vector<std::string> reasons = executor.reasons_against(*plan);
        if (reasons.empty()) reasons = executor.trial_failures(*plan);
        if (!reasons.empty()) plan.reset();
        return reasons;
      });
  if (!plan) plan = plan_on(executor, *make_product_by(choice, problem, size));
  plan->chosen = {{"kernel", choice.entry->name}};
  if (choice.slices > 1) plan->chosen.emplace_back("split-k", std::to_string(choice.slices));
  return {std::move(choice), *std::move(plan)};
}

std::unique_ptr<Workload> make_chosen_product(const WorkloadSpec& spec, const GemmProblem& problem,
                                              const Extents& size) {
  return std::make_unique<ChosenGemm>(spec, problem, size);
}

}  // namespace vkmoye::bench
