// SPDX-License-Identifier: MIT
#pragma once
// A matrix in blocks, each divided among the threads of a workgroup, which load its values into
// registers and store them back.
//
//   TiledArray src(k, tensor, {bM, bN}, copy);        // copy: (thread, value) -> element of (bM, bN)
//   View x = k.registers("x", f32, Layout(src.shape()));
//   src.load({block, k.block_x()}, x, 0);             // 0 where the block extends past an edge
//
// Blocks whose rows are aligned to the access width are moved in wide accesses, all loads in flight at once; others
// element by element.

#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

class TiledArray {
 public:
  /// `extents`: the shape of a block. If the tensor has fewer axes than the block, it is broadcast along the
  /// others. `k` must outlive this object.
  TiledArray(Builder& k, const Tensor& tensor, const IntTuple& extents, const TiledCopy& copy);

  /// The shape of a thread's values: (value, rest modes ..).
  IntTuple shape() const { return part(origin()).shape(); }
  /// A thread's values of the block at `coordinate`.
  View part(const std::vector<Expr>& coordinate) const;

  /// Registers for a thread's values.
  View registers(const std::string& name, ScalarType type) const;

  /// to(v) = the value of the block at `coordinate`, converted to the type of `to`; values past an
  /// edge are `outside`, which has that type. Precondition: the block begins inside the tensor.
  void load(const std::vector<Expr>& coordinate, const View& to, const Expr& outside);
  /// Stores from(v) to the block at `coordinate`, except past an edge.
  void store(const std::vector<Expr>& coordinate, const View& from);

 private:
  std::vector<Expr> origin() const { return std::vector<Expr>(tensor_.array.axes.size(), Expr(0)); }
  View block(const std::vector<Expr>& coordinate) const;
  Conditions whole(const std::vector<Expr>& coordinate) const;
  CopyOptions at_once() const;
  Builder& builder_;
  Tensor tensor_;
  IntTuple extents_;
  TiledCopy copy_;
  Vector vector_;  // the elements of an access
};

}  // namespace vkmoye::gen
