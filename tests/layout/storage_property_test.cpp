// SPDX-License-Identifier: MIT
// Positions of elements: recasts, common runs, collisions, swizzles, orders of strides.
#include "layout/property.hpp"

namespace vkmoye {
namespace {

using random_layout::any;
using random_layout::compact;
using random_layout::ordered;
using random_layout::uniform;

PROPERTY(RecastProperty, UpcastIsTheOffsetInUnits, [] {
  const Layout layout = *any();
  const std::int64_t factor = *uniform<std::int64_t>(1, 9);
  const auto result = unless_refused([&] { return upcast(layout, factor); });
  if (!result) return;
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    int leaf = 0;
    const IntTuple joined = idx2crd(i, layout.shape()).map<std::int64_t>([&](std::int64_t c) {
      const Mode& mode = layout.tree().leaf(leaf++);
      const bool inside = mode.stride > 0 && mode.extent > 1 && mode.stride % factor != 0;
      return inside ? c / (factor / mode.stride) : c;
    });
    RC_ASSERT((*result)(joined) == layout(i) / factor);
  }
})

PROPERTY(RecastProperty, DowncastReachesEveryUnit, [] {
  const Layout layout = *any(4);
  const std::int64_t factor = *uniform<std::int64_t>(1, 6);
  const auto units = image(downcast(layout, factor));
  bool has_unit_stride = false;
  for (const Mode& mode : layout.leaves()) has_unit_stride |= mode.stride == 1;
  for (std::int64_t offset : image(layout))
    for (std::int64_t j = 0; j < factor; ++j)
      RC_ASSERT(units.count(offset * factor + j) == (has_unit_stride || j == 0 ? 1u : 0u));
  std::set<std::int64_t> back;
  for (std::int64_t unit : units) back.insert(unit / factor);
  RC_ASSERT(back == image(layout));
})

PROPERTY(CommonProperty, VectorIsTheLongestCommonRun, [] {
  const Layout a = *any();
  const Layout b = *rc::gen::oneOf(rc::gen::just(a), any(), compact());
  const Layout inverse = right_inverse(b);
  std::int64_t expected = 1;
  while (expected < inverse.size() && a(inverse(expected)) == expected) ++expected;
  RC_ASSERT(max_common_vector(a, b) == expected);
  const Layout common = max_common_layout(a, b);
  RC_ASSERT(common.size() <= expected);
  for (std::int64_t i = 0; i < common.size(); ++i)
    RC_ASSERT(a(common(i)) == i && b(common(i)) == i);
})

PROPERTY(CommonProperty, AlignmentIsMadeOfWholeRuns, [] {
  const Layout layout = *any();
  const std::int64_t run = max_alignment(layout);
  const auto all = image(layout);
  for (std::int64_t offset : all)
    for (std::int64_t j = 0; j < run; ++j) RC_ASSERT(all.count(offset / run * run + j) == 1u);
  const auto wider = unless_refused([&] { return upcast(layout, run); });
  if (wider && is_injective(filter(layout))) RC_ASSERT(wider->size() * run == layout.size());
})

PROPERTY(InjectiveProperty, AgreesWithCounting, [] {
  const Layout layout = *any();
  const auto collision = find_collision(layout);
  RC_ASSERT(collision.has_value() ==
            (image(layout).size() != static_cast<std::size_t>(layout.size())));
  if (!collision) return;
  RC_ASSERT(collision->first != collision->second);
  RC_ASSERT(layout(collision->first) == collision->offset);
  RC_ASSERT(layout(collision->second) == collision->offset);
  RC_ASSERT(elem_less(collision->first, layout.shape()));
  RC_ASSERT(elem_less(collision->second, layout.shape()));
})

PROPERTY(SwizzleProperty, PermutesAndSurvivesSlicing, [] {
  const int bits = *uniform(0, 4), base = *uniform(0, 4);
  const int distance = *uniform(bits, 6);
  const Swizzle swizzle(bits, base, *rc::gen::arbitrary<bool>() ? distance : -distance);
  const Layout layout = *any();
  const std::int64_t offset = *uniform<std::int64_t>(0, 100);
  const ComposedLayout composed{swizzle, offset, layout};
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    const std::int64_t plain = offset + layout(i);
    RC_ASSERT(composed(i) == swizzle(plain));
    RC_ASSERT(swizzle(composed(i)) == plain);
    RC_ASSERT(composed(i) / swizzle.block_size() == plain / swizzle.block_size());
    RC_ASSERT(composed(i) < composed.cosize());
  }
  if (offset + layout.cosize() <= swizzle.identity_below())
    for (std::int64_t i = 0; i < layout.size(); ++i) RC_ASSERT(composed(i) == offset + layout(i));
  if (layout.is_leaf() || layout.rank() != 2) return;
  const std::int64_t column = *uniform<std::int64_t>(0, layout.mode(1).size());
  const ComposedLayout part = slice({_, column}, composed);
  for (std::int64_t i = 0; i < layout.mode(0).size(); ++i)
    RC_ASSERT(part(i) == composed({i, column}));
})

PROPERTY(SwizzleProperty, ComposesIntoOne, [] {
  const auto swizzle = [] {
    const int bits = *uniform(0, 3);
    return Swizzle(bits, *uniform(0, 3), 3);
  };
  const Swizzle a = swizzle(), b = swizzle();
  const auto both = unless_refused([&] { return composition(a, b); });
  if (!both) return;
  for (std::int64_t x = 0; x < 512; ++x) RC_ASSERT((*both)(x) == a(b(x)));
})

PROPERTY(OrderedProperty, CompactsInTheGivenOrder, [] {
  const Layout layout = *ordered();
  const Layout like = make_layout_like(layout);
  RC_ASSERT(like.shape() == layout.shape());
  RC_ASSERT(like.cosize() == layout.size() && is_injective(like));
  for (int i = 0; i < layout.tree().leaf_count(); ++i)
    for (int j = 0; j < layout.tree().leaf_count(); ++j)
      if (layout.tree().leaf(i).stride < layout.tree().leaf(j).stride)
        RC_ASSERT(like.tree().leaf(i).stride <= like.tree().leaf(j).stride);
  const Layout fragment = make_fragment_like(layout);
  RC_ASSERT(fragment.shape() == layout.shape());
  RC_ASSERT(fragment.cosize() == layout.size() && is_injective(fragment));
  same_function(fragment.mode(0), make_layout(layout.mode(0).shape()));
  RC_ASSERT(make_ordered_layout(layout.shape(), like.stride()).cosize() == layout.size());
})

PROPERTY(OrderedProperty, DistributesOverTheDomain, [] {
  const Layout layout = *any();
  const std::int64_t count = *uniform<std::int64_t>(1, 40);
  const auto result = unless_refused([&] { return domain_distribute(layout.shape(), count); });
  if (!result) return;
  RC_ASSERT(result->size() == count && is_injective(*result));
  RC_ASSERT(result->cosize() <= layout.size());
})

}  // namespace
}  // namespace vkmoye
