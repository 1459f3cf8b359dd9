// SPDX-License-Identifier: MIT
#include "vkmoye/gen/proof/reads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace vkmoye::gen::proof {
namespace {

constexpr unsigned long kMaxStepsOfReads = 10'000;  // of isl, for one array

using Accesses = std::vector<const Access*>;

// How a write lies to a read.
struct Order {
  bool in_the_same_round = false;     // of all loops around both, it comes before
  std::vector<std::string> counters;  // of these loops, outermost first
};

Order order_of(const Access& write, const Access& read) {
  Order order;
  const std::size_t depth = std::min(write.path.size(), read.path.size());
  for (std::size_t i = 0; i < depth; ++i) {
    const Step &w = write.path[i], &r = read.path[i];
    if (w.statement != r.statement) {
      order.in_the_same_round = w.statement < r.statement;
      return order;
    }
    if (w.inner != r.inner) return order;  // one runs the one body, one the other
    if (!w.counter.empty() && w.counter == r.counter) order.counters.push_back(w.counter);
  }
  return order;
}

class ReadProver {
 public:
  explicit ReadProver(AccessSets& sets) : sets_(sets) {}

  void were_written(const ir::Array& array, Obligation& obligation) {
    const Accesses all = sets_.to(array);
    std::string inexact;
    for (const Access* write : all) {
      if (write->statement_access.writes && !write->is_exact)
        inexact = write->statement_access.element->source_text;
    }
    for (const Access* read : all) {
      if (!read->statement_access.reads) continue;
      Set rest = read->points;
      for (const Access* write : all) {
        if (!write->statement_access.writes || rest.is_empty()) continue;
        subtract(rest, *write, *read);
      }
      if (rest.is_empty()) continue;
      const std::string why =
          inexact.empty()
              ? fmt::format("'{}' reads what nothing has written",
                            read->statement_access.element->source_text)
              : fmt::format("whether '{}' has written what '{}' reads depends on more than sizes",
                            inexact, read->statement_access.element->source_text);
      return contradict(obligation, why, rest, inexact.empty() && read->is_exact, sets_);
    }
  }

 private:
  // Takes away what `write` has surely written where `read` comes.
  void subtract(Set& rest, const Access& write, const Access& read) {
    const Order order = order_of(write, read);
    const auto take_away = [&](std::size_t equal) {
      if (const auto written = before(write, order.counters, equal)) rest = rest - *written;
    };
    if (order.in_the_same_round) take_away(order.counters.size());
    for (std::size_t i = order.counters.size(); i-- > 0 && !rest.is_empty();) take_away(i);
  }

  // The points of `write` in terms of the read: the first `equal` counters are the same, the next one is smaller.
  // nullopt: they depend on what is not known, or was something else then.
  std::optional<Set> before(const Access& write, const std::vector<std::string>& counters,
                            std::size_t equal) {
    const bool is_shared = write.array->is_shared();
    const bool in_the_same_round = equal == counters.size();
    std::set<std::string> kept;
    const auto keep = [&](const std::string& variable) {
      for (const std::string& part : sets_.parts(variable)) kept.insert(part);
    };
    for (const char* group : {"group_x", "group_y", "group_z"}) keep(group);
    if (!is_shared) keep("thread");
    for (std::size_t i = 0; i < equal; ++i) keep(counters[i]);
    std::map<std::string, std::string> names;
    std::vector<std::string> others;
    const std::vector<std::string> used = write.points.variables();
    for (std::size_t i = 0; i < sets_.variables().size(); ++i) {
      const Variables::Variable& v = sets_.variables()[i];
      if (v.same_in == SameIn::launch || v.name.starts_with("@") || kept.contains(v.name)) continue;
      // What is not known but equal in both: of the same round, and workgroup or invocation.
      const bool is_unknown = v.name.starts_with("?");
      if (is_unknown && in_the_same_round && (!is_shared || v.same_in == SameIn::workgroup))
        continue;
      if (is_unknown && std::find(used.begin(), used.end(), v.name) != used.end()) return {};
      names[v.name] = v.name + "'w";
      others.push_back(v.name + "'w");
    }
    Set points = write.points.renamed(names);
    if (!in_the_same_round) {
      Factors factors;
      Linear round = sets_.values().variable(counters[equal]);
      for (const auto& [part, factor] : round.terms) {
        const std::string& name = sets_.variables()[part].name;
        factors[name] = factor;
        factors[name + "'w"] = -factor;
      }
      points = points & sets_.solver().not_negative(factors, -1);
    }
    return points.project_out(others).simplified();
  }

  AccessSets& sets_;
};

}  // namespace

std::string claim_of_reads(const std::string& array) {
  return fmt::format("what is read from {} was written", array);
}

std::vector<Obligation> prove_reads(const ir::Kernel& kernel, const std::set<std::string>& others) {
  std::vector<Obligation> list;
  for (const ir::Array& array : kernel.arrays) {
    if (array.is_buffer() || others.contains(array.name)) continue;
    list.push_back(decide(kernel, array.name, claim_of_reads(array.name),
                          {ir::Assumption::Kind::written}, [&](Obligation& obligation) {
                            AccessSets sets(
                                kernel, [&](const ir::Array& one) { return &one == &array; },
                                kMaxStepsOfReads);
                            ReadProver(sets).were_written(array, obligation);
                          }));
  }
  return list;
}

}  // namespace vkmoye::gen::proof
