// SPDX-License-Identifier: MIT
#pragma once
// A source of fragments without shared memory: what a lane reads of A or B, from an array in its own order.
//
//   16 rows of A, 512 k, 4 subgroups; lanes (k 4, rows 8)
//     a subgroup   128 of the 512 k
//     a lane       2 times 16 consecutive k of each of its 2 rows: lane 5 reads k 16..31 and 80..95 of rows 1 and 9
//
// For weights in blocks, a lane reads words of blocks. A sum over k does not change if k is permuted in the same way in
// A and in B, so whatever a lane reads can be its elements of matrices; see dsl/fragment_lanes.hpp.

#include <cstdint>
#include <functional>
#include <string>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/dsl/fragment_lanes.hpp"
#include "vkmoye/gen/kernels/products/arrays/buffers.hpp"

namespace vkmoye::gen {

class LaneReads {
 public:
  struct Shape {
    Layout lanes;  // (part of k, part of the rows) -> lane
    std::int64_t rows;
    std::int64_t together, times;  // values along k: consecutive ones, and how many times
    /// The values along k of a subgroup.
    std::int64_t depth() const { return size(lanes.mode(0)) * together * times; }
  };
  /// Tile number `k_tile` along k of the workgroup: (k, rows), with as many k as its subgroups read together.
  using TileOf = std::function<View(const Expr& k_tile)>;

  /// Declares registers of `type` called `name`. `access`: a lane's loads from the buffer; `held`: the elements of a
  /// vector of registers. `builder` and `buffers` must outlive this object.
  LaneReads(Builder& builder, GemmBuffers& buffers, Shape shape, TileOf tile_of,
            const std::string& name, ScalarType type, Vector access, std::uint32_t held);

  /// Whether rows are aligned to the accesses.
  Conditions fits() const { return builder_.fits(of_lane(0), access_, Edges::zero); }
  /// Reads the lane's part of tile number `k_tile`; outside the array, values are 0.
  void read(const Expr& k_tile, Moved moved) const;
  /// What was read: registers (together, times, rows of a lane).
  const View& values() const { return values_; }

 private:
  View of_lane(const Expr& k_tile) const;

  Builder& builder_;
  GemmBuffers& buffers_;
  Shape shape_;
  TileOf tile_of_;
  Vector access_;
  View values_;
};

}  // namespace vkmoye::gen
