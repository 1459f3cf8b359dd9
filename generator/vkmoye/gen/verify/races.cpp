// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "vkmoye/gen/ir/recurrence.hpp"
#include "vkmoye/gen/machine/machine.hpp"
#include "vkmoye/gen/machine/shadow_memory.hpp"
#include "vkmoye/gen/verify/open_loops.hpp"
#include "vkmoye/gen/verify/scope.hpp"

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

class RaceFinder final : public machine::Environment {
 public:
  RaceFinder(const ir::Kernel& kernel, machine::ReasonsByKind& reasons)
      : kernel_(kernel),
        reasons_(reasons),
        loops_(kernel, [this](const ir::Array& array) { return follows(array); }) {
    for (const ir::Array& array : kernel.arrays) {
      if (!follows(array)) continue;
      shadows_.emplace(array.name, machine::ShadowMemory(
                                       array, static_cast<std::uint64_t>(array.size()),
                                       kernel.threads, {0, 0}, /*is_initialised=*/false, reasons));
    }
  }

  bool follows(const ir::Array& array) const override { return array.is_shared(); }

  void accessed(Machine& m, const MemoryAccess& access) override { record(m, access); }

  // scope.cpp refuses a barrier that not all threads reach, so every thread has waited here.
  void barrier(Machine&, const machine::ThreadSet&) override {
    for (auto& [name, shadow] : shadows_) shadow.barrier();
  }

  // What grows with an open loop holds in some rounds and not in others.
  bool can_rely_on(Machine&, const Expr& condition, const machine::ThreadSet&) override {
    return loops_.repeats(condition);
  }
  void named(Machine&, const std::string& name, const Expr& value) override {
    loops_.named(name, value);
  }

  // Twice around the longest ring of stages, and once more, shows every pair of rounds that meet;
  // of a long loop too, if all that it does repeats.
  Rounds enter(Machine&, const ir::For& loop, std::optional<std::uint32_t> known) override {
    const LoopPattern& pattern = loops_.pattern_of(loop);
    const std::uint64_t enough =
        pattern.rounds.first + std::max<std::uint64_t>(3, 2 * pattern.rounds.period + 1);
    // Conditions that depend on the round then count as unknown, which may reject a sound kernel; so short
    // loops are followed round by round.
    const std::uint64_t few = std::max<std::uint64_t>(enough, pattern.chooses ? kFewRounds : 0);
    const bool stands_for_all = !pattern.grows && !pattern.is_too_long;
    if (known && !(*known > few && stands_for_all)) {
      loops_.enter(loop, /*is_open=*/false);
      return {*known, false};
    }
    // At most so many rounds: all of them are followed.
    if (!known && loop.end->bound <= kFewRounds) {
      loops_.enter(loop, /*is_open=*/false);
      return {static_cast<std::uint32_t>(loop.end->bound - 1), true};
    }
    if (pattern.is_too_long) {
      reasons_.add(
          "period " + loop.variable,
          fmt::format("not proved: the accesses in loop '{}' repeat after more than {} rounds, "
                      "or never, so races cannot be ruled out",
                      loop.variable, ir::kMaxPeriod));
    }
    loops_.enter(loop, /*is_open=*/true);
    return {static_cast<std::uint32_t>(enough), true};
  }
  void leave(Machine&, const ir::For&) override { loops_.leave(); }

  std::any save() override { return shadows_; }
  void restore(const std::any& saved) override { shadows_ = std::any_cast<const State&>(saved); }
  void join(const std::any& saved) override {
    const State& other = std::any_cast<const State&>(saved);
    // Whether it was written before is decided in written_before_read.hpp.
    for (auto& [name, shadow] : shadows_) shadow.join(other.at(name), /*either=*/true);
  }

 private:
  using State = std::map<std::string, machine::ShadowMemory>;

