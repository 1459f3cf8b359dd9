// SPDX-License-Identifier: MIT
// Ownership: every element belongs to exactly one worker.
#include "layout/property.hpp"
#include "vkmoye/tensor/partition.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"
#include "vkmoye/tensor/tiled_mma.hpp"

namespace vkmoye {
namespace {

using random_layout::any;
using random_layout::bare;
using random_layout::block;
using random_layout::compact;
using random_layout::uniform;

/// The element of thread `id` of `threads`, and that of tile number `id`, over all ids.
void owns_every_element_once(const Layout& layout, const Layout& threads) {
  const auto split = unless_refused([&] { return thread_split(layout, threads); });
  if (!split) return;
  Offsets owned;
  for (std::int64_t id = 0; id < threads.size(); ++id) {
    const OffsetLayout part = local_partition(layout, threads, id);
    RC_ASSERT(part.offset == split->chosen(thread_coordinate(threads, id)));
    for (std::int64_t v = 0; v < part.layout.size(); ++v) owned.insert(part(v));
  }
  RC_ASSERT(owned == offsets(layout));
  same_function(thread_value_layout(*split, threads).mode(1), split->kept);
  owned.clear();
  const Split tiles = tile_split(layout, threads.shape());
  for (std::int64_t c = 0; c < tiles.chosen.size(); ++c) {
    const OffsetLayout tile = local_tile(layout, threads.shape(), c);
    for (std::int64_t v = 0; v < tile.layout.size(); ++v) {
      owned.insert(tile(v));
      RC_ASSERT(tile(v) == tiles.kept(v) + tiles.chosen(c));
    }
  }
  RC_ASSERT(owned == offsets(layout));
}

PROPERTY(PartitionProperty, OwnsEveryElementOnce, [] {
  const Layout layout = *any();
  RC_PRE(!layout.is_leaf());
  std::vector<IntTuple> extents;
  for (int i = 0; i < layout.rank(); ++i) {
    const std::int64_t size = layout.mode(i).size();
    extents.emplace_back(std::gcd(size, *uniform<std::int64_t>(1, size + 1)));
  }
  const IntTuple shape = make_tuple<std::int64_t>(extents);
  owns_every_element_once(
      layout, *rc::gen::arbitrary<bool>() ? make_layout(shape) : make_layout(shape, Major::kRow));
})

PROPERTY(PartitionProperty, ABareNumberOfThreadsCutsTheIndex, [] {
  const Layout layout = *rc::gen::oneOf(any(), bare(24));
  const std::int64_t size = layout.size();
  const std::int64_t threads = std::gcd(size, *uniform<std::int64_t>(1, size + 1));
  owns_every_element_once(layout, Layout(threads, 1));
})

/// The offset of element (quotients, remainders) of each mode: `inside` has the remainders of the
/// coordinate `at` by its own extents, `outside` the quotients.
std::pair<std::int64_t, std::int64_t> inside_and_outside(const Layout& inside,
                                                         const Layout& outside,
                                                         const IntTuple& at) {
  std::int64_t first = 0, second = 0;
  for (int i = 0; i < at.rank(); ++i) {
    const std::int64_t extent = i < inside.rank() ? inside.mode(i).size() : 1;
    const std::int64_t index = at.leaf(i);
    if (i < inside.rank()) first += inside.mode(i)(index % extent);
    if (i < outside.rank()) second += outside.mode(i)(index / extent);
  }
  return {first, second};
}

PROPERTY(TiledCopyProperty, OwnsEveryElementOnceOrIsRefused, [] {
  const auto arguments = [](int max_modes) {
    return rc::gen::oneOf(compact(max_modes), block(max_modes));
  };
  const Layout threads = *arguments(4), values = *arguments(3);
  const auto copy = unless_refused([&] { return make_tiled_copy(threads, values); });
  RC_ASSERT(copy.has_value() ==
            (threads.cosize() == threads.size() && values.cosize() == values.size()));
  RC_CLASSIFY(copy.has_value(), "accepted");
  if (!copy) return;
  const std::int64_t count = threads.size() * values.size();
  RC_ASSERT(copy->layout_tv.size() == count && size(copy->tiler) == count);
  RC_ASSERT(copy->tiler.rank() == std::max(threads.rank(), values.rank()));
  // By the definition: the owner of element x of the tile.
  for (std::int64_t x = 0; x < count; ++x) {
    const auto [value, thread] = inside_and_outside(values, threads, idx2crd(x, copy->tiler));
    RC_ASSERT(copy->layout_tv(thread, value) == x);
  }
})

PROPERTY(TiledMmaProperty, GivesEachElementOfCOneOwnerOrIsRefused, [] {
  const Layout threads =
      make_layout(*rc::gen::oneOf(compact(4), block(4)), *rc::gen::oneOf(bare(), compact(3)));
  const std::int64_t vm = *uniform<std::int64_t>(1, 4), vn = *uniform<std::int64_t>(1, 4);
  const std::int64_t tm = size(threads, 0), tn = size(threads, 1);
  const Layout numbered = *rc::gen::arbitrary<bool>()
                              ? make_layout_like(threads)
                              : threads;  // independent modes rarely number all threads
  const auto mma = unless_refused([&] { return make_tiled_mma(numbered, vm, vn); });
  RC_ASSERT(mma.has_value() ==
            (image(numbered).size() == static_cast<std::size_t>(numbered.size()) &&
             numbered.cosize() == numbered.size()));
  RC_CLASSIFY(mma.has_value(), "accepted");
  if (!mma) return;
  RC_ASSERT(mma->extent(0) == tm * vm && mma->extent(1) == tn * vn);
  for (std::int64_t m = 0; m < tm * vm; ++m) {
    for (std::int64_t n = 0; n < tn * vn; ++n) {
      const std::int64_t thread = numbered(m / vm, n / vn);
      RC_ASSERT(mma->c.layout_tv(thread, IntTuple{m % vm, n % vn}) == m + tm * vm * n);
    }
  }
})

}  // namespace
}  // namespace vkmoye
