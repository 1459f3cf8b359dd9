// SPDX-License-Identifier: MIT
#include "vkmoye/gen/machine/shadow_memory.hpp"

#include <fmt/format.h>

namespace vkmoye::gen::machine {

ShadowMemory::ShadowMemory(const ir::Array& array, std::uint64_t elements, std::uint32_t threads,
                           std::array<std::uint64_t, 2> groups, bool is_initialised,
                           ReasonsByKind& reasons)
    : array_(&array),
      elements_(elements),
      threads_(threads),
      groups_(groups),
      is_initialised_(is_initialised),
      reasons_(&reasons) {
  clear();
}

void ShadowMemory::clear() {
  whole_ = {{}, {}, {}, {}, barriers_};
  pages_ = std::make_shared<Pages>();
  last_page_ = nullptr;
}

ShadowMemory::Page ShadowMemory::blank() const {
  Cell cell;
  cell.initialised = is_initialised_;
  Page page;
  page.fill(cell);
  return page;
}

const ShadowMemory::Page* ShadowMemory::find(std::uint64_t number) const {
  if (last_page_ == nullptr || last_ != number) {
    const auto found = pages_->find(number);
    if (found == pages_->end()) return nullptr;
    last_ = number;
    last_page_ = &found->second;  // pointers to values stay valid while pages_ grows
  }
  return last_page_->get();
}

void ShadowMemory::unshare_table() {
  if (pages_.use_count() == 1) return;
  pages_ = std::make_shared<Pages>(*pages_);
  last_page_ = nullptr;
}

ShadowMemory::Page& ShadowMemory::writable_page(std::uint64_t number) {
  unshare_table();
  if (find(number) == nullptr) {
    return *pages_->emplace(number, std::make_shared<Page>(blank())).first->second;
  }
  if (last_page_->use_count() > 1) *last_page_ = std::make_shared<Page>(**last_page_);
  return **last_page_;
}

bool ShadowMemory::is_written(std::uint64_t at, std::uint64_t count) const {
  const Page* page = find(at / kPage);
  const bool first = page == nullptr ? is_initialised_ : (*page)[at % kPage].initialised;
  return first && (count == 1 || is_written(at + 1, count - 1));
}

void ShadowMemory::Accessors::add(std::int64_t other, const std::string* by) {
  if (other == -1) return;
  if (invocation == -1) source_text = by;
  invocation = invocation == -1 || invocation == other ? other : kAnyone;
}

ShadowMemory::Whole& ShadowMemory::current_whole() {
  if (whole_.since != barriers_) whole_ = {{}, {}, {}, {}, barriers_};
  return whole_;
}

void ShadowMemory::report_somewhere(const ElementAccess& now, const Accessors& before) {
  reasons_->add(
      "somewhere " + array_->name,
      fmt::format(
          "race in {}: '{}' in {} and '{}' in another invocation may access the same element, at "
          "an "
          "index that depends on data; both accesses must be atomic, or both to elements that are "
          "asserted to be distinct",
          array_->name, *now.source_text, text_of(now.invocation), *before.source_text));
}

void ShadowMemory::record_somewhere(const ElementAccess& access) {
  Whole& whole = current_whole();
  const auto compare = [&](const Accessors& before) {
    if (before.conflicts_with(access.invocation)) report_somewhere(access, before);
  };
  compare(whole.plain);
  if (access.atomic) {
    compare(whole.apart);
    whole.somewhere.add(access.invocation, access.source_text);
  } else {
    compare(whole.somewhere);
    compare(whole.atomic);
    whole.apart.add(access.invocation, access.source_text);
  }
}

void ShadowMemory::require_written(std::uint64_t count, const ElementAccess& access) {
  for (std::uint64_t at = 0; at < count; ++at) {
    if (!is_written(at)) return report_unwritten(at, access);
  }
}

void ShadowMemory::report_unwritten(std::uint64_t at, const ElementAccess& access) {
  reasons_->add("unwritten " + *access.source_text,
                fmt::format("'{}' reads {}[{}] in {}, which nothing has written",
                            *access.source_text, array_->name, at, text_of(access.invocation)));
}

void ShadowMemory::record(std::uint64_t at, const ElementAccess& access, std::uint64_t count) {
  Whole& whole = current_whole();
  const auto compare = [&](const Accessors& before) {
    if (before.conflicts_with(access.invocation)) report_somewhere(access, before);
  };
  compare(whole.apart);
  if (!access.atomic) compare(whole.somewhere);
  (access.atomic ? whole.atomic : whole.plain).add(access.invocation, access.source_text);
  while (count > 0) {
    Page& page = writable_page(at / kPage);
    const std::uint64_t end = std::min(at + count, (at / kPage + 1) * kPage);
    count -= end - at;
    for (; at < end; ++at) record_in(current(page[at % kPage], barriers_), at, access);
  }
}

void ShadowMemory::record_in(Cell& cell, std::uint64_t at, const ElementAccess& access) {
  const std::int64_t who = access.invocation;
  if (cell.written.conflicts_with(who)) report(at, access, cell.written, "writes");
  if (access.writes && cell.read.conflicts_with(who)) report(at, access, cell.read, "reads");
  if (!access.atomic && cell.atomic.conflicts_with(who)) {
    report(at, access, cell.atomic, "changes");
  }
  if (access.reads && !access.perhaps && !cell.initialised) report_unwritten(at, access);
  if (access.atomic) {
    cell.atomic.add(who, access.source_text);
  } else if (access.writes) {
    cell.written.add(who, access.source_text);
  } else {
    cell.read.add(who, access.source_text);
  }
  cell.initialised = cell.initialised || access.writes;
}

// Cells are only updated at their next access: most kernels have more cells than accesses between barriers.
void ShadowMemory::barrier() { ++barriers_; }

ShadowMemory::Cell& ShadowMemory::current(Cell& cell, std::uint64_t barriers) {
  if (cell.since != barriers) {
    cell.read = cell.written = cell.atomic = Accessors{};
    cell.since = barriers;
  }
  return cell;
}

void ShadowMemory::join(Cell& cell, const Cell& other, bool either) {
  cell.read.add(other.read.invocation, other.read.source_text);
  cell.written.add(other.written.invocation, other.written.source_text);
  cell.atomic.add(other.atomic.invocation, other.atomic.source_text);
  cell.initialised =
      either ? cell.initialised || other.initialised : cell.initialised && other.initialised;
}

void ShadowMemory::join(const ShadowMemory& other, bool either) {
  const Whole theirs = other.whole_.since == other.barriers_ ? other.whole_ : Whole{};
  Whole joined = current_whole();
  joined.plain.add(theirs.plain.invocation, theirs.plain.source_text);
  joined.somewhere.add(theirs.somewhere.invocation, theirs.somewhere.source_text);
  joined.apart.add(theirs.apart.invocation, theirs.apart.source_text);
  joined.atomic.add(theirs.atomic.invocation, theirs.atomic.source_text);
  joined.since = std::max(barriers_, other.barriers_);
  whole_ = joined;
  // If one shadow has passed more barriers, even the pages that both share must be joined.
  const bool same_time = barriers_ == other.barriers_;
  if (same_time && pages_ == other.pages_) return;
  unshare_table();
  const std::uint64_t before = barriers_;
  barriers_ = std::max(before, other.barriers_);
  const Page untouched = blank();
  const auto join_page = [&](std::uint64_t number, const Page& theirs) {
    Page& page = writable_page(number);
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

std::string ShadowMemory::text_of(std::int64_t invocation) const {
  if (invocation == kAnyone) return array_->is_buffer() ? "several invocations" : "several threads";
  const auto thread = invocation % threads_;
  if (groups_[0] == 0) return fmt::format("thread {}", invocation);
  const auto group = static_cast<std::uint64_t>(invocation / threads_);
  return fmt::format("thread {} of workgroup ({},{},{})", thread, group % groups_[0],
                     group / groups_[0] % groups_[1], group / groups_[0] / groups_[1]);
}

void ShadowMemory::report(std::uint64_t at, const ElementAccess& now, const Accessors& before,
                          const char* did) {
  const char* does = now.atomic ? "changes" : now.writes ? "writes" : "reads";
  reasons_->add(fmt::format("race {} {}", *before.source_text, *now.source_text),
                fmt::format("race in {} {}: '{}' {} {}[{}] in {} and '{}' {} it in {}, {}",
                            array_->is_buffer() ? "buffer" : "shared", array_->name,
                            *before.source_text, did, array_->name, at, text_of(before.invocation),
                            *now.source_text, does, text_of(now.invocation),
                            array_->is_buffer() ? "and no barrier orders buffers"
                                                : "with no barrier between"));
}

}  // namespace vkmoye::gen::machine
