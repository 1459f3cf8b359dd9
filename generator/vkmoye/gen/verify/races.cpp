// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "vkmoye/gen/machine/ledger.hpp"
#include "vkmoye/gen/machine/machine.hpp"
#include "vkmoye/gen/verify/growth.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;
using machine::Machine;
using machine::MemoryAccess;
using machine::Rounds;
using machine::Values;

// Far beyond every device; they bound the work of the verifier.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 18;
constexpr std::size_t kMaxThreads = std::size_t{1} << 12;
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 25;

constexpr std::uint32_t kFewRounds = 32;

// A loop that is followed for a few rounds, which stand for all.
struct OpenLoop {
  std::string variable;
  Growths before;
};

class RaceFinder final : public machine::Guest {
 public:
  RaceFinder(const ir::Kernel& kernel, machine::Reasons& reasons)
      : kernel_(kernel), reasons_(reasons) {
    for (const ir::Array& array : kernel.arrays) {
      if (array.space != ir::Array::Space::shared) continue;
      ledgers_.emplace(array.name, machine::Ledger(array, static_cast<std::uint64_t>(array.size()),
                                                   kernel.threads, {0, 0}, false, reasons));
    }
  }

  bool concerns(const ir::Array& array) const override {
    return array.space == ir::Array::Space::shared;
  }

  void accessed(Machine& m, const MemoryAccess& access) override { touch(m, access); }

  // Refused where not all threads reach it; so whoever runs this path has waited.
  void barrier(Machine&, const machine::Lanes&) override {
    for (auto& [name, ledger] : ledgers_) ledger.barrier();
  }

  // What grows with an open loop holds in some rounds and not in others.
  bool can_rely_on(Machine&, const Expr& condition) override {
    const auto growth = growth_of(condition, growths_);
    return loops_.empty() || (growth && growth->step == 0);
  }
  void named(Machine&, const std::string& name, const Expr& value) override {
    if (!loops_.empty()) growths_[name] = growth_of(value, growths_);
  }

  // Twice around the longest ring of stages, and once more, shows every pair of rounds that meet;
  // of a long loop too, if all that it does repeats.
  Rounds enter(Machine&, const ir::For& loop, std::optional<std::uint32_t> known) override {
    Growths inside = growths_;
    inside[loop.variable] = Growth{1, 1};
    Pattern pattern;
    look(loop.body, inside, pattern);
    const auto enough =
        std::max<std::uint32_t>(3, 2 * static_cast<std::uint32_t>(pattern.period) + 1);
    // What chooses is taken for open then, which may cost a sound kernel its proof: the fewer rounds
    // there are, the rather they are followed one by one.
    const std::uint32_t few = std::max(enough, pattern.chooses ? kFewRounds : 0);
    const bool repeats = known && *known > few && !pattern.grows;
    if (known && !repeats) {
      Growths plain = growths_;
      loops_.push_back({"", std::move(plain)});
      growths_.erase(loop.variable);
      return {*known, false};
    }
    loops_.push_back({loop.variable, growths_});
    growths_ = std::move(inside);
    ++open_;
    return {enough, true};
  }
  void leave(Machine&, const ir::For&) override {
    if (!loops_.back().variable.empty()) --open_;
    growths_ = std::move(loops_.back().before);
    loops_.pop_back();
  }

  std::any save() override { return ledgers_; }
  void restore(const std::any& saved) override { ledgers_ = std::any_cast<const State&>(saved); }
  void join(const std::any& saved) override {
    const State& other = std::any_cast<const State&>(saved);
    // Whether a read element was surely written is decided at sizes, see trial.hpp.
    for (auto& [name, ledger] : ledgers_) ledger.join(other.at(name), /*either=*/true);
  }

 private:
  using State = std::map<std::string, machine::Ledger>;

  // What the rounds of a loop have in common.
  struct Pattern {
    std::uint64_t period = 1;
    bool grows = false;    // a shared index does so without bound
    bool chooses = false;  // a condition, or how often an inner loop runs, changes with the round
  };

  void look(const ir::Body& body, Growths names, Pattern& pattern) {
    for (const ir::Stmt& statement : body) {
      const ir::Effects effects = effects_of(statement, kernel_);
      for (const ir::Definition& d : effects.defines) {
        names[d.name] = d.is_data ? std::optional(Growth{}) : growth_of(d.value, names);
      }
      for (const ir::Touch& touch : effects.touches) {
        if (!ledgers_.contains(touch.element->array)) continue;
        const auto growth = growth_of(touch.element->coordinates[0], names);
        pattern.grows = pattern.grows || !growth || growth->step != 0;
        if (growth) add_period(pattern, growth->period);
      }
      for (const ir::Inner& inner : effects.inner) {
        Growths around = names;
        for (const ir::Definition& d : inner.defines) around[d.name] = Growth{};
        if (inner.steered_by != nullptr) {
          const auto growth = growth_of(*inner.steered_by, names);
          pattern.chooses = pattern.chooses || !growth || growth->step != 0;
          if (growth) add_period(pattern, growth->period);
        }
        look(*inner.body, around, pattern);
      }
    }
  }