  void record(Machine& m, const MemoryAccess& access) {
    const ir::Element& element = access.element;
    machine::ShadowMemory& shadow = shadows_.at(element.array);
    const Expr& index = element.coordinates[0];
    const Values at = m(index);
    const bool is_repeated = loops_.repeats(index);
    if (!is_repeated || !at.is_known(access.active)) {
      if (may_be_anything(access, shadow)) return record_anything(m, access, shadow);
      const char* why = is_repeated
                            ? "depends on more than numbers, threads and loops with known ends"
                            : "grows without bound with a loop whose end is not known";
      reasons_.add(
          "index " + element.source_text,
          fmt::format("the index of '{}' into shared {} {}, so races cannot be ruled out{}",
                      element.source_text, element.array, why, cure(access, shadow)));
      return;
    }
    access.active.for_each([&](std::size_t thread) {
      const ir::Bits first = *at.in(thread);
      m.budget().spend(element.width);
      if (first % element.width != 0) {
        reasons_.add(
            "alignment " + element.source_text,
            fmt::format("'{}' accesses {} elements of {} at once, from {}[{}] on in thread "
                        "{}; the first must be at a multiple of their number",
                        element.source_text, element.width, element.array, element.array, first,
                        thread));
        return;
      }
      for (std::uint32_t i = 0; i < element.width; ++i) {
        if (first + i >= shadow.elements()) {
          reasons_.add("range " + element.source_text,
                       fmt::format("'{}' touches {}[{}] in thread {}, the array has {} elements",
                                   element.source_text, element.array, first + i, thread,
                                   shadow.elements()));
          return;
        }
        shadow.record(first + i,
                      {access.by_any_lane ? machine::kAnyone : static_cast<std::int64_t>(thread),
                       &element.source_text, access.reads, access.writes, access.atomic});
      }
    });
  }

  // Whether the access is right wherever inside the array it is: it reads one element, changes it atomically, or the
  // author asserts that no other thread accesses it.
  bool may_be_anything(const MemoryAccess& access, const machine::ShadowMemory& shadow) {
    const bool is_free = !access.writes || access.atomic || kernel_.is_distinct(access.array.name);
    return is_free && is_inside(access, shadow);
  }
  // Whether bounds or conditions keep the element inside the array.
  bool is_inside(const MemoryAccess& access, const machine::ShadowMemory& shadow) {
    if (access.element.width != 1) return false;
    if (access.element.coordinates[0]->bound <= shadow.elements()) return true;
    if (!inside_) inside_ = shared_elements_inside(kernel_);
    return inside_->contains(&access.element);
  }
  // What an author can do about an access that is refused; "" if nothing simple.
  std::string cure(const MemoryAccess& access, const machine::ShadowMemory& shadow) {
    if (access.element.width != 1) return "";
    if (!is_inside(access, shadow)) {
      return fmt::format("; keep it below {} by a condition, a remainder or a minimum",
                         shadow.elements());
    }
    return "; use an atomic operation, or assert with assume_distinct that threads write different "
           "elements";
  }
  // Any element below the bound of the index may be the one, also for who accesses it later. Whether it has been
  // written, sizes decide: see trial.hpp.
  void record_anything(Machine& m, const MemoryAccess& access, machine::ShadowMemory& shadow) {
    machine::ElementAccess one{machine::kAnyone, &access.element.source_text,
                               access.reads,     access.writes,
                               access.atomic,    /*perhaps=*/true};
    if (access.atomic || kernel_.is_distinct(access.array.name)) {
      return access.active.for_each([&](std::size_t thread) {
        m.budget().spend(1);
        one.invocation = static_cast<std::int64_t>(thread);
        shadow.record_somewhere(one);
      });
    }
    const std::uint64_t end = std::min(access.element.coordinates[0]->bound, shadow.elements());
    m.budget().spend(end);
    shadow.record(0, one, end);
  }

  const ir::Kernel& kernel_;
  machine::ReasonsByKind& reasons_;
  State shadows_;
  OpenLoops loops_;
  std::optional<std::set<const ir::Element*>> inside_;  // see shared_elements_inside
};

}  // namespace

std::vector<std::string> check_shared_memory(const ir::Kernel& kernel) {
  machine::ReasonsByKind reasons;
  bool any = false;
  for (const ir::Array& array : kernel.arrays) {
    if (!array.is_shared()) continue;
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
    Machine(kernel, {kernel.threads, std::max(1u, kernel.subgroup_size)}, finder, budget).run();
  } catch (const machine::Budget::Exceeded&) {
    reasons.add("steps", fmt::format("the accesses to shared memory are too many to follow: more "
                                     "than {} steps for one workgroup",
                                     kMaxSteps));
  }
  return reasons.list();
}

}  // namespace vkmoye::gen
