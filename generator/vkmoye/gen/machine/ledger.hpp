// SPDX-License-Identifier: MIT
#pragma once
// Remembers, for each element of an array, who touched it since the last barrier, and says where
// two invocations meet that nothing keeps apart.
//
//   ledger.touch(33, {.invocation = 32, .writes = true, ..})
//   ledger.touch(33, {.invocation = 1, .reads = true, ..})      race in shared tile: '..' writes
//                                                               tile[33] in thread 32 and '..' ..
//
// Several invocations may touch one element if all of them only read, or all do so atomically.
//
// Whoever follows both ways of a condition keeps what was before. So a copy costs nothing: it shares all
// cells, in pages, until one of the two changes a page, and only pages that differ are joined.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::machine {

/// Reasons against a kernel, each kind once.
class Reasons {
 public:
  void add(std::string kind, std::string reason) {
    if (said_.insert(std::move(kind)).second) list_.push_back(std::move(reason));
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::set<std::string> said_;
  std::vector<std::string> list_;
};

/// One of several invocations, and nobody knows which.
inline constexpr std::int64_t kAnyone = -2;

/// Who touches an element, and how.
struct Toucher {
  std::int64_t invocation = 0;  // of all workgroups; see `text_of`; or kAnyone
  const std::string* partition = nullptr;
  bool reads = false, writes = false, atomic = false;
};

class Ledger {
 public:
  /// `threads`: of a workgroup; invocation i is thread i % threads of workgroup i / threads.
  /// `groups`: of the launch along x and y, to name a workgroup; 0: invocations are threads of one.
  /// All but `array` are copied; `reasons` and `array` outlive the ledger.
  Ledger(const ir::Array& array, std::uint64_t elements, std::uint32_t threads,
         std::array<std::uint64_t, 2> groups, bool is_initialised, Reasons& reasons);

  std::uint64_t elements() const { return elements_; }
  void touch(std::uint64_t at, const Toucher& toucher);
  /// What was touched before happened before what follows.
  void barrier();
  /// As at the start of a workgroup.
  void clear();
  /// Whether every invocation's path has written `count` elements from this one on.
  bool is_written(std::uint64_t at, std::uint64_t count = 1) const;

  /// What memory holds may be what it holds now, or what `other` holds: a touch on either path is a
  /// touch; an element is written if both wrote it, or, if `either` is enough, one of them.
  void join(const Ledger& other, bool either);

 private:
  struct Touch {
    std::int64_t invocation = -1;  // none: -1, several: kAnyone
    const std::string* partition = nullptr;
    bool conflicts_with(std::int64_t other) const {
      return invocation != -1 && (invocation != other || other == kAnyone);
    }
    void add(std::int64_t other, const std::string* by);
  };
  struct Cell {
    Touch read, written, atomic;  // since the barrier of this number; later they are forgotten
    std::uint64_t since = 0;
    bool initialised = false;
  };
  // Neighbours; they exist from the first touch of one of them on.
  static constexpr std::uint64_t kPage = 256;
  using Page = std::array<Cell, kPage>;
  using Pages = std::unordered_map<std::uint64_t, std::shared_ptr<Page>>;

  Page blank() const;
  // The page of that number, for reading; nullptr: nobody has touched it.
  const Page* find(std::uint64_t number) const;
  // From here on no copy shares the table of pages; of one page, nor what is in it.
  void own();
  Page& own(std::uint64_t number);
  // The cell without what a barrier has ordered.
  static Cell& current(Cell& cell, std::uint64_t barriers);
  static void join(Cell& cell, const Cell& other, bool either);
  void report(std::uint64_t at, const Toucher& now, const Touch& before, const char* did);
  std::string text_of(std::int64_t invocation) const;

  const ir::Array* array_;
  std::uint64_t elements_;
  std::uint32_t threads_;
  std::array<std::uint64_t, 2> groups_;
  bool is_initialised_;
  Reasons* reasons_;
  std::shared_ptr<Pages> pages_;
  std::uint64_t barriers_ = 0;
  // Where pages_ has the page that was looked for last: neighbours are touched one after the other.
  mutable std::uint64_t last_ = 0;
  mutable std::shared_ptr<Page>* last_page_ = nullptr;
};

}  // namespace vkmoye::gen::machine
