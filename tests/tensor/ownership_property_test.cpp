// Who owns what: every element belongs to one worker.
#include "layout/property.hpp"
#include "vkmoye/tensor/partition.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye {
namespace {

using random_layout::any;
using random_layout::compact;
using random_layout::uniform;

PROPERTY(PartitionProperty, OwnsEveryElementOnce, [] {
  const Layout layout = *any();
  RC_PRE(!layout.is_leaf());
  std::vector<IntTuple> extents;
  for (int i = 0; i < layout.rank(); ++i) {
    const std::int64_t size = layout.mode(i).size();
    extents.emplace_back(std::gcd(size, *uniform<std::int64_t>(1, size + 1)));
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

}  // namespace
}  // namespace vkmoye
