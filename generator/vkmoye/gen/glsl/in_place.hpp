// SPDX-License-Identifier: MIT
#pragma once
// Which values of a body are written where they are used, and not named on a line of their own.
//
//   float value = src[i];            dst[j] = src[i];
//   dst[j] = value;
//
//   float sum_value = sum;           sum = sum + x[v0];
//   float x_value = x[v0];
//   sum = sum_value + x_value;
//
//   uint tile_at = 16u * thread;     uint tile_at = thread;
//   tile[tile_at >> 4u] = word;      tile[tile_at] = word;
//
//   uint tile_at = 33u * lane;       tile[33u * lane] = word;      used once, and not in a loop
//   tile[tile_at] = word;
//
// Only names that the generator made are replaced; names of the kernel's author stay, unless a value is only moved.

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::glsl {

struct InPlace {
  /// Loads from registers that hold the same value at every use of the name.
  std::set<const ir::Stmt*> unchanged;
  /// Other loads, and operations of a subgroup, that the next statement uses once.
  std::set<const ir::Stmt*> moved;
  /// The Lets of offsets into shared arrays that are used once, and not in a loop.
  std::set<const ir::Stmt*> once;
  /// The Lets of offsets into arrays of vectors, and the number of elements of a vector.
  std::map<const ir::Stmt*, std::uint32_t> vectors;
};

/// These statements of `body`, a body in `kernel`, without the bodies inside.
InPlace in_place(const ir::Body& body, const ir::Kernel& kernel);

/// `e` with each variable that `values` names replaced by its value.
ir::Expr with_values(const ir::Expr& e, const std::map<std::string, ir::Expr>& values);

}  // namespace vkmoye::gen::glsl