  static void add_period(Pattern& pattern, std::uint64_t period) {
    pattern.period = std::min(std::lcm(pattern.period, period), kMaxPeriod);
  }

  void touch(Machine& m, const MemoryAccess& access) {
    const ir::Element& element = access.element;
    machine::Ledger& ledger = ledgers_.at(element.array);
    const Expr& index = element.coordinates[0];
    const Values at = m(index);
    const auto growth = open_ > 0 ? growth_of(index, growths_) : Growth{};
    const bool repeats = growth && growth->step == 0;
    if (repeats && !at.is_known(access.active) && may_be_anything(access, ledger)) {
      return read_anything(m, access, ledger);
    }
    if (!repeats || !at.is_known(access.active)) {
      const char* why = repeats
                            ? "by something else than numbers, threads and loops with known ends"
                            : "by what grows without bound with a loop whose end is not known";
      reasons_.add("index " + element.partition,
                   fmt::format("'{}' indexes shared {} {}: races cannot be excluded",
                               element.partition, element.array, why));
      return;
    }
    access.active.for_each([&](std::size_t thread) {
      const ir::Bits first = *at.in(thread);
      m.budget().spend(element.width);
      if (first % element.width != 0) {
        reasons_.add("alignment " + element.partition,
                     fmt::format("'{}' touches {} elements of {} at once from {}[{}] on in thread "
                                 "{}, which is no multiple",
                                 element.partition, element.width, element.array, element.array,
                                 first, thread));
        return;
      }
      for (std::uint32_t i = 0; i < element.width; ++i) {
        if (first + i >= ledger.elements()) {
          reasons_.add(
              "range " + element.partition,
              fmt::format("'{}' touches {}[{}] in thread {}, the array has {} elements",
                          element.partition, element.array, first + i, thread, ledger.elements()));
          return;
        }
        ledger.touch(first + i,
                     {access.by_any_lane ? machine::kAnyone : static_cast<std::int64_t>(thread),
                      &element.partition, access.reads, access.writes, access.atomic});
      }
    });
  }

  // Whether sizes decide which single element inside the array is read.
  static bool may_be_anything(const MemoryAccess& access, const machine::Ledger& ledger) {
    return !access.writes && access.element.width == 1 &&
           access.element.coordinates[0]->bound <= ledger.elements();
  }
  // Each element that has been written is read by somebody; whether another one is, sizes decide: see
  // trial.hpp.
  static void read_anything(Machine& m, const MemoryAccess& access, machine::Ledger& ledger) {
    m.budget().spend(ledger.elements());
    for (std::uint64_t at = 0; at < ledger.elements(); ++at) {
      if (!ledger.is_written(at)) continue;
      ledger.touch(at, {machine::kAnyone, &access.element.partition, /*reads=*/true,
                        /*writes=*/false, /*atomic=*/false});
    }
  }

  const ir::Kernel& kernel_;
  machine::Reasons& reasons_;
  State ledgers_;
  Growths growths_;
  std::vector<OpenLoop> loops_;
  int open_ = 0;
};

}  // namespace

std::vector<std::string> check_shared_memory(const ir::Kernel& kernel) {
  machine::Reasons reasons;
  bool any = false;
  for (const ir::Array& array : kernel.arrays) {
    if (array.space != ir::Array::Space::shared) continue;
    any = true;
    if (array.size() > kMaxElements) {
      reasons.add(array.name,
                  fmt::format("shared {} has {} elements, beyond the {} that any device could hold",
                              array.name, array.size(), kMaxElements));
    }
  }
  if (kernel.threads > kMaxThreads) {
    reasons.add("threads",
                fmt::format("a workgroup of {} threads, beyond the {} that any device could run",
                            kernel.threads, kMaxThreads));
  }
  if (!any || !reasons.list().empty()) return reasons.list();
  machine::Budget budget(kMaxSteps);
  RaceFinder finder(kernel, reasons);
  try {
    Machine(kernel, {kernel.threads, std::max(1u, kernel.subgroup)}, finder, budget).run();
  } catch (const machine::Budget::Exceeded&) {
    reasons.add("steps", fmt::format("the accesses to shared memory are too many to follow: more "
                                     "than {} steps for one workgroup",
                                     kMaxSteps));
  }
  return reasons.list();
}

}  // namespace vkmoye::gen
