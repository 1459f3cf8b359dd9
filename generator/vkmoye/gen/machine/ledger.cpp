#include "vkmoye/gen/machine/ledger.hpp"

#include <fmt/format.h>

namespace vkmoye::gen::machine {
namespace {

constexpr std::uint64_t kMostDense = std::uint64_t{1} << 19;

bool is_buffer(const ir::Array& array) { return array.space == ir::Array::Space::buffer; }

}  // namespace

Ledger::Ledger(const ir::Array& array, std::uint64_t elements, std::uint32_t threads,
               std::array<std::uint64_t, 2> groups, bool is_initialised, Reasons& reasons)
    : array_(&array),
      elements_(elements),
      threads_(threads),
      groups_(groups),
      is_initialised_(is_initialised),
      reasons_(&reasons) {
  clear();
}

void Ledger::clear() {
  Cell blank;
  blank.initialised = is_initialised_;
  dense_.assign(elements_ <= kMostDense ? elements_ : 0, blank);
  sparse_.clear();
}

Ledger::Cell& Ledger::cell(std::uint64_t at) {
  if (!dense_.empty()) return dense_[at];
  const auto [found, is_new] = sparse_.try_emplace(at);
  if (is_new) found->second.initialised = is_initialised_;
  return found->second;
}

bool Ledger::is_written(std::uint64_t at) const {
  if (!dense_.empty()) return dense_[at].initialised;
  const auto found = sparse_.find(at);
  return found == sparse_.end() ? is_initialised_ : found->second.initialised;
}

void Ledger::Touch::add(std::int64_t other, const std::string* by) {
  if (other == -1) return;
  if (invocation == -1) partition = by;
  invocation = invocation == -1 || invocation == other ? other : kAnyone;
}

void Ledger::touch(std::uint64_t at, const Toucher& toucher) {
  Cell& here = cell(at);
  const std::int64_t who = toucher.invocation;
  if (here.written.conflicts_with(who)) report(at, toucher, here.written, "writes");
  if (toucher.writes && here.read.conflicts_with(who)) report(at, toucher, here.read, "reads");
  if (!toucher.atomic && here.atomic.conflicts_with(who)) {
    report(at, toucher, here.atomic, "changes");
  }
  if (toucher.reads && !here.initialised) {
    reasons_->add("unwritten " + *toucher.partition,
                  fmt::format("'{}' reads {}[{}] in {}, which nothing has written",
                              *toucher.partition, array_->name, at, text_of(who)));
  }
  if (toucher.atomic) {
    here.atomic.add(who, toucher.partition);
  } else if (toucher.writes) {
    here.written.add(who, toucher.partition);
  } else {
    here.read.add(who, toucher.partition);
  }
  here.initialised = here.initialised || toucher.writes;
}

void Ledger::barrier() {
  const auto order = [](Cell& cell) { cell.read = cell.written = cell.atomic = Touch{}; };
  for (Cell& cell : dense_) order(cell);
  for (auto& [at, cell] : sparse_) order(cell);
}

void Ledger::join(Cell& cell, const Cell& other, bool either) {
  cell.read.add(other.read.invocation, other.read.partition);
  cell.written.add(other.written.invocation, other.written.partition);
  cell.atomic.add(other.atomic.invocation, other.atomic.partition);
  cell.initialised =
      either ? cell.initialised || other.initialised : cell.initialised && other.initialised;
}

void Ledger::join(const Ledger& other, bool either) {
  for (std::size_t i = 0; i < dense_.size(); ++i) join(dense_[i], other.dense_[i], either);
  if (!dense_.empty()) return;
  Cell blank;
  blank.initialised = is_initialised_;
  for (auto& [at, mine] : sparse_) {
    const auto found = other.sparse_.find(at);
    join(mine, found == other.sparse_.end() ? blank : found->second, either);
  }
  for (const auto& [at, theirs] : other.sparse_) {
    if (sparse_.contains(at)) continue;
    Cell& mine = sparse_.emplace(at, blank).first->second;
    join(mine, theirs, either);
  }
}

std::string Ledger::text_of(std::int64_t invocation) const {
  if (invocation == kAnyone) return is_buffer(*array_) ? "several invocations" : "several threads";
  const auto thread = invocation % threads_;
  if (groups_[0] == 0) return fmt::format("thread {}", invocation);
  const auto group = static_cast<std::uint64_t>(invocation / threads_);
  return fmt::format("thread {} of workgroup ({},{},{})", thread, group % groups_[0],
                     group / groups_[0] % groups_[1], group / groups_[0] / groups_[1]);
}

void Ledger::report(std::uint64_t at, const Toucher& now, const Touch& before, const char* did) {
  const char* does = now.atomic ? "changes" : now.writes ? "writes" : "reads";
  reasons_->add(fmt::format("race {} {}", *before.partition, *now.partition),
                fmt::format("race in {} {}: '{}' {} {}[{}] in {} and '{}' {} it in {}, {}",
                            is_buffer(*array_) ? "buffer" : "shared", array_->name,
                            *before.partition, did, array_->name, at, text_of(before.invocation),
                            *now.partition, does, text_of(now.invocation),
                            is_buffer(*array_) ? "and no barrier orders buffers"
                                               : "with no barrier between"));
}

}  // namespace vkmoye::gen::machine
