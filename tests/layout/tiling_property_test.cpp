// SPDX-License-Identifier: MIT
// Divisions and products against their definitions.
#include <map>

#include "layout/property.hpp"

namespace vkmoye {
namespace {

using random_layout::any;
using random_layout::bare;
using random_layout::block;
using random_layout::ordered;
using random_layout::uniform;

PROPERTY(DivideProperty, IsComposedOfTileAndRest, [] {
  const Layout a = *rc::gen::oneOf(any(8), bare(40)), tile = *block(3);
  const auto divided = unless_refused([&] { return logical_divide(a, tile); });
  RC_CLASSIFY(divided.has_value(), "accepted");
  if (!divided) return;
  RC_ASSERT(divided->rank() == 2);
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

/// `places` are the distances of the copies of `block` from the block itself: they increase strictly, no two copies
/// overlap, and if there are no gaps, copy j is j blocks away.
void are_places_of_copies(const std::map<std::int64_t, std::int64_t>& places, const Layout& block) {
  const auto first = image(block);
  std::vector<bool> taken;
  std::int64_t before = -1;
  for (const auto& [number, place] : places) {
    RC_ASSERT(place > before && place >= number);
    RC_ASSERT(number != 0 || place == 0);
    if (block.cosize() == block.size()) RC_ASSERT(place == number * block.size());
    taken.resize(std::max(taken.size(), static_cast<std::size_t>(place + block.cosize())));
    for (const std::int64_t offset : first) {
      const auto at = static_cast<std::size_t>(offset + place);
      RC_ASSERT(!taken[at]);
      taken[at] = true;
    }
    before = place;
  }
}

PROPERTY(ProductProperty, RepeatsTheBlockDisjointly, [] {
  const Layout a = *block(3), b = *rc::gen::oneOf(any(2), bare(40));
  const auto product = unless_refused([&] { return logical_product(a, b); });
  RC_CLASSIFY(product.has_value(), "accepted");
  if (!product) return;
  RC_ASSERT(product->rank() == 2 && product->mode(0) == a);
  RC_ASSERT(compatible(b.shape(), product->mode(1).shape()));
  std::map<std::int64_t, std::int64_t> places;
  for (std::int64_t j = 0; j < b.size(); ++j) {
    const auto [known, fresh] = places.emplace(b(j), product->mode(1)(j));
    RC_ASSERT(fresh || known->second == product->mode(1)(j));
  }
  are_places_of_copies(places, a);
  same_function(*product, zipped_product(a, b));
  same_function(*product, tiled_product(a, b));
  same_function(*product, flat_product(a, b));
})

PROPERTY(ProductProperty, ByModeMultipliesEachMode, [] {
  const Layout a = *any(3);
  RC_PRE(!a.is_leaf());
  std::vector<Tiler> tilers;
  for (int i = 0; i < a.rank(); ++i)
    tilers.push_back(*rc::gen::oneOf(
        rc::gen::just(Tiler(_)), rc::gen::map(uniform(1, 5), [](int n) { return Tiler(n); }),
        rc::gen::map(block(2), [](const Layout& layout) { return Tiler(layout); })));
  const Tiler tiler{std::span<const Tiler>(tilers)};
  const auto product = unless_refused([&] { return logical_product(a, tiler); });
  RC_CLASSIFY(product.has_value(), "accepted");
  if (!product) return;
  for (int i = 0; i < a.rank(); ++i)
    RC_ASSERT(product->mode(i) == logical_product(a.mode(i), tilers[static_cast<std::size_t>(i)]));
  if (product->size() > 4096) return;  // five modes multiply to millions
  RC_ASSERT(offsets(zipped_product(a, tiler)) == offsets(*product));
  same_function(zipped_product(a, tiler), tiled_product(a, tiler));
  same_function(zipped_product(a, tiler), flat_product(a, tiler));
})

/// The offset of `layout` at one index per mode; missing modes are 1:0.
std::int64_t at(const Layout& layout, const std::vector<std::int64_t>& indices) {
  std::int64_t offset = 0;
  for (int i = 0; i < layout.rank(); ++i)
    offset += layout.mode(i)(indices[static_cast<std::size_t>(i)]);
  return offset;
}

std::int64_t extent(const Layout& layout, int mode) {
  return mode < layout.rank() ? layout.mode(mode).size() : 1;
}

/// The position of every copy in a product of `block` with `tiler`, by the number that the tiler gives it. Element
/// (b, w) of each mode of the product is at index(b, w). Fails if the elements of a copy are arranged differently from
/// those of the block.
template <class Index>
std::map<std::int64_t, std::int64_t> places_in(const Layout& arranged, const Layout& block,
                                               const Layout& tiler, Index index) {
  std::map<std::int64_t, std::int64_t> places;
  const int rank = std::max(block.rank(), tiler.rank());
  const auto modes = static_cast<std::size_t>(rank);
  RC_ASSERT(arranged.rank() == rank && arranged.size() == block.size() * tiler.size());
  std::vector<std::int64_t> inside(modes), which(modes), both(modes);
  for (std::int64_t w = 0; w < tiler.size(); ++w) {
    for (std::int64_t b = 0; b < block.size(); ++b) {
      std::int64_t rest_b = b, rest_w = w;
      for (int i = 0; i < rank; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const std::int64_t extent_b = extent(block, i), extent_w = extent(tiler, i);
        inside[k] = rest_b % extent_b, rest_b /= extent_b;
        which[k] = rest_w % extent_w, rest_w /= extent_w;
        both[k] = index(inside[k], extent_b, which[k], extent_w);
        RC_ASSERT(arranged.mode(i).size() == extent_b * extent_w);
      }
      const std::int64_t place = at(arranged, both) - at(block, inside);
      const auto [known, fresh] = places.emplace(at(tiler, which), place);
      RC_ASSERT(fresh || known->second == place);
    }
  }
  return places;
}

constexpr auto side_by_side = [](std::int64_t b, std::int64_t extent_b, std::int64_t w,
                                 std::int64_t) { return b + extent_b * w; };
constexpr auto interleaved = [](std::int64_t b, std::int64_t, std::int64_t w,
                                std::int64_t extent_w) { return w + extent_w * b; };

PROPERTY(ProductProperty, BlockedAndRakedPutOneCopyAtEachPlaceOfTheTiler, [] {
  const Layout block = *random_layout::block(3);
  const Layout tiler = *rc::gen::oneOf(ordered(2), bare(40));
  const auto blocked = unless_refused([&] { return blocked_product(block, tiler); });
  const auto raked = unless_refused([&] { return raked_product(block, tiler); });
  RC_ASSERT(blocked.has_value() == raked.has_value());
  RC_CLASSIFY(blocked.has_value(), "accepted");
  if (!blocked) return;
  const auto places = places_in(*blocked, block, tiler, side_by_side);
  RC_ASSERT(places == places_in(*raked, block, tiler, interleaved));
  are_places_of_copies(places, block);
})

PROPERTY(ProductProperty, TileToShapeFillsTheShape, [] {
  const Layout block = *random_layout::block(3);
  std::vector<IntTuple> copies, extents, order;
  for (int i = 0; i < block.rank(); ++i) {
    copies.emplace_back(*uniform<std::int64_t>(1, 5));
    extents.emplace_back(block.mode(i).size() * copies.back().leaf(0));
    order.emplace_back(*uniform<std::int64_t>(0, 4));
  }
  const IntTuple shape = block.is_leaf() ? extents[0] : make_tuple<std::int64_t>(extents);
  const IntTuple orders = block.is_leaf() ? order[0] : make_tuple<std::int64_t>(order);
  const auto result = unless_refused([&] { return tile_to_shape(block, shape, orders); });
  RC_CLASSIFY(result.has_value(), "accepted");
  if (!result) return;
  RC_ASSERT(compatible(shape, result->shape()));
  const Layout tiler =
      make_ordered_layout(make_tuple<std::int64_t>(copies), make_tuple<std::int64_t>(order));
  are_places_of_copies(places_in(*result, block, tiler, side_by_side), block);
})

}  // namespace
}  // namespace vkmoye
