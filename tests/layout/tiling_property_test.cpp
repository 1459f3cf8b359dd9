// Divisions and products against their definitions.
#include <map>

#include "layout/property.hpp"

namespace vkmoye {
namespace {

using random_layout::any;
using random_layout::compact;
using random_layout::ordered;
using random_layout::uniform;

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
    const std::int64_t wanted = *uniform<std::int64_t>(1, size + 1);
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
    extents.emplace_back(block.mode(i).size() * *uniform<std::int64_t>(1, 4));
  const IntTuple shape = block.is_leaf() ? extents[0] : make_tuple<std::int64_t>(extents);
  const Layout result = tile_to_shape(block, shape);
  RC_ASSERT(compatible(shape, result.shape()));
  RC_ASSERT(image(result).size() == static_cast<std::size_t>(result.size()));
  RC_ASSERT(result.cosize() == result.size());
})

}  // namespace
}  // namespace vkmoye
