// SPDX-License-Identifier: MIT
#include "workloads/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "devices/turn.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/products/choice/candidates.hpp"
#include "vkmoye/gen/kernels/products/choice/problem_plan.hpp"
#include "workloads/tuned_table.hpp"

namespace vkmoye::bench {
namespace {

using HostClock = std::chrono::steady_clock;

constexpr std::size_t kFinalists = 3;
constexpr double kOfFirstRound = 0.7;      // fraction of the budget
constexpr double kCheckedAtOnce = 0x1p26;  // multiplications that are checked in a moment
constexpr Extents::value_type kSmall[] = {272, 288, 544};  // whole and edge tiles

// The inputs of a product, which are made once and copied for each kernel.
class ProductInputs : public gen::ArrayMemory {
 public:
  ProductInputs(const gen::Problem& problem, std::uint64_t seed) { problem.fill(*this, seed); }

  void write(std::size_t array, std::span<const std::byte> from, std::uint64_t offset) override {
    writes_.push_back({array, {from.begin(), from.end()}, offset});
  }
  void read(std::size_t, std::span<std::byte>, std::uint64_t) const override {}

  void give_to(Execution& execution) const {
    for (const Write& one : writes_) execution.write(one.array, one.bytes, one.offset);
  }

 private:
  struct Write {
    std::size_t array;
    std::vector<std::byte> bytes;
    std::uint64_t offset;
  };
  std::vector<Write> writes_;
};

class Search {
 public:
  Search(DeviceExecutor& executor, const gen::GemmOptions& problem, const Extents& size,
         const TuneOptions& options)
      : executor_(executor),
        problem_(problem),
        size_(size),
        options_(options),
        start_(HostClock::now()),
        inputs_(gen::GemmProblem(problem, size), options.seed) {}

  Tuning run() {
    const DeviceCaps caps = executor_.caps();
    tuning_.before = choose();
    const std::string before = tuning_.before.text();
    auto candidates = gen::gemm_candidates(gen::product_of(problem_, size_), caps);
    std::erase_if(candidates, [&](const auto& one) { return one.text() == before; });
    begin_round(candidates.size() + 1);
    try_config(tuning_.before);
    std::size_t tried = 0;
    for (; tried < candidates.size(); ++tried) {
      if (seconds() > kOfFirstRound * options_.budget_seconds) break;
      try_config(candidates[tried]);
    }
    tuning_.not_tried = candidates.size() - tried;
    time_finalists(before);
    return std::move(tuning_);
  }

 private:
  // The choice of gemm/auto so far.
  gen::GemmChoice choose() {
    const auto problem = std::make_shared<gen::GemmProblem>(problem_, size_);
    const Workload workload = {gen::find_kernel("gemm/auto"), problem};
    const std::vector<gen::GemmTable> tables = tuned_tables(executor_.caps());
    gen::PlanOptions options = plan_options(executor_, workload);
    options.tables = &tables;
    return gen::choose_plan(workload.request(executor_.caps()), *problem, options).choice;
  }
  double seconds() const {
    return std::chrono::duration<double>(HostClock::now() - start_).count();
  }
  Workload workload_of(const gen::GemmChoice& choice, const Extents& size) const {
    return workload_by(choice, problem_, size);
  }
  double products() const {
    double all = static_cast<double>(problem_.batch);
    for (const std::int64_t extent : size_) all *= static_cast<double>(extent);
    return all;
  }
  // The product, or a smaller one if it is large; extents that are few stay the same.
  Extents checked_size() const {
    if (products() <= kCheckedAtOnce) return size_;
    Extents small = size_;
    for (std::size_t i = 0; i < small.size(); ++i) small[i] = std::min(small[i], kSmall[i]);
    return small;
  }

  void begin_round(std::size_t count) {
    trial_.number = 0;
    trial_.count = count;
  }
  void announce(const std::string& config) {
    trial_.config = config;
    ++trial_.number;
    trial_.seconds_left = std::max(0.0, options_.budget_seconds - seconds());
    options_.on_trial(trial_);
  }

  void try_config(const gen::GemmChoice& choice) {
    announce(choice.text());
    const auto leave_out = [&](std::vector<std::string>& list, const std::string& why) {
      list.push_back(fmt::format("{}: {}", choice.text(), why));
    };
    try {
      std::vector<std::string> reasons =
          gen::reasons_against(choice, gen::product_of(problem_, size_), executor_.caps());
      if (!reasons.empty()) return leave_out(tuning_.refused, join(reasons, "; "));
      const Extents checked = checked_size();
      tuning_.checked_small = checked != size_;
      const Workload workload = workload_of(choice, checked);
      const RunPlan plan = plan_on(executor_, workload);
      reasons = executor_.reasons_against(plan);
      if (!reasons.empty()) return leave_out(tuning_.refused, join(reasons, "; "));
      auto execution = executor_.prepare(plan);
      const std::vector<std::string> spills = execution->on_device()->spills();
      if (!spills.empty()) return leave_out(tuning_.spilling, join(spills, "; "));
      workload.problem->fill(*execution, options_.seed);
      execution->run();
      const gen::CheckResult found =
          workload.problem->check(*execution, gen::Verify::full, options_.seed);
      std::string wrong = found.first;
      if (wrong.empty()) wrong = execution->damage();
      if (!wrong.empty()) return leave_out(tuning_.wrong, wrong);
      if (checked == size_) return time(choice, plan, *execution, trial_seconds());
      execution.reset();
      time_anew(choice, trial_seconds());
    } catch (const KernelError& error) {
      leave_out(tuning_.refused, join(error.reasons, "; "));
    } catch (const Unavailable& why) {
      leave_out(tuning_.refused, why.what());
    } catch (const DeviceError& error) {
      if (error.kind != DeviceError::Kind::kOutOfMemory) throw;
      leave_out(tuning_.refused, error.what());
    }
  }

