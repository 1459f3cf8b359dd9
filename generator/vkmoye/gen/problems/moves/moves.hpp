// SPDX-License-Identifier: MIT
#pragma once
// Copies, transposes and relayouts: the result is a permutation of the input, bit for bit; copies may convert to
// another type, see conversion.hpp.
//
//   transpose of 2x3    src (2,3)    dst (3,2), whose axes have strides 1 and 3 in src

#include <memory>
#include <vector>

#include "vkmoye/gen/problems/moves/conversion.hpp"
#include "vkmoye/gen/problems/operation.hpp"

namespace vkmoye::gen {

/// The source of each element. Shapes are in C order.
struct MoveMap {
  Extents src, dst;
  Extents strides;  // strides in src along the axes of dst, in elements

  std::uint64_t elements() const { return static_cast<std::uint64_t>(number_of_elements(dst)); }
  /// The index in src of the element at `index` of dst.
  std::uint64_t source_of(std::uint64_t index) const;
};

class MoveProblem : public Problem {
 public:
  MoveProblem(MovedTypes types, MoveMap map);

  const MovedTypes& types() const { return types_; }
  const MoveMap& map() const { return map_; }

  void fill(ArrayMemory& memory, std::uint64_t seed) const override;
  CheckResult check(const ArrayMemory& memory, Verify verify, std::uint64_t seed) const override;

 private:
  std::size_t width() const { return size_of(types_.src); }

  MovedTypes types_;
  MoveMap map_;
};

Operation copies();
Operation transposes();
Operation relayouts();

}  // namespace vkmoye::gen
