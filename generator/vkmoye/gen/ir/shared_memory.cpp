#include "vkmoye/gen/ir/shared_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/evaluate.hpp"

namespace vkmoye::gen::ir {
namespace {

// Far beyond every device; they bound the work of the verifier.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 18;
constexpr std::size_t kMaxThreads = std::size_t{1} << 12;
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 25;

using Active = std::vector<bool>;  // the threads that may execute a statement

constexpr std::uint64_t kMaxPeriod = 1 << 16;  // of a ring: more rounds are never followed

constexpr int kManyThreads = -2;
constexpr int kNoThread = -1;

// Who touched one address since the last barrier.
struct Touch {
  int thread = kNoThread;  // or kManyThreads
  const std::string* partition = nullptr;

  bool conflicts_with(int other) const { return thread != kNoThread && thread != other; }
  void add(int other, const std::string* by) {
    if (other == kNoThread) return;
    if (thread == kNoThread) partition = by;
    thread = thread == kNoThread || thread == other ? other : kManyThreads;
  }
};

struct Cell {
  Touch written, read;
  bool initialised = false;
};

// The shared memory at one point of one path through the kernel.
using State = std::map<std::string, std::vector<Cell>>;

// What is true of either path holds of their join: a touch on one of them is a touch.
void join(State& state, const State& other) {
  for (auto& [name, cells] : state) {
    const std::vector<Cell>& others = other.at(name);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i].written.add(others[i].written.thread, others[i].written.partition);
      cells[i].read.add(others[i].read.thread, others[i].read.partition);
      cells[i].initialised = cells[i].initialised || others[i].initialised;
    }
  }
}

class Interpreter {
 public:
  explicit Interpreter(const Kernel& kernel) : threads_(kernel.threads) {
    for (const Array& array : kernel.arrays) {
      if (array.space != Array::Space::shared) continue;
      if (array.size() > kMaxElements) {
        reasons.push_back(
            fmt::format("shared {} has {} elements, beyond the {} that any device could hold",
                        array.name, array.size(), kMaxElements));
        continue;
      }
      state_[array.name].resize(static_cast<std::size_t>(array.size()));
    }
    if (threads_ > kMaxThreads) {
      reasons.push_back(
          fmt::format("a workgroup of {} threads, beyond the {} that any device could run",
                      threads_, kMaxThreads));
    }
    if (state_.empty() || !reasons.empty()) return;
    try {
      run(kernel.body, Active(threads_, true));
    } catch (const Budget::Exceeded&) {
      reasons.push_back(
          fmt::format("the accesses to shared memory are too many to follow: more than "
                      "{} steps for one workgroup",
                      kMaxSteps));
    }
  }

  std::vector<std::string> reasons;

 private:
  // --- expressions ---

  // Whether `is_one` holds of a leaf of `e`; each node is looked at once, however often it is shared.
  template <class Predicate>
  static bool any_leaf(const Expr& e, const Predicate& is_one) {
    std::set<const Node*> seen;
    const auto look = [&](const auto& self, const Expr& node) -> bool {
      if (!seen.insert(&*node).second) return false;
      if (node->operands.empty()) return is_one(*node);
      return std::any_of(node->operands.begin(), node->operands.end(),
                         [&](const Expr& operand) { return self(self, operand); });
    };
    return look(look, e);
  }

  // Whether the value of `e` may differ between threads.
  bool is_divergent(const Expr& e) const {
    return any_leaf(e, [&](const Node& leaf) {
      if (leaf.op == Op::builtin) return leaf.builtin == Builtin::thread;
      return leaf.op == Op::variable && divergent_.contains(leaf.name);
    });
  }

  // Whether `e` follows a loop variable without end, other than by a remainder, which repeats.
  bool is_unbounded(const Expr& e) {
    if (e->op == Op::variable) return unbounded_.contains(e->name);
    if (e->operands.empty() || (e->op == Op::modulo && is_constant(e->operands[1]))) return false;
    const auto found = follows_.find(&*e);
    if (found != follows_.end()) return found->second;
    const bool follows = std::any_of(e->operands.begin(), e->operands.end(),
                                     [&](const Expr& operand) { return is_unbounded(operand); });
    return follows_[&*e] = follows;
  }

  // The largest constant that something which changes with the loop over `variable` is a remainder
  // by: the period of a ring of stages.
  static std::uint32_t longest_period(const std::string& variable, const Body& body) {
    std::set<std::string> changing = {variable};
    add_names(body, changing);
    std::uint32_t period = 1;
    add_period(body, changing, period);
    return period;
  }

