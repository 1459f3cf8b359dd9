// SPDX-License-Identifier: MIT
#include "vkmoye/gen/analysis/access_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/analysis/sites.hpp"
#include "vkmoye/gen/analysis/width_limit.hpp"
#include "vkmoye/gen/machine/machine.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen {
namespace {

using machine::Machine;
using machine::MemoryAccess;
using machine::Values;

constexpr std::uint64_t kMaxReportSteps = std::uint64_t{1} << 27;

// Runs one workgroup, and adds its accesses to the reports of their sites.
class Observer final : public machine::Environment {
 public:
  Observer(const ir::Kernel& kernel, const AccessModel& model)
      : model_(model), threads_(kernel.threads), sites_(find_sites(kernel)) {
    for (const Site& site : sites_.list) {
      AccessReport access;
      access.array = site.array->name;
      access.space = site.array->space;
      access.type = site.array->type;
      access.writes = site.writes;
      access.source_text = site.source_text;
      access.path = site.path;
      access.of_case = site.of_case;
      access.start = site.start;
      access.width = site.width;
      access.bounds = site.bounds;
      accesses_.push_back(std::move(access));
      limits_.emplace_back(*site.array, site.width, threads_);
      totals_.emplace_back();
    }
    const auto lanes = static_cast<std::size_t>(model.banks.lanes);
    Machine machine(kernel, {threads_, lanes, {0, 0, 0}}, *this, budget_);
    for (const PushConstant& argument : kernel.arguments) {
      if (argument.type != ScalarType::u32) continue;
      const auto size = model.sizes.find(argument.name);
      const bool is_first = is_first_group(argument.name);
      machine.values().define(argument.name, Values::same(size != model.sizes.end() ? size->second
                                                          : is_first                ? 0
                                                                     : model.other_sizes));
    }
    try {
      machine.run();
    } catch (const machine::Budget::Exceeded&) {
      in_part_ = true;
    }
  }

  KernelReport report() && {
    for (std::size_t i = 0; i < accesses_.size(); ++i) {
      AccessReport& access = accesses_[i];
      const Site& site = sites_.list[i];
      const bool unseen = access.requests == 0 && access.bytes() < 16;
      access.not_wider = !site.remainder.empty()            ? site.remainder
                         : unseen && access.index_from_data ? "its index depends on data"
                         : unseen                           ? "it is not reached at these sizes"
                         : !site.not_wider.empty()          ? site.not_wider
                                                            : limits_[i].why(site.guards);
      if (totals_[i].found > 0) access.efficiency = totals_[i].ideal / totals_[i].found;
    }
    return {std::move(accesses_), {}, in_part_};
  }

  bool follows(const ir::Array& array) const override { return !array.is_registers(); }
  void accessed(Machine& m, const MemoryAccess& access) override { record(m, access); }
  // A condition on data may hold or fail: both branches run.
  bool forks() const override { return false; }
  machine::Rounds enter(Machine&, const ir::For& loop,
                        std::optional<std::uint32_t> known) override {
    const std::uint32_t max_rounds =
        ir::is_constant(loop.end) ? kMaxFollowedRounds : kMaxFollowedRunTimeRounds;
    const std::uint32_t rounds = known.value_or(max_rounds + 1);
    in_part_ = in_part_ || rounds > max_rounds;
    return {std::min(rounds, max_rounds), false};
  }

 private:
  struct Total {
    double ideal = 0, found = 0;
  };

  void record(Machine& m, const MemoryAccess& made) {
    const auto site = sites_.index.find(&made.element);
    if (site == sites_.index.end()) return;
    const ir::Array& array = made.array;
    std::vector<Values> coordinates, strides;
    const std::vector<ir::Axis> axes = axes_of(made.element, array);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      coordinates.push_back(m(made.element.coordinates[i]));
      strides.push_back(m(axes[i].stride));
    }

