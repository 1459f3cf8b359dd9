// SPDX-License-Identifier: MIT
#pragma once
// The numbers of a launch as formulas of its arguments by index, so that a kernel can be launched with other arguments
// without looking up names and without allocating.
//
//   transpose: cols (0), rows (1)    src needs 4 * cols * rows bytes, the grid has ceil(cols / 32) x ceil(rows / 32)
//   evaluate {1023, 2047}            src needs 8376324 bytes, the grid has 32 x 64 groups
//
// It decides nothing by itself: whatever is not plainly valid is left to prepare_dispatches, which knows every rule and
// every reason.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/runtime/values/dispatches.hpp"

namespace vkmoye {

class LaunchFormula {
 public:
  /// Precondition: specialised arguments have values.
  LaunchFormula(const KernelInterface& kernel, const DeviceCaps& caps);

  /// The arguments that `evaluate` takes, in alphabetical order.
  const std::vector<std::string>& names() const { return names_; }

  /// Replaces needed bytes, push constants (except addresses) and the grid in `dispatches`, which was made for the same
  /// kernel and device, and returns true. Returns false if prepare_dispatches must make `dispatches`: the arguments are
  /// invalid, or of an uncommon kind: an extent or the grid is empty, the grid takes several pieces, or the elements of
  /// a written array lie in an unusual order. The ranges are not checked: see `rebind`. Allocates nothing.
  /// Precondition: as many values as names.
  bool evaluate(std::span<const Argument> values, Dispatches& dispatches) const;

 private:
  // An Extent with arguments by index.
  struct Term {
    int argument = -1, times = -1;  // -1: none
    std::int64_t value = 1;         // the number, or the product of the specialised arguments
    std::int64_t per = 1;
    bool is_extent = true;  // at most kMaxExtent if it is an argument
  };
  struct Array {
    std::size_t first_extent = 0, first_stride = 0, modes = 0;  // in terms_
    bool has_strides = false, is_written = false;
    std::uint64_t element_bytes = 0, max_elements = 0, max_bytes = 0;
  };
  struct Constant {
    std::size_t argument = 0;
    std::uint32_t offset = 0;
    ScalarType type = ScalarType::u32;
  };
  struct Axis {
    Term extent;
    std::int64_t tile = 1, max_groups = 0;
    std::uint64_t limit = 0;
  };

  Term term_of(const KernelInterface& kernel, const Extent& extent, bool is_extent) const;
  static bool value_in(const Term& term, std::span<const Argument> values, std::int64_t& out);
  bool bytes_of(const Array& array, std::span<const Argument> values, std::uint64_t& out) const;
  static bool put(const Constant& constant, const Argument& value, std::byte* constants);

  std::vector<std::string> names_;
  std::vector<Term> terms_;
  std::vector<Array> arrays_;
  std::vector<Constant> constants_;
  std::array<Axis, 3> axes_;
};

}  // namespace vkmoye
