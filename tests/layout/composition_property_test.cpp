// SPDX-License-Identifier: MIT
// Composition, complement and inverses against their definitions.
#include "layout/property.hpp"

namespace vkmoye {
namespace {

using random_layout::any;
using random_layout::compact;
using random_layout::ordered;
using random_layout::uniform;

PROPERTY(CompositionProperty, IsItsDefinitionOrRefused, [] {
  const Layout a = *any(8), b = *any(4);
  const auto result = unless_refused([&] { return composition(a, b); });
  RC_CLASSIFY(result.has_value(), "accepted");
  if (!result) return;
  RC_ASSERT(compatible(b.shape(), result->shape()));
  for (std::int64_t i = 0; i < b.size(); ++i) RC_ASSERT((*result)(i) == a(b(i)));
})

// If the stride does not divide the modes that it crosses, composition throws, even in the rare cases in which
// i -> A(i * stride) happens to be a layout.
TEST(CompositionProperty, OfCompactLayoutsIsSeldomRefusedAndNeverWrong) {
  int refused = 0, refused_layouts = 0, cases = 0;
  EXPECT_TRUE(rc::check("CompositionProperty.OfCompactLayoutsIsSeldomRefusedAndNeverWrong", [&] {
    const Layout a = *compact(8);
    const std::int64_t extent = *uniform<std::int64_t>(1, 9);
    const std::int64_t stride = *uniform<std::int64_t>(0, 13);
    const Layout b(IntTuple{extent}, IntTuple{stride});
    const auto result = unless_refused([&] { return composition(a, b); });
    ++cases;
    if (result) {
      for (std::int64_t i = 0; i < extent; ++i) RC_ASSERT((*result)(i) == a(i * stride));
      return;
    }
    ++refused;
    refused_layouts +=
        layout_of_values(extent, [&](std::int64_t i) { return a(i * stride); }).has_value();
  }));
  EXPECT_LE(100 * refused, 35 * cases) << refused << " refused of " << cases;
  EXPECT_LE(100 * refused_layouts, 8 * cases) << refused_layouts << " refused of " << cases;
}

PROPERTY(CompositionProperty, ByModeComposesEachMode, [] {
  const Layout a = *any(8);
  RC_PRE(!a.is_leaf());
  std::vector<Tiler> tilers;
  for (int i = 0; i < a.rank(); ++i)
    tilers.push_back(*rc::gen::oneOf(
        rc::gen::just(Tiler(_)), rc::gen::map(uniform(1, 5), [](int n) { return Tiler(n); }),
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
  const std::int64_t room = *uniform<std::int64_t>(1, 300);
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
  const std::int64_t room = *uniform<std::int64_t>(1, 300);
  const Layout rest = complement(layout, room);
  RC_ASSERT(rest.size() * layout.size() >= room);
  // Together with the layout, it covers every offset below the limit.
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

}  // namespace
}  // namespace vkmoye
