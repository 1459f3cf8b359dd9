// SPDX-License-Identifier: MIT
#pragma once
// A tensor whose value at coordinate c is c itself. If it is tiled and sliced like the data, each
// element of a tile gives its coordinate in the whole, so a bounds check is one comparison.
//
//   coords = make_identity_tensor((100,70)); tile = local_tile(coords, [32,32], (3,2))
//   tile({5,1}) = (101,65)       elem_less(tile({5,1}), (100,70)) is false: past row 99
//
// One layout per component of the coordinate, with stride 1 along its own mode and 0 along the
// others: every operation on layouts is an operation on coordinates, component by component.
//
// CuTe: make_identity_tensor, make_coord_tensor (media/docs/cpp/cute/0z_tma_tensors.md,
// 0y_predication.md), where strides are basis vectors instead.

#include <cstdint>

#include "vkmoye/layout/shape_relations.hpp"
#include "vkmoye/tensor/partition.hpp"

namespace vkmoye {

/// A tensor of coordinates, or a part of one; see above.
class CoordinateTensor {
 public:
  /// Components at most: leaves of the shape.
  static constexpr int kMaxComponents = 8;

  /// The identity on `shape`. Throws LayoutError for more than 8 leaves.
  constexpr explicit CoordinateTensor(const IntTuple& shape) : profile_(shape) {
    const Layout whole(shape);
    if (shape.leaf_count() > kMaxComponents)
      raise("make_identity_tensor", {shape}, "it has more than {} leaves", {kMaxComponents});
    for (int k = 0; k < shape.leaf_count(); ++k) {
      int leaf = 0;
      components_[k].layout = Layout(whole.tree().map<Mode>([&](const Mode& mode) {
        return Mode{mode.extent, leaf++ == k ? 1 : 0};
      }));
    }
  }

  /// The coordinate, nested like the original shape, of element `at` of this part.
  constexpr IntTuple operator()(const IntTuple& at) const {
    int k = 0;
    return profile_.map<std::int64_t>([&](std::int64_t) { return components_[k++](at); });
  }

  constexpr std::int64_t size() const { return components_[0].layout.size(); }
  constexpr IntTuple shape() const { return components_[0].layout.shape(); }

  /// The part that f selects: f takes a Layout and gives an OffsetLayout (a slice, a tile).
  template <class F>
  constexpr CoordinateTensor part(F f) const {
    CoordinateTensor result = *this;
    for (int k = 0; k < profile_.leaf_count(); ++k) {
      const OffsetLayout selected = f(components_[k].layout);
      result.components_[k] = {selected.layout,
                               checked_add(components_[k].offset, selected.offset)};
    }
    return result;
  }

 private:
  IntTuple profile_;
  OffsetLayout components_[kMaxComponents];
};

/// Postcondition: result(c) == c for every coordinate c nested like `shape`.
constexpr CoordinateTensor make_identity_tensor(const IntTuple& shape) {
  return CoordinateTensor(shape);
}

/// As for layouts (slice.hpp).
constexpr CoordinateTensor slice(const IntTuple& coordinate, const CoordinateTensor& tensor) {
  return tensor.part([&](const Layout& layout) { return slice_and_offset(coordinate, layout); });
}
/// As for layouts (partition.hpp).
constexpr CoordinateTensor local_tile(const CoordinateTensor& tensor, const Tiler& tile,
                                      const IntTuple& coordinate) {
  return tensor.part([&](const Layout& layout) { return local_tile(layout, tile, coordinate); });
}
/// As for layouts (partition.hpp).
constexpr CoordinateTensor local_partition(const CoordinateTensor& tensor, const Layout& threads,
                                           std::int64_t id, const IntTuple& projection = _) {
  return tensor.part(
      [&](const Layout& layout) { return local_partition(layout, threads, id, projection); });
}

}  // namespace vkmoye
