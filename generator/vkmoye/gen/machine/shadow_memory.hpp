// SPDX-License-Identifier: MIT
#pragma once
// Records which invocations accessed each element of an array since the last barrier, and reports races.
//
//   shadow.record(33, {.invocation = 32, .writes = true, ..})
//   shadow.record(33, {.invocation = 1, .reads = true, ..})      race in shared tile: '..' writes
//                                                                tile[33] in thread 32 and '..' ..
//
// Two invocations may access one element without a barrier between them if both only read it, or both access it
// atomically.
//
// Both branches of a condition start from a copy of the shadow. Copies are therefore cheap: they share their cells, in
// pages, until one of them changes a page, and `join` only looks at pages that differ.

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

/// Why a kernel is wrong: at most one reason of each kind.
class ReasonsByKind {
 public:
  void add(std::string kind, std::string reason) {
    if (said_.insert(std::move(kind)).second) list_.push_back(std::move(reason));
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::set<std::string> said_;
  std::vector<std::string> list_;
};

/// Stands for one of several invocations when it is not known which.
inline constexpr std::int64_t kAnyone = -2;

/// An access of one invocation to one element.
struct ElementAccess {
  std::int64_t invocation = 0;  // its number, see ShadowMemory, or kAnyone
  const std::string* source_text = nullptr;
  bool reads = false, writes = false, atomic = false;
  bool perhaps = false;  // it may be an access to another element, so it may read an unwritten one
};

class ShadowMemory {
 public:
  /// The shadow of an array of `elements`, which are written from the start if `is_initialised`. Invocation i is thread
  /// i % threads of workgroup i / threads. `groups`: the number of workgroups along x and y, for messages; {0, 0} if
  /// all invocations belong to one workgroup. `array` and `reasons` must outlive the shadow and its copies.
  ShadowMemory(const ir::Array& array, std::uint64_t elements, std::uint32_t threads,
               std::array<std::uint64_t, 2> groups, bool is_initialised, ReasonsByKind& reasons);

  std::uint64_t elements() const { return elements_; }
  /// Records an access to the `count` elements from `at` on. Adds a reason if it races with an earlier access, or reads
  /// an element that nothing has written.
  void record(std::uint64_t at, const ElementAccess& access, std::uint64_t count = 1);
  /// Records an access to an unknown element. Precondition: the access is atomic, or the author of the kernel asserts
  /// that no other invocation accesses the element.
  void record_somewhere(const ElementAccess& access);
  /// Adds a reason if one of the first `count` elements, any of which `access` may read, is not written.
  void require_written(std::uint64_t count, const ElementAccess& access);
  /// All accesses so far happen before those that follow.
  void barrier();
  /// Forgets all accesses and writes, as at the start of a workgroup.
  void clear();
  /// Whether the `count` elements from `at` on are written, whichever path was taken.
  bool is_written(std::uint64_t at, std::uint64_t count = 1) const;

  /// Merges the shadow of another path, where either may have been taken: accesses of both paths count; an element
  /// is written if it is on both paths, or, with `either`, on one of them.
  void join(const ShadowMemory& other, bool either);

 private:
  // The invocations that accessed an element in one way.
  struct Accessors {
    std::int64_t invocation = -1;  // none: -1, several: kAnyone
    const std::string* source_text = nullptr;
    bool conflicts_with(std::int64_t other) const {
      return invocation != -1 && (invocation != other || other == kAnyone);
    }
    void add(std::int64_t other, const std::string* by);
  };
  struct Cell {
    Accessors read, written, atomic;  // valid if no barrier came after number `since`
    std::uint64_t since = 0;
    bool initialised = false;
  };
  // A page holds neighbouring cells. It is made at the first access to one of them.
  static constexpr std::uint64_t kPage = 256;
  using Page = std::array<Cell, kPage>;
  using Pages = std::unordered_map<std::uint64_t, std::shared_ptr<Page>>;

  Page blank() const;
  // The page of that number, for reading; nullptr if none of its elements was accessed.
  const Page* find(std::uint64_t number) const;
  // Afterwards no copy shares the table of pages.
  void unshare_table();
  // The page of that number, which no copy shares.
  Page& writable_page(std::uint64_t number);
  // The cell, without accesses from before the last barrier.
  static Cell& current(Cell& cell, std::uint64_t barriers);
  static void join(Cell& cell, const Cell& other, bool either);
  // The accessors of the array as a whole since the barrier of number `since`.
  struct Whole {
    Accessors plain, somewhere;  // non-atomic accesses; atomic accesses to an unknown element
    // Accesses to unknown elements that differ; atomic accesses to known elements.
    Accessors apart, atomic;
    std::uint64_t since = 0;
  };
  Whole& current_whole();
  // Records an access to the element at `at`, whose cell is without accesses from before the last barrier.
  void record_in(Cell& cell, std::uint64_t at, const ElementAccess& access);
  void report_unwritten(std::uint64_t at, const ElementAccess& access);
  void report_somewhere(const ElementAccess& now, const Accessors& before);
  void report(std::uint64_t at, const ElementAccess& now, const Accessors& before, const char* did);
  std::string text_of(std::int64_t invocation) const;

  const ir::Array* array_;
  std::uint64_t elements_;
  std::uint32_t threads_;
  std::array<std::uint64_t, 2> groups_;
  bool is_initialised_;
  ReasonsByKind* reasons_;
  std::shared_ptr<Pages> pages_;
  std::uint64_t barriers_ = 0;
  Whole whole_;
  // The page that `find` found last, since consecutive accesses are usually to neighbours.
  mutable std::uint64_t last_ = 0;
  mutable std::shared_ptr<Page>* last_page_ = nullptr;
};

}  // namespace vkmoye::gen::machine
