// SPDX-License-Identifier: MIT
// Operations that write the same function, or a part of it, with other modes.
#include <functional>

#include "layout/property.hpp"

namespace vkmoye {
namespace {

using random_layout::any;
using random_layout::uniform;

PROPERTY(TextProperty, RoundTrips, [] {
  const Layout layout = *any();
  RC_ASSERT(parse_layout(to_string(layout)) == layout);
})

PROPERTY(LayoutProperty, CoordinatesOfEveryKindNameTheSameElement, [] {
  const Layout layout = *any();
  std::int64_t largest = 0;
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    const IntTuple nested = idx2crd(i, layout.shape());
    RC_ASSERT(crd2idx(nested, layout.shape()) == i);
    RC_ASSERT(layout(nested) == layout(i));
    std::int64_t sum = 0;
    for (int k = 0; k < nested.leaf_count(); ++k)
      sum += nested.leaf(k) * layout.tree().leaf(k).stride;
    RC_ASSERT(layout(i) == sum);
    largest = std::max(largest, sum);
  }
  RC_ASSERT(layout.cosize() == largest + 1);
})

PROPERTY(CoalesceProperty, KeepsTheFunctionAndJoinsEverything, [] {
  const Layout layout = *any();
  const Layout result = coalesce(layout);
  same_function(layout, result);
  RC_ASSERT(result.depth() <= 1);
  const auto leaves = result.leaves();
  for (std::size_t i = 0; i + 1 < leaves.size(); ++i) {
    RC_ASSERT(leaves[i].extent > 1 && leaves[i + 1].extent > 1);
    RC_ASSERT(leaves[i].extent * leaves[i].stride != leaves[i + 1].stride);
  }
})

PROPERTY(CoalesceProperty, ByProfileKeepsModes, [] {
  const Layout layout = *any();
  const IntTuple profile = product_each(layout.shape());
  const Layout result = coalesce(layout, profile);
  same_function(layout, result);
  RC_ASSERT(compatible(profile, result.shape()));
})

PROPERTY(FilterProperty, KeepsEachDistinctOffset, [] {
  const Layout layout = *any();
  const Layout result = filter(layout);
  RC_ASSERT(image(result) == image(layout));
  same_function(filter_zeros(result), result);
  RC_ASSERT(result.size() * nullspace(layout).size() == layout.size());
})

/// A coordinate for slicing: `_` or an index for each leaf or mode.
IntTuple slicing_coordinate(const IntTuple& shape) {
  const int kind = *uniform(0, 3);
  if (kind == 0) return _;
  if (shape.is_leaf() || kind == 1) return *uniform<std::int64_t>(0, size(shape));
  std::vector<IntTuple> modes;
  for (int i = 0; i < shape.rank(); ++i) modes.push_back(slicing_coordinate(shape.mode(i)));
  return make_tuple<std::int64_t>(modes);
}

PROPERTY(SliceProperty, KeepsWhatDiceDrops, [] {
  const Layout layout = *any();
  RC_PRE(!layout.is_leaf());
  std::vector<IntTuple> modes;
  for (int i = 0; i < layout.rank(); ++i)
    modes.push_back(slicing_coordinate(layout.mode(i).shape()));
  const IntTuple coordinate = make_tuple<std::int64_t>(modes);
  const OffsetLayout part = slice_and_offset(coordinate, layout);
  RC_ASSERT(part.layout == slice(coordinate, layout));
  RC_ASSERT(part.layout.size() * dice(coordinate, layout).size() == layout.size());
  // Exactly the offsets of the coordinates that contain the given indices.
  Offsets expected;
  const std::function<bool(const IntTuple&, const IntTuple&, const IntTuple&)> agrees =
      [&](const IntTuple& wanted, const IntTuple& have, const IntTuple& shape) {
        if (wanted == IntTuple(_)) return true;
        if (wanted.is_leaf()) return crd2idx(have, shape) == wanted.leaf(0);
        for (int i = 0; i < wanted.rank(); ++i)
          if (!agrees(wanted.mode(i), have.mode(i), shape.mode(i))) return false;
        return true;
      };
  for (std::int64_t i = 0; i < layout.size(); ++i)
    if (agrees(coordinate, idx2crd(i, layout.shape()), layout.shape())) expected.insert(layout(i));
  Offsets actual;
  for (std::int64_t i = 0; i < part.layout.size(); ++i) actual.insert(part(i));
  RC_ASSERT(actual == expected);
})

PROPERTY(ModesProperty, SurgeryMovesNoElement, [] {
  const Layout layout = *any();
  same_function(flatten(layout), layout);
  RC_ASSERT(unflatten(flatten(layout), layout.shape()) == layout);
  same_function(append(layout, layout.rank() + 1), layout);
  same_function(prepend(layout, layout.rank() + 2), layout);
  if (layout.is_leaf()) return;
  const int begin = *uniform(0, layout.rank() + 1);
  const int end = *uniform(begin, layout.rank() + 1);
  same_function(group(layout, begin, end), layout);
  std::int64_t kept = 1;
  for (int i = begin; i < end; ++i) kept *= layout.mode(i).size();
  RC_ASSERT(take(layout, begin, end).size() == kept);
  RC_ASSERT(replace(layout, 0, layout.mode(0)) == layout);
  if (layout.rank() == 2) {
    RC_ASSERT(transpose(transpose(layout)) == layout);
    RC_ASSERT(transpose(layout) == select(layout, {1, 0}));
    for (std::int64_t i = 0; i < layout.mode(0).size(); ++i)
      for (std::int64_t j = 0; j < layout.mode(1).size(); ++j)
        RC_ASSERT(transpose(layout)(j, i) == layout(i, j));
  }
})

PROPERTY(CompareProperty, FlatteningAndNestingAreOrdered, [] {
  const Layout layout = *any();
  const IntTuple shape = layout.shape(), coarse = product_each(shape);
  RC_ASSERT(compatible(shape, shape) && weakly_congruent(shape, shape) && congruent(shape, shape));
  RC_ASSERT(compatible(coarse, shape) && weakly_congruent(coarse, shape));
  RC_ASSERT(compatible(IntTuple(size(shape)), shape));
  RC_ASSERT(evenly_divides(shape, coarse) && evenly_divides(shape, 1));
})

}  // namespace
}  // namespace vkmoye
