// SPDX-License-Identifier: MIT
#pragma once
// A nested tuple of leaves, the shape of everything in the algebra:
//
//   8            a leaf                       nodes: [leaf]
//   (8)          a tuple of one leaf          nodes: [1, leaf]
//   ((2,4),8)    a tuple of a tuple and 8     nodes: [2, 2, leaf, leaf, leaf]   leaves: 2 4 8
//   ()           the empty tuple              nodes: [0]
//
// A tree is a value of fixed capacity stored flat in pre-order, so it can be a constexpr variable,
// is copied with one memcpy, and a subtree is a contiguous range of nodes and of leaves. Functions
// that walk a tree carry a Cursor; functions that make one use a TreeBuilder.

#include <cstdint>
#include <initializer_list>
#include <span>

#include "vkmoye/layout/raise.hpp"

namespace vkmoye {

inline constexpr int kMaxLeaves = 32;
inline constexpr int kMaxNodes = 64;

/// A place in a tree: the node, and how many leaves come before it.
struct Cursor {
  int node = 0;
  int leaf = 0;
};

template <class Leaf>
class TreeBuilder;

template <class Leaf>
class Tree {
 public:
  /// The empty tuple.
  constexpr Tree() = default;

  /// A leaf.
  constexpr Tree(Leaf leaf) : node_count_(1), leaf_count_(1) {
    arity_[0] = kLeaf;
    leaves_[0] = leaf;
  }

  /// The tuple of `modes`: {{2, 4}, 8} is ((2,4),8) and {4} is (4), not 4.
  constexpr Tree(std::initializer_list<Tree> modes);

  /// Whether this is a leaf (8) rather than a tuple ((8) or ()).
  constexpr bool is_leaf() const { return arity_[0] == kLeaf; }

  /// The number of modes; a leaf has one mode, itself.
  constexpr int rank() const { return is_leaf() ? 1 : arity_[0]; }

  /// Levels of tuples: 0 for a leaf, 1 for (2,3), 2 for ((2,4),8).
  constexpr int depth() const {
    Cursor at;
    return depth(at);
  }

  /// Mode i. Throws LayoutError unless 0 <= i < rank(). Mode 0 of a leaf is the leaf.
  constexpr Tree mode(int i) const { return subtree(mode_cursor(i)); }

  /// All leaves from left to right.
  constexpr std::span<const Leaf> leaves() const& {
    return {leaves_, static_cast<std::size_t>(leaf_count_)};
  }
  std::span<const Leaf> leaves() && = delete;  // the span would outlive the tree
  constexpr int leaf_count() const { return leaf_count_; }
  /// Leaf number `i` of all, first to last.
  constexpr const Leaf& leaf(int i) const { return leaves_[i]; }

  /// A tree with the same nesting, whose leaves are f(leaf).
  template <class Result, class F>
  constexpr Tree<Result> map(F f) const {
    Tree<Result> result;
    result.node_count_ = node_count_;
    result.leaf_count_ = leaf_count_;
    for (int i = 0; i < node_count_; ++i) result.arity_[i] = arity_[i];
    for (int i = 0; i < leaf_count_; ++i) result.leaves_[i] = f(leaves_[i]);
    return result;
  }

  /// Whether the two have the same nesting; leaves may differ, even in type.
  template <class Other>
  constexpr bool congruent_to(const Tree<Other>& other) const {
    if (node_count_ != other.node_count_) return false;
    for (int i = 0; i < node_count_; ++i)
      if (arity_[i] != other.arity_[i]) return false;
    return true;
  }

  constexpr bool operator==(const Tree& other) const {
    if (!congruent_to(other)) return false;
    for (int i = 0; i < leaf_count_; ++i)
      if (!(leaves_[i] == other.leaves_[i])) return false;
    return true;
  }

  // Walking: `at` names a subtree of this tree.

  /// Whether the subtree is a leaf, and the number of its modes (1 of a leaf).
  constexpr bool is_leaf(Cursor at) const { return arity_[at.node] == kLeaf; }
  constexpr int rank(Cursor at) const { return is_leaf(at) ? 1 : arity_[at.node]; }

  /// The first mode below a tuple; the following modes are reached with `next`.
  constexpr Cursor first(Cursor at) const { return {at.node + 1, at.leaf}; }

  /// The place just after the subtree, which is its next sibling if it has one.
  constexpr Cursor next(Cursor at) const {
    for (int pending = 1; pending > 0; ++at.node) {
      --pending;
      if (arity_[at.node] == kLeaf) {
        ++at.leaf;
      } else {
        pending += arity_[at.node];
      }
    }
    return at;
  }

