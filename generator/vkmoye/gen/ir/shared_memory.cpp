#include "vkmoye/gen/ir/shared_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace vkmoye::gen::ir {
namespace {

// The value of an expression in every thread of one workgroup; absent where it depends on run-time
// sizes, on the group or on data.
using Value = std::optional<std::uint32_t>;
using Values = std::vector<Value>;

// Far beyond every device; they bound the work of the verifier.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 22;
constexpr std::size_t kMaxThreads = std::size_t{1} << 14;

constexpr int kManyThreads = -2;
constexpr int kNoThread = -1;

// Who touched one address since the last barrier.
struct Touch {
  int thread = kNoThread;  // or kManyThreads
  const std::string* partition = nullptr;

  bool conflicts_with(int other) const { return thread != kNoThread && thread != other; }
  void add(int other, const std::string* by) {
    thread = thread == kNoThread || thread == other ? other : kManyThreads;
    if (partition == nullptr || thread != kManyThreads) partition = by;
  }
};

struct Cell {
  Touch written, read;  // since the barrier number `epoch`
  std::int64_t epoch = -1;
  bool initialised = false;
};

class Interpreter {
 public:
  explicit Interpreter(const Kernel& kernel) : threads_(kernel.threads) {
    for (const Array& array : kernel.arrays) {
      if (array.space != Array::Space::shared) continue;
      if (array.shared_size() > kMaxElements) {
        reasons.push_back(
            fmt::format("shared {} has {} elements, beyond the {} that any device "
                        "could hold",
                        array.name, array.shared_size(), kMaxElements));
        continue;
      }
      cells_[array.name].resize(static_cast<std::size_t>(array.shared_size()));
    }
    if (threads_ > kMaxThreads) {
      reasons.push_back(
          fmt::format("a workgroup of {} threads, beyond the {} that any device could "
                      "run",
                      threads_, kMaxThreads));
    }
    if (!cells_.empty() && reasons.empty()) run(kernel.body, Active(threads_, true));
  }

  std::vector<std::string> reasons;

 private:
  using Active = std::vector<bool>;  // the threads that may execute a statement

  Value evaluate(const Expr& e, std::size_t thread) const {
    switch (e->op) {
      case Op::constant: return e->value;
      case Op::builtin:
        if (e->builtin == Builtin::thread) return static_cast<std::uint32_t>(thread);
        return std::nullopt;
      case Op::variable: {
        const auto found = names_.find(e->name);
        return found == names_.end() ? std::nullopt : found->second[thread];
      }
      default: break;
    }
    const Value a = evaluate(e->operands[0], thread);
    const Value b = evaluate(e->operands[1], thread);
    if (e->op == Op::logical_and) {
      if ((a && !*a) || (b && !*b)) return 0;
      return a && b ? Value(1) : std::nullopt;
    }
    if (!a || !b) return std::nullopt;
    switch (e->op) {
      case Op::add: return *a + *b;
      case Op::subtract: return *a - *b;
      case Op::multiply: return *a * *b;
      case Op::divide: return *b == 0 ? std::nullopt : Value(*a / *b);
      case Op::modulo: return *b == 0 ? std::nullopt : Value(*a % *b);
      case Op::less: return *a < *b ? 1 : 0;
      default: return std::nullopt;
    }
  }

  Values evaluate_all(const Expr& e) const {
    Values values(threads_);
    for (std::size_t thread = 0; thread < threads_; ++thread) values[thread] = evaluate(e, thread);
    return values;
  }

  void complain(std::string kind, std::string reason) {
    if (!said_.emplace(std::move(kind), true).second) return;
    reasons.push_back(std::move(reason));
  }

  void touch(const Element& element, bool writes, const Active& active) {
    const auto found = cells_.find(element.array);
    if (found == cells_.end()) return;
    std::vector<Cell>& cells = found->second;
    const Expr& index = element.coordinates[0];
    for (std::size_t thread = 0; thread < threads_; ++thread) {
      if (!active[thread]) continue;
      const Value at = evaluate(index, thread);
      if (!at) {
        complain("index " + element.partition,
                 fmt::format("'{}' indexes shared {} by something else than numbers, threads and "
                             "loops: races cannot be excluded",
                             element.partition, element.array));
        return;
      }
      if (*at >= cells.size()) {
        complain("range " + element.partition,
                 fmt::format("'{}' touches {}[{}] in thread {}, the array has {} elements",
                             element.partition, element.array, *at, thread, cells.size()));
        continue;
      }
      touch(cells[*at], element, *at, static_cast<int>(thread), writes);
    }
  }

  void touch(Cell& cell, const Element& element, std::uint32_t at, int thread, bool writes) {
    if (cell.epoch != epoch_) {
      cell.written = cell.read = Touch{};
      cell.epoch = epoch_;
    }
    if (cell.written.conflicts_with(thread)) {
      report_race(element, at, thread, writes, cell.written, "writes");
    }
    if (writes && cell.read.conflicts_with(thread)) {
      report_race(element, at, thread, writes, cell.read, "reads");
    }
    if (writes) {
      cell.written.add(thread, &element.partition);
      cell.initialised = true;
    } else {
      cell.read.add(thread, &element.partition);
      if (!cell.initialised) {
        complain("unwritten " + element.partition,
                 fmt::format("'{}' reads {}[{}] in thread {}, which nothing has written",
                             element.partition, element.array, at, thread));
      }
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

  void run(const Body& body, const Active& active) {
    for (const Stmt& statement : body) {
      std::visit([&](const auto& s) { step(s, active); }, statement.value);
    }
  }

  void step(const Let& s, const Active&) { names_[s.name] = evaluate_all(s.value); }
  void step(const Load& s, const Active& active) {
    touch(s.from, false, active);
    names_[s.name] = Values(threads_);
  }
  void step(const Store& s, const Active& active) { touch(s.to, true, active); }
  void step(const If& s, const Active& active) {
    const Values condition = evaluate_all(s.condition);
    Active inside = active;
    for (std::size_t t = 0; t < threads_; ++t) {
      if (condition[t] && *condition[t] == 0) inside[t] = false;
    }
    run(s.body, inside);
  }
  void step(const For& s, const Active& active) {
    constexpr std::uint32_t kRoundsOfUnknownLoop = 3;
    const Values ends = evaluate_all(s.end);
    std::uint32_t rounds = 0;
    for (const Value& end : ends) rounds = std::max(rounds, end.value_or(kRoundsOfUnknownLoop));
    for (std::uint32_t round = 0; round < rounds; ++round) {
      Active inside = active;
      for (std::size_t t = 0; t < threads_; ++t) {
        if (ends[t] && *ends[t] <= round) inside[t] = false;
      }
      names_[s.variable] = Values(threads_, round);
      run(s.body, inside);
    }
  }
  void step(const Barrier&, const Active&) { ++epoch_; }
  void step(const Block& s, const Active& active) { run(s.body, active); }

  const std::size_t threads_;
  std::int64_t epoch_ = 0;
  std::map<std::string, Values> names_;
  std::map<std::string, std::vector<Cell>> cells_;
  std::map<std::string, bool> said_;
};

}  // namespace

std::vector<std::string> check_shared_memory(const Kernel& kernel) {
  return Interpreter(kernel).reasons;
}

}  // namespace vkmoye::gen::ir
