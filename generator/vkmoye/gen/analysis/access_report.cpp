#include "vkmoye/gen/analysis/access_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/analysis/sites.hpp"
#include "vkmoye/gen/analysis/width_limit.hpp"
#include "vkmoye/gen/ir/evaluate.hpp"
#include "vkmoye/gen/ir/verify.hpp"

namespace vkmoye::gen {
namespace {

using ir::Value;
using ir::Values;

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 27;

// The threads that execute a statement, as far as sizes and threads tell.
using Active = std::vector<bool>;

// Runs one workgroup, and adds what it touches to the reports of the sites.
class Follower {
 public:
  Follower(const ir::Kernel& kernel, const AccessModel& model)
      : model_(model), threads_(kernel.threads), sites_(find_sites(kernel)) {
    for (const PushConstant& argument : kernel.arguments) {
      if (argument.type != ScalarType::u32) continue;
      const auto size = model.sizes.find(argument.name);
      const bool is_first_group = argument.name.starts_with("first_group");
      values_.define(argument.name, Values(threads_, size != model.sizes.end() ? size->second
                                                     : is_first_group          ? 0
                                                                      : model.other_sizes));
    }
    for (const Site& site : sites_.list) {
      AccessReport access;
      access.array = site.array->name;
      access.space = site.array->space;
      access.type = site.array->type;
      access.writes = site.writes;
      access.partition = site.partition;
      access.path = site.path;
      access.width = site.width;
      access.bounds = site.bounds;
      accesses_.push_back(std::move(access));
      limits_.emplace_back(*site.array, site.width, threads_);
      totals_.emplace_back();
    }
    try {
      run(kernel.body, Active(threads_, true));
    } catch (const ir::Budget::Exceeded&) {
      in_part_ = true;
    }
  }

  KernelReport report() && {
    for (std::size_t i = 0; i < accesses_.size(); ++i) {
      AccessReport& access = accesses_[i];
      const Site& site = sites_.list[i];
      const bool unseen = access.requests == 0 && access.bytes() < 16;
      access.not_wider = !site.remainder.empty() ? site.remainder
                         : unseen                ? "it is not made at these sizes"
                                                 : limits_[i].why(site.guards);
      if (totals_[i].found > 0) access.efficiency = totals_[i].ideal / totals_[i].found;
    }
    return {std::move(accesses_), {}, in_part_};
  }

 private:
  struct Total {
    double ideal = 0, found = 0;
  };

  void run(const ir::Body& body, const Active& active) {
    if (std::none_of(active.begin(), active.end(), [](bool on) { return on; })) return;
    for (const ir::Stmt& statement : body) {
      std::visit([&](const auto& s) { step(s, active); }, statement.value);
    }
  }

  void step(const ir::Let& s, const Active&) { values_.define(s.name, Values(values_(s.value))); }
  void step(const ir::Load& s, const Active& active) {
    touch(s.from, active);
    values_.define(s.name, Values(threads_));  // data
  }
  void step(const ir::Store& s, const Active& active) { touch(s.to, active); }
  void step(const ir::Subgroup& s, const Active&) { values_.define(s.name, Values(threads_)); }
  void step(const ir::Atomic& s, const Active& active) {
    touch(s.to, active);
    values_.define(s.name, Values(threads_));
  }
  void step(const ir::Block& s, const Active& active) { run(s.body, active); }
  void step(const ir::Barrier&, const Active&) {}

  // A condition on data may hold: its threads take both ways.
  void step(const ir::If& s, const Active& active) {
    const Values condition = values_(s.condition);
    Active holds = active, fails = active;
    for (std::size_t t = 0; t < threads_; ++t) {
      if (!condition[t]) continue;
      (*condition[t] != 0 ? fails : holds)[t] = false;
    }
    run(s.body, holds);
    run(s.otherwise, fails);
  }

  void step(const ir::For& s, const Active& active) {
    const Values ends = values_(s.end);
    const std::uint32_t most = ir::is_constant(s.end) ? kMostRounds : kMostRunTimeRounds;
    std::uint32_t rounds = 0;
    for (const Value& end : ends) rounds = std::max(rounds, end.value_or(most + 1));
    in_part_ = in_part_ || rounds > most;
    rounds_.emplace_back(s.variable, 0);
    for (std::uint32_t round = 0; round < std::min(rounds, most); ++round) {
      Active inside = active;
      for (std::size_t t = 0; t < threads_; ++t) {
        if (ends[t] && *ends[t] <= round) inside[t] = false;
      }
      rounds_.back().second = round;
      values_.define(s.variable, Values(threads_, round));
      run(s.body, inside);
    }
    rounds_.pop_back();
  }

  void touch(const ir::Element& element, const Active& active) {
    const auto site = sites_.index.find(&element);
    if (site == sites_.index.end()) return;
    const ir::Array& array = *sites_.list[site->second].array;
    std::vector<Values> coordinates, strides;
    for (std::size_t i = 0; i < array.axes.size(); ++i) {
      coordinates.push_back(values_(element.coordinates[i]));
      strides.push_back(values_(array.axes[i].stride));
    }

    AccessReport& access = accesses_[site->second];
    const auto bytes = static_cast<std::int64_t>(size_of(array.type));
    const auto lanes = static_cast<std::size_t>(model_.banks.lanes);
    std::vector<std::uint32_t> at(array.axes.size()), step(array.axes.size());
    for (std::size_t first = 0; first < threads_; first += lanes) {
      LaneAddresses request;
      for (std::size_t t = first; t < std::min(threads_, first + lanes); ++t) {
        request.emplace_back();
        if (!active[t]) continue;
        std::int64_t offset = 0;
        bool is_known = true;
        for (std::size_t i = 0; i < at.size(); ++i) {
          is_known = is_known && coordinates[i][t] && strides[i][t];
          if (!is_known) break;
          at[i] = *coordinates[i][t];
          step[i] = *strides[i][t];
          offset += std::int64_t{at[i]} * step[i];
        }
        if (!is_known) continue;  // by data: no layout says where
        request.back() = offset * bytes;
        limits_[site->second].touch(t, at, step, offset);
      }
      if (std::any_of(request.begin(), request.end(), [](const auto& lane) { return !!lane; })) {
        add(access, totals_[site->second], request, first / lanes);
      }
    }
  }

  void add(AccessReport& access, Total& total, const LaneAddresses& request, std::size_t subgroup) {
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
  ir::Budget budget_{kMostSteps};
  ir::Evaluator values_{threads_, budget_, 0};
  std::vector<std::pair<std::string, std::uint32_t>>
      rounds_;  // of the loops around, outermost first
  bool in_part_ = false;
  // By site.
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
  if (!level) return "not made at these sizes";
  if (access.banks) {
    const BankCost& cost = *access.banks;
    if (*level == Grade::good) return "conflict-free";
    return fmt::format("{}-way bank conflict: {} wavefronts where {} would do", cost.degree,
                       cost.wavefronts, cost.best);
  }
  const SectorCost& cost = *access.sectors;
  if (*level == Grade::good) return "coalesced";
  return fmt::format("{}: {} sectors where {} would do",
                     *level == Grade::bad ? "NOT coalesced"
                     : cost.one_run       ? "coalesced, but from inside a sector on"
                                          : "partly coalesced",
                     cost.found, cost.ideal);
}

KernelReport analyse(const ir::Kernel& kernel, const AccessModel& model) {
  std::vector<std::string> reasons = ir::verify(kernel);
  if (!reasons.empty()) return {{}, std::move(reasons), false};
  return Follower(kernel, model).report();
}

}  // namespace vkmoye::gen
