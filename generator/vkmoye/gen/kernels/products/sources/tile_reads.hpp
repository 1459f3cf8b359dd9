// SPDX-License-Identifier: MIT
#pragma once
// What a thread, or a lane of a subgroup, reads at once of a tile of A or B, into registers.
//
//   16 rows of A, 512 k, 4 subgroups; lanes (k 4, rows 8)
//     a subgroup   128 of the 512 k
//     a lane       2 times 16 consecutive k of each of its 2 rows: lane 5 reads k 16..31 and 80..95 of rows 1 and 9
//
//   TileReads next(k, tile_of, k.thread(), parts);
//   next.declare("next_a", type);                 registers in the shape of a thread's part
//   read_tiles(k, {&next}, k_tile, moved);        next_a <- its part of tile number k_tile, 0 outside the array
//
// For weights in blocks, these are words of blocks. Values then go to shared memory (shared_tile.hpp), are decoded
// (weight_units.hpp), or become elements of matrices as they are: a sum over k does not change if k is permuted in the
// same way in A and in B; see dsl/fragment_lanes.hpp.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/arrays/operand.hpp"

namespace vkmoye::gen {

/// How threads divide a tile, and move their parts of it.
struct TilePart {
  TiledCopy copy;
  Vector vector;            // that an access moves
  bool one_by_one = false;  // its elements are read one by one, whatever their alignment
  std::optional<Layout> registers =
      {};  // the order of the values there, if it is not that of the part
};
using TileParts = std::function<TilePart(Moved)>;

class TileReads {
 public:
  /// Tile number `k_tile` along k of the workgroup, as `parts` divides it.
  using TileOf = std::function<View(const Expr& k_tile)>;

  /// What some threads divide of a tile, such as those of a subgroup.
  using Within = std::function<View(const View& tile)>;

  /// `number`: of the thread or lane among those that divide the tile, or what is `within` it. `builder` must outlive
  /// this object.
  TileReads(Builder& builder, TileOf tile_of, Expr number, TileParts parts, Within within = {})
      : builder_(builder),
        tile_of_(std::move(tile_of)),
        number_(std::move(number)),
        parts_(std::move(parts)),
        within_(std::move(within)) {}

  /// Declares registers in the shape of a part. `held`: the elements of a vector of registers.
  void declare(const std::string& name, ScalarType type, std::uint32_t held = 1) {
    values_ = builder_.make_fragment_like(name, type, part(0, Moved::in_vectors), held);
  }
  /// Uses these registers.
  void hold_in(const View& registers) { values_ = registers; }

  View tile(const Expr& k_tile) const { return tile_of_(k_tile); }
  /// The part of the thread.
  View part(const Expr& k_tile, Moved moved) const {
    const View tile = tile_of_(k_tile);
    return partition(within_ ? within_(tile) : tile, parts_(moved).copy, number_);
  }
  /// Whether rows are aligned to vectors. Checked once, not for each tile, which takes fewer registers.
  Conditions fits() const {
    return builder_.fits(part(0, Moved::in_vectors), parts_(Moved::in_vectors).vector);
  }
  /// Reads the part of tile number `k_tile` into `to`, of its shape.
  void read(const Expr& k_tile, Moved moved, Edges edges, const View& to) const;
  void read(const Expr& k_tile, Moved moved, Edges edges) const {
    read(k_tile, moved, edges, values(moved));
  }
  /// What was read, in the order in which it was moved.
  View values(Moved moved = Moved::in_vectors) const;

 private:
  Builder& builder_;
  TileOf tile_of_;
  Expr number_;
  TileParts parts_;
  Within within_;
  View values_ = {};
};

/// Records `load` twice: for the case that all `tiles` are inside, and for the case that one extends past an edge,
/// where elements outside are 0.
void at_edges(Builder& builder, const std::vector<View>& tiles,
              const std::function<void(Edges)>& load);

/// Reads tile number `k_tile` of each.
void read_tiles(Builder& builder, const std::vector<const TileReads*>& all, const Expr& k_tile,
                Moved moved);

}  // namespace vkmoye::gen
