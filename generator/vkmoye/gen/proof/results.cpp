// SPDX-License-Identifier: MIT
#include "vkmoye/gen/proof/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace vkmoye::gen::proof {
namespace {

// The steps of isl for all claims about a result: seconds at most.
constexpr unsigned long kMaxStepsOfResults = 3'000'000;

bool is_result(const ir::Array& array) {
  return array.is_buffer() && array.access != vkmoye::Access::read;
}

using Accesses = std::vector<const Access*>;

class ResultProver {
 public:
  explicit ResultProver(AccessSets& sets) : sets_(sets) {
    for (const char* variable : {"thread", "group_x", "group_y", "group_z"}) {
      for (const std::string& part : sets.parts(variable)) invocation_.push_back(part);
    }
  }

  void one_writer(const Accesses& accesses, Obligation& obligation) {
    Set one_invocation = sets_.solver().everything();
    for (const std::string& variable : invocation_) {
      one_invocation =
          one_invocation & sets_.solver().zero({{variable + "'1", 1}, {variable + "'2", -1}}, 0);
    }
    std::vector<Set> first, second, first_hull, second_hull;
    for (const Access* access : accesses) {
      first.push_back(access->points.renamed(copy(1)));
      second.push_back(access->points.renamed(copy(2)));
      const Set hull = access->points.affine_hull();
      first_hull.push_back(hull.renamed(copy(1)));
      second_hull.push_back(hull.renamed(copy(2)));
    }
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      for (std::size_t j = i; j < accesses.size(); ++j) {
        const Access &a = *accesses[i], &b = *accesses[j];
        if (!(a.statement_access.writes || b.statement_access.writes) ||
            (a.statement_access.atomic && b.statement_access.atomic))
          continue;
        // Mostly coordinates alone give the invocation, by equations, which are quickly solved.
        if ((first_hull[i] & second_hull[j]).is_subset_of(one_invocation)) continue;
        Set both = first[i] & second[j];
        if (both.is_subset_of(one_invocation)) continue;
        both = in_branches(both, a.branches, b.branches);
        for (const std::string& variable : invocation_) {
          const Set met = both & differ(variable, i == j);
          if (met.is_empty()) continue;
          const std::string why =
              fmt::format("'{}' and '{}' may touch one element of {} in two invocations",
                          a.statement_access.element->source_text,
                          b.statement_access.element->source_text, a.array->name);
          return contradict(obligation, why, met, a.is_exact && b.is_exact, sets_);
        }
      }
    }
  }

  void covered(const ir::Array& array, const Accesses& accesses, Obligation& obligation) {
    Accesses writes;
    std::string inexact;
    for (const Access* access : accesses) {
      if (!access->statement_access.writes) continue;
      if (access->is_exact) {
        writes.push_back(access);
      } else {
        inexact = access->statement_access.element->source_text;
      }
    }
    const auto& axes = writes.empty() || array.axes.empty() ? array.axes : writes.front()->axes;
    std::erase_if(writes, [&](const Access* one) { return one->axes.size() != axes.size(); });
    const Set rest = without(sets_.elements(axes), writes, 0);
    if (rest.is_empty()) return;
    if (!inexact.empty()) {
      Accesses all;
      for (const Access* access : accesses) {
        if (access->statement_access.writes && access->axes.size() == axes.size())
          all.push_back(access);
      }
      try {
        if ((rest - surely_written(all).project_out(sets_.own_variables())).is_empty()) return;
      } catch (const GaveUp&) {
        // Not proved then, for the reason below.
      }
    }
    const std::string why = inexact.empty()
                                ? fmt::format("nothing writes an element of {}", array.name)
                                : fmt::format(
                                      "which elements of {} '{}' writes depends on more than "
                                      "sizes",
                                      array.name, inexact);
    contradict(obligation, why, rest, inexact.empty(), sets_);
  }

 private:
  // `elements` that none of `writes` writes. The first `depth` branches are those in which the elements are looked for:
  // within a branch only its own writes count, so that those of nested branches are subtracted one by one.
  Set without(Set elements, std::span<const Access* const> writes, std::size_t depth) {
    for (std::size_t i = 0; i < writes.size();) {
      const Access& write = *writes[i];
      if (write.branches.size() == depth) {
        elements = (elements - write.points.project_out(sets_.own_variables())).simplified();
        ++i;
        continue;
      }
      const Branch& branch = write.branches[depth];
      std::size_t end = i + 1;
      while (end < writes.size() && writes[end]->branches.size() > depth &&
             writes[end]->branches[depth].body == branch.body) {
        ++end;
      }
      // `n != 7` is two pieces: only what is left is looked at in each of them.
      const bool is_one = branch.points.pieces() == 1;
      const Set inside = without(is_one ? elements & branch.points : elements,
                                 writes.subspan(i, end - i), depth + 1);
      elements = ((elements - branch.points) | (inside & branch.points)).simplified();
      i = end;
    }
    return elements;
  }

