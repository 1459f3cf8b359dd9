// SPDX-License-Identifier: MIT
#include "vkmoye/gen/machine/ledger.hpp"

#include <fmt/format.h>

namespace vkmoye::gen::machine {
namespace {

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
  pages_ = std::make_shared<Pages>();
  last_page_ = nullptr;
}

Ledger::Page Ledger::blank() const {
  Cell cell;
  cell.initialised = is_initialised_;
  Page page;
  page.fill(cell);
  return page;
}

const Ledger::Page* Ledger::find(std::uint64_t number) const {
  if (last_page_ == nullptr || last_ != number) {
    const auto found = pages_->find(number);
    if (found == pages_->end()) return nullptr;
    last_ = number;
    last_page_ = &found->second;  // stays where it is while pages_ grows
  }
  return last_page_->get();
}

void Ledger::own() {
  if (pages_.use_count() == 1) return;
  pages_ = std::make_shared<Pages>(*pages_);
  last_page_ = nullptr;
}

Ledger::Page& Ledger::own(std::uint64_t number) {
  own();
  if (find(number) == nullptr) {
    return *pages_->emplace(number, std::make_shared<Page>(blank())).first->second;
  }
  if (last_page_->use_count() > 1) *last_page_ = std::make_shared<Page>(**last_page_);
  return **last_page_;
}

bool Ledger::is_written(std::uint64_t at, std::uint64_t count) const {
  const Page* page = find(at / kPage);
  const bool first = page == nullptr ? is_initialised_ : (*page)[at % kPage].initialised;
  return first && (count == 1 || is_written(at + 1, count - 1));
}

void Ledger::Touch::add(std::int64_t other, const std::string* by) {
  if (other == -1) return;
  if (invocation == -1) partition = by;
  invocation = invocation == -1 || invocation == other ? other : kAnyone;
}

void Ledger::touch(std::uint64_t at, const Toucher& toucher) {
  Cell& here = current(own(at / kPage)[at % kPage], barriers_);
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

// Cells notice it when they are looked at: most kernels have more cells than touches between barriers.
void Ledger::barrier() { ++barriers_; }

Ledger::Cell& Ledger::current(Cell& cell, std::uint64_t barriers) {
  if (cell.since != barriers) {
    cell.read = cell.written = cell.atomic = Touch{};
    cell.since = barriers;
  }
  return cell;
}

void Ledger::join(Cell& cell, const Cell& other, bool either) {
  cell.read.add(other.read.invocation, other.read.partition);
  cell.written.add(other.written.invocation, other.written.partition);
  cell.atomic.add(other.atomic.invocation, other.atomic.partition);
  cell.initialised =
      either ? cell.initialised || other.initialised : cell.initialised && other.initialised;
}

void Ledger::join(const Ledger& other, bool either) {
  // Where one has come past more barriers, a page that they share says different things.
  const bool same_time = barriers_ == other.barriers_;
  if (same_time && pages_ == other.pages_) return;
  own();
  const std::uint64_t before = barriers_;
  barriers_ = std::max(before, other.barriers_);
  const Page untouched = blank();
  const auto join_page = [&](std::uint64_t number, const Page& theirs) {
    Page& page = own(number);
    for (std::size_t i = 0; i < kPage; ++i) {
      Cell their = theirs[i];
      join(current(page[i], before), current(their, other.barriers_), either);
      page[i].since = barriers_;
    }
  };
  for (const auto& [number, theirs] : *other.pages_) {
    const auto mine = pages_->find(number);
    if (!same_time || mine == pages_->end() || mine->second != theirs) join_page(number, *theirs);
  }
  for (const auto& [number, page] : *pages_) {
    if (!other.pages_->contains(number)) join_page(number, untouched);
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