  static void add_names(const Body& body, std::set<std::string>& names) {
    for (const Stmt& statement : body) {
      if (const auto* s = std::get_if<Let>(&statement.value)) names.insert(s->name);
      for (const Body* inner : bodies_of(statement)) add_names(*inner, names);
    }
  }

  static bool mentions(const Expr& e, const std::set<std::string>& names) {
    return any_leaf(
        e, [&](const Node& leaf) { return leaf.op == Op::variable && names.contains(leaf.name); });
  }

  // The product of the numbers that something in `e` is divided by.
  static std::uint64_t divisors(const Expr& e) {
    std::uint64_t product = 1;
    std::set<const Node*> seen;
    const auto look = [&](const auto& self, const Expr& node) -> void {
      if (!seen.insert(&*node).second) return;
      if (node->op == Op::divide && is_constant(node->operands[1])) {
        product = std::min<std::uint64_t>(product * node->operands[1]->value, kMaxPeriod);
      }
      for (const Expr& operand : node->operands) self(self, operand);
    };
    look(look, e);
    return product;
  }

  static void add_period(const Body& body, const std::set<std::string>& changing,
                         std::uint32_t& period) {
    std::set<const Node*> seen;
    const auto look = [&](const auto& self, const Expr& e) -> void {
      if (!seen.insert(&*e).second) return;
      if (e->op == Op::modulo && is_constant(e->operands[1]) && mentions(e, changing)) {
        // (x / 6) % 2 repeats after 12 of x.
        const std::uint64_t mine = std::uint64_t{e->operands[1]->value} * divisors(e->operands[0]);
        period = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(std::lcm(std::uint64_t{period}, mine), kMaxPeriod));
      }
      for (const Expr& operand : e->operands) self(self, operand);
    };
    for (const Stmt& statement : body) {
      if (const auto* s = std::get_if<Let>(&statement.value)) look(look, s->value);
      if (const auto* s = std::get_if<Load>(&statement.value)) look(look, s->from.coordinates[0]);
      if (const auto* s = std::get_if<Store>(&statement.value)) look(look, s->to.coordinates[0]);
      for (const Body* inner : bodies_of(statement)) add_period(*inner, changing, period);
    }
  }

  // --- statements ---

  void run(const Body& body, const Active& active) {
    if (std::none_of(active.begin(), active.end(), [](bool on) { return on; })) return;
    for (const Stmt& statement : body) {
      follows_.clear();
      budget_.spend(1);
      std::visit([&](const auto& s) { step(s, active); }, statement.value);
    }
  }

  void step(const Let& s, const Active&) {
    Values values = values_(s.value);
    const auto mark = [&](std::set<std::string>& names, bool belongs) {
      belongs ? static_cast<void>(names.insert(s.name)) : static_cast<void>(names.erase(s.name));
    };
    mark(unbounded_, is_unbounded(s.value));
    mark(open_, mentions(s.value, open_));
    mark(divergent_, is_divergent(s.value));
    values_.define(s.name, std::move(values));
  }
  void step(const Load& s, const Active& active) {
    touch(s.from, false, active);
    values_.define(s.name, Values(threads_));
    divergent_.insert(s.name);
  }
  void step(const Store& s, const Active& active) { touch(s.to, true, active); }
  void step(const Subgroup& s, const Active&) {
    values_.define(s.name, Values(threads_));
    divergent_.insert(s.name);
  }
  void step(const Atomic& s, const Active&) {
    values_.define(s.name, Values(threads_));
    divergent_.insert(s.name);
  }
  void step(const Block& s, const Active& active) { run(s.body, active); }

  // Refused where not all threads come by; so whoever runs this path has waited.
  void step(const Barrier&, const Active&) {
    for (auto& [name, cells] : state_) {
      budget_.spend(cells.size());
      for (Cell& cell : cells) cell.written = cell.read = Touch{};
    }
  }

  // Threads of which it is known go their way. Where it is not known for some, it may hold for all
  // of these or for none: two paths; and, if threads may differ, for any of them: a third, on which
  // each of them goes both ways.
  void step(const If& s, const Active& active) {
    if (!concerns_shared_memory(s.body) && !concerns_shared_memory(s.otherwise)) return;
    // What follows a loop without end holds in some rounds and not in others.
    const Values condition = mentions(s.condition, open_) ? Values(threads_) : values_(s.condition);
    Active surely = active, surely_not = active, perhaps = active, perhaps_not = active;
    bool is_known = true;
    for (std::size_t t = 0; t < threads_; ++t) {
      if (!active[t]) continue;
      is_known = is_known && condition[t].has_value();
      surely[t] = condition[t] && *condition[t] != 0;
      surely_not[t] = condition[t] && *condition[t] == 0;
      perhaps[t] = !surely_not[t];
      perhaps_not[t] = !surely[t];
    }
    if (is_known) {
      run(s.body, surely);
      run(s.otherwise, surely_not);
      return;
    }
    const State before = state_;
    spend_copy();
    run(s.body, perhaps);
    run(s.otherwise, surely_not);
    State after = std::move(state_);
    state_ = before;
    run(s.body, surely);
    run(s.otherwise, perhaps_not);
    join(state_, after);
    if (!is_divergent(s.condition) || !concerns_shared_memory(s.body) ||
        !concerns_shared_memory(s.otherwise)) {
      return;
    }
    after = std::move(state_);
    state_ = before;
    run(s.body, perhaps);
    run(s.otherwise, perhaps_not);
    join(state_, after);
  }

  void step(const For& s, const Active& active) {
    if (!concerns_shared_memory(s.body)) return;
    const Values ends = mentions(s.end, open_) ? Values(threads_) : values_(s.end);
    const bool is_known =
        std::all_of(ends.begin(), ends.end(), [](const Value& end) { return end.has_value(); });
    std::uint32_t rounds = 0;
    for (const Value& end : ends) rounds = std::max(rounds, end.value_or(0));
    // Twice around the longest ring of stages, and once more, shows every pair of rounds that meet;
    // of a long loop too, if shared indices only follow it around such rings.
    const std::uint32_t enough = std::max(3u, 2 * longest_period(s.variable, s.body) + 1);
    std::set<std::string> following = {s.variable};
    const bool repeats = rounds > enough && only_by_remainder(s.body, following);
    const bool is_open = !is_known || repeats;
    if (is_open) rounds = enough;

    const bool was_unbounded = unbounded_.contains(s.variable);
    const bool was_open = open_.contains(s.variable);
    if (is_open) unbounded_.insert(s.variable);
    if (is_open) open_.insert(s.variable);
    State exits = state_;  // it may end before any round
    for (std::uint32_t round = 0; round < rounds; ++round) {
      Active inside = active;
      for (std::size_t t = 0; t < threads_; ++t) {
        if (!repeats && ends[t] && *ends[t] <= round) inside[t] = false;
      }
      values_.define(s.variable, Values(threads_, round));
      run(s.body, inside);
      if (!is_open) continue;
      spend_copy();
      join(exits, state_);
    }
    if (is_open) state_ = std::move(exits);
    if (!was_unbounded) unbounded_.erase(s.variable);
    if (!was_open) open_.erase(s.variable);
  }

  // Whether no shared index in `body` follows the names `following` other than by a remainder; adds
  // names to them that do.
  bool only_by_remainder(const Body& body, std::set<std::string>& following) const {
    std::set<const Node*> seen;  // and found not to follow
    const auto follows = [&](const auto& self, const Expr& e) -> bool {
      if (e->op == Op::variable) return following.contains(e->name);
      if (!seen.insert(&*e).second) return false;
      if (e->op == Op::modulo && is_constant(e->operands[1])) return false;
      return std::any_of(e->operands.begin(), e->operands.end(),
                         [&](const Expr& operand) { return self(self, operand); });
    };
    const auto is_fine = [&](const Element& element) {
      return !state_.contains(element.array) || !follows(follows, element.coordinates[0]);
    };
    return std::all_of(body.begin(), body.end(), [&](const Stmt& statement) {
      if (const auto* s = std::get_if<Let>(&statement.value)) {
        if (follows(follows, s->value)) {
          following.insert(s->name);
          seen.clear();
        }
      }
      if (const auto* s = std::get_if<For>(&statement.value)) {
        if (follows(follows, s->end)) return false;
      }
      const auto* load = std::get_if<Load>(&statement.value);
      const auto* store = std::get_if<Store>(&statement.value);
      if ((load != nullptr && !is_fine(load->from)) || (store != nullptr && !is_fine(store->to))) {
        return false;
      }
      const auto inner = bodies_of(statement);
      return std::all_of(inner.begin(), inner.end(),
                         [&](const Body* part) { return only_by_remainder(*part, following); });
    });
  }

  // Whether something in `body` touches a shared array or waits: else there is nothing to follow.
  bool concerns_shared_memory(const Body& body) {
    const auto found = concerns_.find(&body);
    if (found != concerns_.end()) return found->second;
    const bool concerns = std::any_of(body.begin(), body.end(), [&](const Stmt& statement) {
      if (std::holds_alternative<Barrier>(statement.value)) return true;
      const auto* load = std::get_if<Load>(&statement.value);
      const auto* store = std::get_if<Store>(&statement.value);
      if (load != nullptr && state_.contains(load->from.array)) return true;
      if (store != nullptr && state_.contains(store->to.array)) return true;
      const auto inner = bodies_of(statement);
      return std::any_of(inner.begin(), inner.end(),
                         [&](const Body* part) { return concerns_shared_memory(*part); });
    });
    return concerns_[&body] = concerns;
  }

  void spend_copy() {
    for (const auto& [name, cells] : state_) budget_.spend(cells.size());
  }

  // --- accesses ---

  void touch(const Element& element, bool writes, const Active& active) {
    const auto found = state_.find(element.array);
    if (found == state_.end()) return;
    std::vector<Cell>& cells = found->second;
    const Expr& index = element.coordinates[0];
    const Values at = values_(index);
    const bool is_known =
        !is_unbounded(index) &&
        std::all_of(at.begin(), at.end(), [](const Value& value) { return value.has_value(); });
    if (!is_known) {
      complain("index " + element.partition,
               fmt::format("'{}' indexes shared {} by something else than numbers, threads and "
                           "loops with known ends: races cannot be excluded",
                           element.partition, element.array));
      return;
    }
    for (std::size_t thread = 0; thread < threads_; ++thread) {
      if (!active[thread]) continue;
      if (*at[thread] % element.width != 0) {
        complain("alignment " + element.partition,
                 fmt::format("'{}' touches {} elements of {} at once from {}[{}] on in thread {}, "
                             "which is no multiple",
                             element.partition, element.width, element.array, element.array,
                             *at[thread], thread));
        continue;
      }
      for (std::uint32_t i = 0; i < element.width; ++i) {
        touch(cells, element, *at[thread] + i, static_cast<int>(thread), writes);
      }
    }
  }

  void touch(std::vector<Cell>& cells, const Element& element, std::uint32_t at, int thread,
             bool writes) {
    budget_.spend(1);
    if (at >= cells.size()) {
      complain("range " + element.partition,
               fmt::format("'{}' touches {}[{}] in thread {}, the array has {} elements",
                           element.partition, element.array, at, thread, cells.size()));
      return;
    }
    Cell& cell = cells[at];
    if (cell.written.conflicts_with(thread)) {
      report_race(element, at, thread, writes, cell.written, "writes");
    }
    if (writes && cell.read.conflicts_with(thread)) {
      report_race(element, at, thread, writes, cell.read, "reads");
    }
    if (writes) {
      cell.written.add(thread, &element.partition);
      cell.initialised = true;
      return;
    }
    cell.read.add(thread, &element.partition);
    if (!cell.initialised) {
      complain("unwritten " + element.partition,
               fmt::format("'{}' reads {}[{}] in thread {}, which nothing has written",
                           element.partition, element.array, at, thread));
    }
  }

  void report_race(const Element& element, std::uint32_t at, int thread, bool writes,
                   const Touch& earlier, const char* earlier_verb) {
    const std::string earlier_thread = earlier.thread == kManyThreads
                                           ? "several threads"
                                           : fmt::format("thread {}", earlier.thread);
    complain(fmt::format("race {} {}", *earlier.partition, element.partition),
             fmt::format("race in shared {}: '{}' {} {}[{}] in {} and '{}' {} it in thread {}, "
                         "with no barrier between",
                         element.array, *earlier.partition, earlier_verb, element.array, at,
                         earlier_thread, element.partition, writes ? "writes" : "reads", thread));
  }

  // Each kind of reason once.
  void complain(std::string kind, std::string reason) {
    if (said_.insert(std::move(kind)).second) reasons.push_back(std::move(reason));
  }

  const std::size_t threads_;
  State state_;
  Budget budget_{kMaxSteps};
  Evaluator values_{threads_, budget_};
  std::set<std::string> unbounded_;  // names that grow with a loop whose end is not known
  std::unordered_map<const Node*, bool> follows_;
  std::set<std::string> open_;       // names that such a loop changes in any way
  std::set<std::string> divergent_;  // names whose values may differ between threads
  std::unordered_map<const Body*, bool> concerns_;
  std::set<std::string> said_;
};

}  // namespace

std::vector<std::string> check_shared_memory(const Kernel& kernel) {
  return Interpreter(kernel).reasons;
}

}  // namespace vkmoye::gen::ir