  double trial_seconds() const { return std::clamp(options_.budget_seconds / 200, 0.01, 0.2); }

  void time_anew(const gen::GemmChoice& choice, double seconds) {
    const RunPlan plan = plan_on(executor_, workload_of(choice, size_));
    throw_if_any(choice.entry->name, executor_.reasons_against(plan));
    const auto execution = executor_.prepare(plan);
    inputs_.give_to(*execution);
    time(choice, plan, *execution, seconds);
  }

  // Adds the config to the timed ones, or replaces its earlier times.
  void time(const gen::GemmChoice& choice, const RunPlan& plan, Execution& execution,
            double seconds) {
    const TimingTurn turn(executor_.caps());
    TimeOptions times;
    times.warm_up_seconds = times.min_seconds = seconds;
    times.max_seconds = 4 * seconds;
    TunedConfig config{choice, plan.steps[plan.main].kernel.config,
                       execution.on_device()->measure({times}), 0};
    config.median_us = quantile(config.timing, 0.5);
    const auto known =
        std::find_if(tuning_.timed.begin(), tuning_.timed.end(),
                     [&](const TunedConfig& one) { return one.choice.text() == choice.text(); });
    if (known == tuning_.timed.end()) {
      tuning_.timed.push_back(std::move(config));
    } else {
      *known = std::move(config);
    }
    std::stable_sort(
        tuning_.timed.begin(), tuning_.timed.end(),
        [](const TunedConfig& a, const TunedConfig& b) { return a.median_us < b.median_us; });
    for (const TunedConfig& one : tuning_.timed) {
      if (one.choice.text() == tuning_.before.text()) tuning_.before_us = one.median_us;
    }
    options_.on_timed(tuning_);
  }

  void time_finalists(const std::string& before) {
    std::vector<gen::GemmChoice> finalists;
    for (const TunedConfig& one : tuning_.timed) {
      if (finalists.size() < kFinalists || one.choice.text() == before) {
        finalists.push_back(one.choice);
      }
    }
    begin_round(finalists.size());
    for (const gen::GemmChoice& choice : finalists) {
      if (seconds() > options_.budget_seconds) return;
      announce("again: " + choice.text());
      time_anew(choice, 2 * trial_seconds());
    }
  }

  DeviceExecutor& executor_;
  const gen::GemmOptions& problem_;
  Extents size_;
  const TuneOptions& options_;
  HostClock::time_point start_;
  ProductInputs inputs_;
  TuneTrial trial_;
  Tuning tuning_;
};

}  // namespace

Workload workload_by(const gen::GemmChoice& choice, const gen::GemmOptions& options,
                     const Extents& size) {
  return {choice.entry, std::make_shared<gen::GemmProblem>(gen::options_by(choice, options), size),
          choice.config};
}

Tuning tune_gemm(DeviceExecutor& executor, const gen::GemmOptions& problem, const Extents& size,
                 const TuneOptions& options) {
  // Checked before the arrays are made on the host.
  std::uint64_t bytes = 0;
  for (const gen::GemmArray& array : matrices_of(problem, size)) {
    bytes += array.span() * size_of(array.type);
  }
  const std::uint64_t available = executor.caps().device_memory_bytes;
  if (bytes > available) {
    throw DeviceLacks("tune gemm " + size_text(size),
                      {fmt::format("its arrays have {} bytes, the device has {} bytes of memory",
                                   bytes, available)});
  }
  return Search(executor, problem, size, options).run();
}

gen::GemmTableEntry tuned_entry(const Tuning& tuning, const gen::GemmOptions& problem,
                                const Extents& size) {
  const TunedConfig& best = tuning.timed.front();
  gen::GemmTableEntry entry = entry_for(gen::product_of(problem, size));
  entry.kernel = best.choice.entry->name;
  entry.options = best.choice.config;
  if (best.choice.slices > 1) entry.options["split-k"] = std::to_string(best.choice.slices);
  entry.why =
      fmt::format("measured: {:.1f} us, {} samples", best.median_us, best.timing.samples_us.size());
  if (tuning.before_us > 0) {
    entry.why += fmt::format(", {:.2f} times the speed of {}", tuning.before_us / best.median_us,
                             tuning.before.text());
  }
  return entry;
}

}  // namespace vkmoye::bench
