// Every operation against its definition, at every coordinate, on random layouts. The seed is fixed
// (RC_PARAMS in the environment overrides it: "seed=7 max_success=100000"), a failure shrinks and
// prints the layouts that reproduce it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "random_layout.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/tensor/partition.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye {
namespace {

using random_layout::any;
using random_layout::compact;
using random_layout::number;
using random_layout::ordered;

const int kParameters =
    setenv("RC_PARAMS", "seed=20240607 max_success=6000 max_discard_ratio=50", 0);

using Offsets = std::multiset<std::int64_t>;

Offsets offsets(const Layout& layout) {
  Offsets all;
  for (std::int64_t i = 0; i < layout.size(); ++i) all.insert(layout(i));
  return all;
}

std::set<std::int64_t> image(const Layout& layout) {
  std::set<std::int64_t> all;
  for (std::int64_t i = 0; i < layout.size(); ++i) all.insert(layout(i));
  return all;
}

void same_function(const Layout& a, const Layout& b) {
  RC_ASSERT(a.size() == b.size());
  for (std::int64_t i = 0; i < a.size(); ++i) RC_ASSERT(a(i) == b(i));
}

/// What f gives, or nothing where it refuses.
template <class F>
auto unless_refused(F f) -> std::optional<decltype(f())> {
  try {
    return f();
  } catch (const LayoutError&) {
    return std::nullopt;
  }
}

#define PROPERTY(suite, name, ...) \
  TEST(suite, name) { EXPECT_TRUE(rc::check(#suite "." #name, __VA_ARGS__)); }

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

PROPERTY(CompositionProperty, IsItsDefinitionOrRefused, [] {
  const Layout a = *any(8), b = *any(4);
  const auto result = unless_refused([&] { return composition(a, b); });
  RC_CLASSIFY(result.has_value(), "accepted");
  if (!result) return;
  RC_ASSERT(compatible(b.shape(), result->shape()));
  for (std::int64_t i = 0; i < b.size(); ++i) RC_ASSERT((*result)(i) == a(b(i)));
})

PROPERTY(CompositionProperty, OfCompactLayoutsIsRarelyRefusedAndNeverWrong, [] {
  const Layout a = *compact(8);
  const std::int64_t extent = *number<std::int64_t>(1, 9);
  const std::int64_t stride = *number<std::int64_t>(0, 13);
  const Layout b(IntTuple{extent}, IntTuple{stride});
  const auto result = unless_refused([&] { return composition(a, b); });
  if (!result) return;
  for (std::int64_t i = 0; i < extent; ++i) RC_ASSERT((*result)(i) == a(i * stride));
})

PROPERTY(CompositionProperty, ByModeComposesEachMode, [] {
  const Layout a = *any(8);
  RC_PRE(!a.is_leaf());
  std::vector<Tiler> tilers;
  for (int i = 0; i < a.rank(); ++i)
    tilers.push_back(*rc::gen::oneOf(
        rc::gen::just(Tiler(_)), rc::gen::map(number(1, 5), [](int n) { return Tiler(n); }),
        rc::gen::map(ordered(3), [](const Layout& layout) { return Tiler(layout); })));
  const auto result =
      unless_refused([&] { return composition(a, Tiler(std::span<const Tiler>(tilers))); });
  if (!result) return;
  for (int i = 0; i < a.rank(); ++i) {
    const Tiler& tiler = tilers[static_cast<std::size_t>(i)];
    const Layout mode = result->mode(i);
    if (tiler.is_null()) {
      RC_ASSERT(mode == a.mode(i));
      continue;
    }
    for (std::int64_t k = 0; k < tiler.layout().size(); ++k)
      RC_ASSERT(mode(k) == a.mode(i)(tiler.layout()(k)));
  }
})

PROPERTY(ComplementProperty, FillsWithDisjointCopies, [] {
  const Layout layout = *any(4);
  const std::int64_t room = *number<std::int64_t>(1, 300);
  const auto rest = unless_refused([&] { return complement(layout, room); });
  if (!rest) return;
  std::set<std::int64_t> seen;
  const auto base = image(layout);
  std::int64_t before = -1;
  for (std::int64_t j = 0; j < rest->size(); ++j) {
    RC_ASSERT((*rest)(j) > before);
    before = (*rest)(j);
    for (std::int64_t offset : base) RC_ASSERT(seen.insert(offset + (*rest)(j)).second);
  }
})

PROPERTY(ComplementProperty, ReachesTheCotarget, [] {
  const Layout layout = *ordered(4);
  const std::int64_t room = *number<std::int64_t>(1, 300);
  const Layout rest = complement(layout, room);
  RC_ASSERT(rest.size() * layout.size() >= room);
  // With the layout it covers every offset below the room.
  const auto all = offsets(make_layout(layout, rest));
  for (std::int64_t offset = 0; offset < room; ++offset) RC_ASSERT(all.count(offset) == 1u);
})

PROPERTY(InverseProperty, RightInverseGivesTheIndexOfEachOffset, [] {
  const Layout layout = *any();
  const Layout inverse = right_inverse(layout);
  for (std::int64_t i = 0; i < inverse.size(); ++i) {
    RC_ASSERT(inverse(i) < layout.size());
    RC_ASSERT(layout(inverse(i)) == i);
  }
})

PROPERTY(InverseProperty, OfACompactLayoutIsWhole, [] {
  const Layout layout = *compact();
  RC_ASSERT(right_inverse(layout).size() == layout.size());
  same_function(right_inverse(right_inverse(layout)), coalesce(layout));
  same_function(right_inverse(layout), left_inverse(layout));
})

PROPERTY(InverseProperty, LeftInverseGivesTheOffsetBack, [] {
  const Layout layout = *any();
  const auto inverse = unless_refused([&] { return left_inverse(layout); });
  if (!inverse) return;
  const bool injective = is_injective(layout);
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    const std::int64_t back = (*inverse)(layout(i));
    RC_ASSERT(layout(back) == layout(i));
    if (injective) RC_ASSERT(back == i);
  }
})

PROPERTY(InverseProperty, EveryOrderedLayoutHasALeftInverse, [] {
  const Layout layout = *ordered();
  const Layout inverse = left_inverse(layout);
  for (std::int64_t i = 0; i < layout.size(); ++i) RC_ASSERT(inverse(layout(i)) == i);
})

PROPERTY(NullspaceProperty, IsSentToZero, [] {
  const Layout layout = *any();
  const Layout null = nullspace(layout);
  for (std::int64_t i = 0; i < null.size(); ++i) RC_ASSERT(layout(null(i)) == 0);
  RC_ASSERT(is_injective(null));
  RC_ASSERT(nullspace(null) == Layout());
})

PROPERTY(DivideProperty, IsComposedOfTileAndRest, [] {
  const Layout a = *any(8), tile = *ordered(3);
  const auto divided = unless_refused([&] { return logical_divide(a, tile); });
  if (!divided) return;
  same_function(divided->mode(0), composition(a, tile));
  const Layout rest = complement(tile, a.size());
  for (std::int64_t t = 0; t < tile.size(); ++t)
    for (std::int64_t r = 0; r < rest.size(); ++r)
      RC_ASSERT(divided->mode(0)(t) + divided->mode(1)(r) == a(tile(t) + rest(r)));
  // All regroupings are the same function.
  same_function(*divided, zipped_divide(a, tile));
  same_function(*divided, tiled_divide(a, tile));
  same_function(*divided, flat_divide(a, tile));
})

/// By mode: a tile extent that divides each mode.
Tiler dividing_tiler(const Layout& a) {
  std::vector<Tiler> tilers;
  for (int i = 0; i < a.rank(); ++i) {
    const std::int64_t size = a.mode(i).size();
    const std::int64_t wanted = *number<std::int64_t>(1, size + 1);
    tilers.emplace_back(std::gcd(size, wanted));
  }
  return Tiler(std::span<const Tiler>(tilers));
}

PROPERTY(DivideProperty, ByModeKeepsEveryElement, [] {
  const Layout a = *any();
  RC_PRE(!a.is_leaf());
  const Tiler tiler = dividing_tiler(a);
  const auto divided = unless_refused([&] { return zipped_divide(a, tiler); });
  if (!divided) return;
  RC_ASSERT(offsets(*divided) == offsets(a));
  same_function(*divided, tiled_divide(a, tiler));
  same_function(*divided, flat_divide(a, tiler));
  same_function(divided->mode(0), composition(a, tiler));
  RC_ASSERT(offsets(logical_divide(a, tiler)) == offsets(a));
})

PROPERTY(ProductProperty, RepeatsTheBlockDisjointly, [] {
  const Layout a = *ordered(4), b = *any(3);
  const auto product = unless_refused([&] { return logical_product(a, b); });
  if (!product) return;
  RC_ASSERT(product->mode(0) == a);
  RC_ASSERT(compatible(b.shape(), product->mode(1).shape()));
  RC_ASSERT(is_injective(*product) == is_injective(b));
  // Two copies are at the same place exactly where b says so.
  std::map<std::int64_t, std::int64_t> place;
  for (std::int64_t j = 0; j < b.size(); ++j) {
    const auto [known, fresh] = place.emplace(b(j), product->mode(1)(j));
    if (!fresh) RC_ASSERT(known->second == product->mode(1)(j));
  }
  same_function(*product, zipped_product(a, b));
  same_function(*product, tiled_product(a, b));
  same_function(*product, flat_product(a, b));
})

PROPERTY(ProductProperty, BlockedAndRakedRearrangeTheLogicalOne, [] {
  const Layout block = *ordered(4), tiler = *ordered(3);
  const auto blocked = unless_refused([&] { return blocked_product(block, tiler); });
  if (!blocked) return;
  const Layout raked = raked_product(block, tiler);
  const int rank = std::max(block.rank(), tiler.rank());
  const Layout both = logical_product(append(block, rank), append(tiler, rank));
  RC_ASSERT(blocked->rank() == rank && raked.rank() == rank);
  for (int i = 0; i < rank; ++i) {
    RC_ASSERT(blocked->mode(i) == make_layout(both.mode(0).mode(i), both.mode(1).mode(i)));
    RC_ASSERT(raked.mode(i) == make_layout(both.mode(1).mode(i), both.mode(0).mode(i)));
  }
  RC_ASSERT(offsets(*blocked) == offsets(both) && offsets(raked) == offsets(both));
})

PROPERTY(ProductProperty, TileToShapeFillsTheShape, [] {
  const Layout block = *compact(3);
  std::vector<IntTuple> extents;
  for (int i = 0; i < block.rank(); ++i)
    extents.emplace_back(block.mode(i).size() * *number<std::int64_t>(1, 4));
  const IntTuple shape = block.is_leaf() ? extents[0] : make_tuple<std::int64_t>(extents);
  const Layout result = tile_to_shape(block, shape);
  RC_ASSERT(compatible(shape, result.shape()));
  RC_ASSERT(image(result).size() == static_cast<std::size_t>(result.size()));
  RC_ASSERT(result.cosize() == result.size());
})

/// A coordinate for slicing: `_` or an index for each leaf or mode.
IntTuple slicing_coordinate(const IntTuple& shape) {
  const int kind = *number(0, 3);
  if (kind == 0) return _;
  if (shape.is_leaf() || kind == 1) return *number<std::int64_t>(0, size(shape));
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
  // Exactly the offsets of the coordinates that agree with the numbers.
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
  const int begin = *number(0, layout.rank() + 1);
  const int end = *number(begin, layout.rank() + 1);
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

PROPERTY(RecastProperty, UpcastIsTheOffsetInUnits, [] {
  const Layout layout = *any();
  const std::int64_t factor = *number<std::int64_t>(1, 9);
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
  const std::int64_t factor = *number<std::int64_t>(1, 6);
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
  if (is_injective(filter(layout))) RC_ASSERT(upcast(layout, run).size() * run == layout.size());
})

PROPERTY(InjectiveProperty, AgreesWithCounting, [] {
  const Layout layout = *any();
  const auto collision = find_collision(layout);
  RC_ASSERT(collision.has_value() ==
            (image(layout).size() != static_cast<std::size_t>(layout.size())));
  if (!collision) return;
  RC_ASSERT(!(collision->first == collision->second));
  RC_ASSERT(layout(collision->first) == collision->offset);
  RC_ASSERT(layout(collision->second) == collision->offset);
  RC_ASSERT(elem_less(collision->first, layout.shape()));
  RC_ASSERT(elem_less(collision->second, layout.shape()));
})

PROPERTY(SwizzleProperty, PermutesAndSurvivesSlicing, [] {
  const int bits = *number(0, 4), base = *number(0, 4);
  const int distance = *number(bits, 6);
  const Swizzle swizzle(bits, base, *rc::gen::arbitrary<bool>() ? distance : -distance);
  const Layout layout = *any();
  const std::int64_t offset = *number<std::int64_t>(0, 100);
  const ComposedLayout composed{swizzle, offset, layout};
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    const std::int64_t plain = offset + layout(i);
    RC_ASSERT(composed(i) == swizzle(plain));
    RC_ASSERT(swizzle(composed(i)) == plain);
    RC_ASSERT(composed(i) / swizzle.block_size() == plain / swizzle.block_size());
    RC_ASSERT(composed(i) < composed.cosize());
  }
  if (const auto plain = decayed(composed))
    for (std::int64_t i = 0; i < layout.size(); ++i) RC_ASSERT((*plain)(i) == composed(i));
  if (layout.is_leaf() || layout.rank() != 2) return;
  const std::int64_t column = *number<std::int64_t>(0, layout.mode(1).size());
  const ComposedLayout part = slice({_, column}, composed);
  for (std::int64_t i = 0; i < layout.mode(0).size(); ++i)
    RC_ASSERT(part(i) == composed({i, column}));
})

PROPERTY(SwizzleProperty, ComposesIntoOne, [] {
  const auto swizzle = [] {
    const int bits = *number(0, 3);
    return Swizzle(bits, *number(0, 3), 3);
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
  const std::int64_t count = *number<std::int64_t>(1, 40);
  const auto result = unless_refused([&] { return domain_distribute(layout.shape(), count); });
  if (!result) return;
  RC_ASSERT(result->size() == count && is_injective(*result));
  RC_ASSERT(result->cosize() <= layout.size());
})

PROPERTY(PartitionProperty, OwnsEveryElementOnce, [] {
  const Layout layout = *any();
  RC_PRE(!layout.is_leaf());
  std::vector<IntTuple> extents;
  for (int i = 0; i < layout.rank(); ++i) {
    const std::int64_t size = layout.mode(i).size();
    extents.emplace_back(std::gcd(size, *number<std::int64_t>(1, size + 1)));
  }
  const IntTuple shape = make_tuple<std::int64_t>(extents);
  const Layout threads =
      *rc::gen::arbitrary<bool>() ? make_layout(shape) : make_layout(shape, Major::kRow);
  const auto split = unless_refused([&] { return thread_split(layout, threads); });
  if (!split) return;
  Offsets owned;
  for (std::int64_t id = 0; id < threads.size(); ++id) {
    const OffsetLayout part = local_partition(layout, threads, id);
    RC_ASSERT(part.offset == split->chosen(thread_coordinate(threads, id)));
    for (std::int64_t v = 0; v < part.layout.size(); ++v) owned.insert(part(v));
  }
  RC_ASSERT(owned == offsets(layout));
  owned.clear();
  const Split tiles = tile_split(layout, shape);
  for (std::int64_t c = 0; c < tiles.chosen.size(); ++c) {
    const OffsetLayout tile = local_tile(layout, shape, c);
    for (std::int64_t v = 0; v < tile.layout.size(); ++v) {
      owned.insert(tile(v));
      RC_ASSERT(tile(v) == tiles.kept(v) + tiles.chosen(c));
    }
  }
  RC_ASSERT(owned == offsets(layout));
})

PROPERTY(TiledCopyProperty, OwnsEveryElementOnceOrIsRefused, [] {
  const Layout threads = *compact(4), values = *compact(3);
  const auto copy = unless_refused([&] { return make_tiled_copy(threads, values); });
  if (!copy) return;
  RC_ASSERT(copy->layout_tv.size() == size(copy->tiler));
  RC_ASSERT(threads.size() * values.size() == size(copy->tiler));
  RC_ASSERT(image(copy->layout_tv).size() == static_cast<std::size_t>(size(copy->tiler)));
  RC_ASSERT(copy->layout_tv.cosize() == size(copy->tiler));
})

PROPERTY(OverflowProperty, IsRefusedNeverWrapped, [] {
  const auto huge =
      rc::gen::map(rc::gen::pair(number(0, 62), number(-1, 2)), [](const std::pair<int, int>& p) {
        return std::max<std::int64_t>(1, (std::int64_t{1} << p.first) + p.second);
      });
  const auto layout = [&] {
    return unless_refused([&] {
      return Layout(IntTuple{*huge, *number<std::int64_t>(1, 5)}, IntTuple{*huge, *huge});
    });
  };
  const auto a = layout(), b = layout();
  RC_PRE(a.has_value() && b.has_value());
  const auto sound = [](const Layout& result) {  // size and cosize as 128-bit integers
    __int128 size = 1, last = 0;
    for (const Mode& mode : result.leaves()) {
      size *= mode.extent;
      last += static_cast<__int128>(mode.extent - 1) * mode.stride;
      RC_ASSERT(size <= INT64_MAX && last < INT64_MAX);
    }
    RC_ASSERT(result.size() == static_cast<std::int64_t>(size));
    RC_ASSERT(result.cosize() == static_cast<std::int64_t>(last) + 1);
  };
  const auto check = [&](auto f) {
    if (const auto result = unless_refused(f)) sound(*result);
  };
  check([&] { return coalesce(*a); });
  check([&] { return composition(*a, *b); });
  check([&] { return complement(*a, b->size()); });
  check([&] { return logical_divide(*a, *b); });
  check([&] { return zipped_divide(*a, {4, 2}); });
  check([&] { return logical_product(*a, *b); });
  check([&] { return blocked_product(*a, *b); });
  check([&] { return right_inverse(*a); });
  check([&] { return left_inverse(*a); });
  check([&] { return downcast(*a, b->size()); });
  check([&] { return upcast(*a, b->size()); });
  check([&] { return make_layout(*a, *b); });
  check([&] { return max_common_layout(*a, *b); });
  unless_refused([&] { return max_common_vector(*a, *b); });
  unless_refused([&] { return is_injective(*a); });
  unless_refused([&] { return (*a)(b->size()); });
})

}  // namespace
}  // namespace vkmoye