    const auto bytes = static_cast<std::int64_t>(size_of(array.type));
    const auto lanes = static_cast<std::size_t>(model_.banks.lanes);
    std::vector<std::uint32_t> at(axes.size());
    std::vector<std::uint64_t> step(axes.size());
    for (std::size_t first = 0; first < threads_; first += lanes) {
      LaneAddresses request;
      for (std::size_t t = first; t < std::min(threads_, first + lanes); ++t) {
        request.emplace_back();
        if (!made.active.has(t)) continue;
        std::int64_t offset = 0;
        bool is_known = true;
        for (std::size_t i = 0; i < at.size(); ++i) {
          is_known = is_known && coordinates[i].in(t) && strides[i].in(t);
          if (!is_known) break;
          at[i] = static_cast<std::uint32_t>(*coordinates[i].in(t));
          step[i] = *strides[i].in(t);
          offset += static_cast<std::int64_t>(at[i] * step[i]);
        }
        if (!is_known) {
          accesses_[site->second].index_from_data = true;
          continue;
        }
        request.back() = offset * bytes;
        limits_[site->second].add(t, at, step, offset);
      }
      if (std::any_of(request.begin(), request.end(), [](const auto& lane) { return !!lane; })) {
        add(m, site->second, request, first / lanes);
      }
    }
  }

  void add(Machine& m, std::size_t site, const LaneAddresses& request, std::size_t subgroup) {
    AccessReport& access = accesses_[site];
    Total& total = totals_[site];
    rounds_ = m.rounds();
    budget_.spend(request.size() * 16);
    ++access.requests;
    if (access.space == ir::Array::Space::shared) {
      const BankCost cost = bank_cost(request, access.bytes(), model_.banks);
      total.ideal += cost.best;
      total.found += cost.wavefronts;
      keep_worst(access, access.banks, cost, request, subgroup);
    } else {
      const SectorCost cost = sector_cost(request, access.bytes(), model_.sector_bytes);
      total.ideal += static_cast<double>(cost.bytes) / static_cast<double>(model_.sector_bytes);
      total.found += cost.found;
      keep_worst(access, access.sectors, cost, request, subgroup);
    }
  }

  template <class Cost>
  void keep_worst(AccessReport& access, std::optional<Cost>& worst, const Cost& cost,
                  const LaneAddresses& request, std::size_t subgroup) {
    if (worst && !is_worse(cost, *worst)) return;
    worst = cost;
    access.worst_subgroup = static_cast<std::uint32_t>(subgroup);
    access.worst_rounds = rounds_;
    access.worst_step.reset();
    for (std::size_t lane = 1; lane < request.size() && !access.worst_step; ++lane) {
      if (!request[lane - 1] || !request[lane]) continue;
      access.worst_step =
          (*request[lane] - *request[lane - 1]) / static_cast<std::int64_t>(size_of(access.type));
    }
  }

  const AccessModel& model_;
  const std::size_t threads_;
  const Sites sites_;
  machine::Budget budget_{kMaxReportSteps};
  // Of the loops around the current statement.
  std::vector<std::pair<std::string, std::uint32_t>> rounds_;
  bool in_part_ = false;
  // One for each site.
  std::vector<AccessReport> accesses_;
  std::vector<WidthLimit> limits_;
  std::vector<Total> totals_;
};

}  // namespace

std::optional<Grade> grade(const AccessReport& access) {
  if (access.sectors) return grade(*access.sectors);
  if (access.banks) return grade(*access.banks);
  return std::nullopt;
}

std::string verdict(const AccessReport& access) {
  const auto level = grade(access);
  if (!level && access.index_from_data) return "not known: its index depends on data";
  if (!level) return "not reached at these sizes";
  if (access.banks) {
    const BankCost& cost = *access.banks;
    if (*level == Grade::good) return "conflict-free";
    return fmt::format("{}-way bank conflict: {} wavefronts where {} would do", cost.degree,
                       cost.wavefronts, cost.best);
  }
  const SectorCost& cost = *access.sectors;
  if (*level == Grade::good && access.efficiency >= 0.5) return "coalesced";
  if (*level == Grade::good) {
    return fmt::format("as few sectors as possible, {} bytes used of {} sector{}", cost.bytes,
                       cost.found, cost.found == 1 ? "" : "s");
  }
  return fmt::format("{}: {} sectors where {} would do",
                     *level == Grade::bad ? "NOT coalesced"
                     : cost.one_run       ? "contiguous, but not aligned to sectors"
                                          : "partly coalesced",
                     cost.found, cost.ideal);
}

KernelReport analyse(const ir::Kernel& kernel, const AccessModel& model) {
  std::vector<std::string> reasons = verify(kernel);
  if (!reasons.empty()) return {{}, std::move(reasons), false};
  return Observer(kernel, model).report();
}

}  // namespace vkmoye::gen