  // `points` where the branches around both of two accesses run: first those in which they differ, which may exclude
  // each other.
  static Set in_branches(Set points, std::span<const Branch> a, std::span<const Branch> b) {
    std::size_t common = 0;
    while (common < std::min(a.size(), b.size()) && a[common].body == b[common].body) ++common;
    const auto add = [&](std::span<const Branch> branches) {
      for (const Branch& branch : branches) {
        if (!points.is_empty()) points = points & branch.points;
      }
    };
    for (const auto& own : {a, b})
      add(own.subspan(common, std::min<std::size_t>(1, own.size() - common)));
    for (const auto& own : {a, b}) add(own.subspan(std::min(common + 1, own.size())));
    add(a.first(common));
    return points;
  }

  // What an invocation writes whatever the values are that are not known: in each branch of a condition on data, say.
  Set surely_written(const Accesses& writes) {
    Set all = sets_.solver().nothing();
    for (const Access* access : writes) {
      all = all | in_branches(access->points, access->branches, {});
    }
    std::vector<std::string> unknown;
    Set values = sets_.solver().everything();
    for (std::size_t i = 0; i < sets_.variables().size(); ++i) {
      const Variables::Variable& v = sets_.variables()[i];
      if (!v.name.starts_with("?") || v.same_in == SameIn::launch || v.by != 0) continue;
      unknown.push_back(v.name);
      const Linear value = sets_.variables().value(i);
      values = values & sets_.values().at_most(v.range.min, value) &
               sets_.values().at_most(value, v.range.max);
    }
    const Set perhaps = all.project_out(unknown);
    return perhaps - ((perhaps & values) - all).project_out(unknown);
  }

  std::map<std::string, std::string> copy(int number) const {
    std::map<std::string, std::string> names;
    for (const std::string& variable : sets_.own_variables()) {
      names[variable] = fmt::format("{}'{}", variable, number);
    }
    return names;
  }

  // Where the copies of a variable differ; in one order only, if the other would say the same.
  Set differ(const std::string& variable, bool in_one_order) const {
    const std::string one = variable + "'1", other = variable + "'2";
    const Set below = sets_.solver().not_negative({{one, -1}, {other, 1}}, -1);
    if (in_one_order) return below;
    return below | sets_.solver().not_negative({{one, 1}, {other, -1}}, -1);
  }

  AccessSets& sets_;
  std::vector<std::string> invocation_;  // variables that differ between invocations
};

}  // namespace

std::string claim_of_one_writer(const std::string& array) {
  return fmt::format("no invocation touches what another writes in {}", array);
}
std::string claim_of_coverage(const std::string& array) {
  return fmt::format("each element of {} is written", array);
}

std::vector<Obligation> prove_results(const ir::Kernel& kernel) {
  std::vector<Obligation> list;
  using Kind = ir::Assumption::Kind;
  for (const ir::Array& array : kernel.arrays) {
    if (!is_result(array)) continue;
    std::optional<AccessSets> sets;  // of both claims, which share its steps
    std::optional<ResultProver> prover;
    const auto only = [&](const ir::Array& one) { return one.name == array.name; };
    const auto with_sets = [&](auto prove) {
      return [&, prove](Obligation& obligation) {
        if (!sets) prover.emplace(sets.emplace(kernel, only, kMaxStepsOfResults));
        prove(sets->to(array), obligation);
      };
    };
    list.push_back(decide(kernel, array.name, claim_of_one_writer(array.name),
                          {Kind::written, Kind::distinct},
                          with_sets([&](const Accesses& accesses, Obligation& obligation) {
                            prover->one_writer(accesses, obligation);
                          })));
    if (array.access != vkmoye::Access::write) continue;
    list.push_back(decide(kernel, array.name, claim_of_coverage(array.name), {Kind::written},
                          with_sets([&](const Accesses& accesses, Obligation& obligation) {
                            prover->covered(array, accesses, obligation);
                          })));
  }
  return list;
}

}  // namespace vkmoye::gen::proof