  /// Where mode i starts.
  constexpr Cursor mode_cursor(int i) const {
    if (i < 0 || i >= rank()) raise("mode", {std::int64_t{i}}, "the tuple has {} modes", {rank()});
    if (is_leaf()) return {};
    Cursor at = first({});
    for (; i > 0; --i) at = next(at);
    return at;
  }

  /// The subtree as a tree of its own.
  constexpr Tree subtree(Cursor at) const {
    Tree result;
    const Cursor end = next(at);
    result.node_count_ = static_cast<std::int8_t>(end.node - at.node);
    result.leaf_count_ = static_cast<std::int8_t>(end.leaf - at.leaf);
    for (int i = 0; i < result.node_count_; ++i) result.arity_[i] = arity_[at.node + i];
    for (int i = 0; i < result.leaf_count_; ++i) result.leaves_[i] = leaves_[at.leaf + i];
    return result;
  }

 private:
  template <class>
  friend class Tree;
  friend class TreeBuilder<Leaf>;
  static constexpr std::int8_t kLeaf = -1;

  constexpr int depth(Cursor& at) const {
    if (is_leaf(at)) {
      at = next(at);
      return 0;
    }
    int deepest = 0;
    const int modes = rank(at);
    at = first(at);
    for (int i = 0; i < modes; ++i) {
      const int below = depth(at);
      if (below > deepest) deepest = below;
    }
    return deepest + 1;
  }

  std::int8_t node_count_ = 1;
  std::int8_t leaf_count_ = 0;
  std::int8_t arity_[kMaxNodes] = {};  // kLeaf, or the number of modes of a tuple
  Leaf leaves_[kMaxLeaves] = {};
};

/// Makes a tree from left to right: `open(2); leaf(a); leaf(b)` is (a,b).
/// Throws LayoutError for more than kMaxLeaves leaves or kMaxNodes nodes.
template <class Leaf>
class TreeBuilder {
 public:
  constexpr TreeBuilder() { tree_.node_count_ = 0; }

  /// Starts a tuple of `modes` modes; returns its place for a later `set_rank`.
  constexpr int open(int modes) {
    push_node(static_cast<std::int8_t>(modes));
    return tree_.node_count_ - 1;
  }

  /// Corrects the number of modes of a tuple that was opened before it was known.
  constexpr void set_rank(int place, int modes) {
    tree_.arity_[place] = static_cast<std::int8_t>(modes);
  }

  /// Adds a leaf. Throws LayoutError if there are kMaxLeaves already.
  constexpr void leaf(const Leaf& value) {
    if (tree_.leaf_count_ == kMaxLeaves)
      raise("tuple", {}, "it would have more than {} leaves", {kMaxLeaves});
    push_node(Tree<Leaf>::kLeaf);
    tree_.leaves_[tree_.leaf_count_++] = value;
  }

  /// A copy of the subtree of `from` at `at`.
  constexpr void add(const Tree<Leaf>& from, Cursor at = {}) {
    const Cursor end = from.next(at);
    for (; at.node < end.node; ++at.node) {
      if (from.is_leaf(at)) {
        leaf(from.leaves_[at.leaf++]);
      } else {
        open(from.rank(at));
      }
    }
  }

  constexpr const Tree<Leaf>& tree() const { return tree_; }

 private:
  constexpr void push_node(std::int8_t arity) {
    if (tree_.node_count_ == kMaxNodes)
      raise("tuple", {}, "it would have more than {} leaves and tuples", {kMaxNodes});
    tree_.arity_[tree_.node_count_++] = arity;
  }

  Tree<Leaf> tree_;
};

template <class Leaf>
constexpr Tree<Leaf>::Tree(std::initializer_list<Tree> modes) {
  TreeBuilder<Leaf> builder;
  builder.open(static_cast<int>(modes.size()));
  for (const Tree& mode : modes) builder.add(mode);
  *this = builder.tree();
}

/// The tuple of `modes`, also for a single one, where braces are ambiguous: make_tuple of x alone is (x).
template <class Leaf>
constexpr Tree<Leaf> make_tuple(std::span<const Tree<Leaf>> modes) {
  TreeBuilder<Leaf> builder;
  builder.open(static_cast<int>(modes.size()));
  for (const Tree<Leaf>& mode : modes) builder.add(mode);
  return builder.tree();
}

}  // namespace vkmoye
