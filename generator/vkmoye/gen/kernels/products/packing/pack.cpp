// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/packing/pack.hpp"

#include <algorithm>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/packing/weight_blocks.hpp"
#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kPackThreads = 256;

// (thread, value) -> index in the column-major block: a thread's values are contiguous in `packed_block`.
TiledCopy by_neighbours(const Layout& packed_block, std::int64_t vector, std::int64_t threads) {
  const std::int64_t rounds = packed_block.size() / (threads * vector);
  const Layout order({threads, {vector, rounds}}, {vector, {1, vector * threads}});
  return {composition(right_inverse(packed_block), order), product_each(packed_block.shape())};
}

// The number of threads: one for each vector of as many fragments as divide a step of k, or of whole steps.
std::int64_t threads_for(const PackedForm& form, std::int64_t vector) {
  const std::int64_t of_fragment = form.fragment_elements() / vector;
  std::int64_t fragments = std::max<std::int64_t>(kPackThreads / of_fragment, 1);
  const auto divide = [&](std::int64_t steps) {
    return form.group % steps == 0 ||
           (steps % form.group == 0 && form.steps % (steps / form.group) == 0);
  };
  while (!divide(fragments)) --fragments;
  return std::min(kPackThreads, of_fragment * fragments);
}

}  // namespace

ir::Kernel pack(const PackConfig& config, const PackedForm& form, const DeviceCaps& device) {
  const Layout packed_block = block_layout(form, device);
  const std::int64_t elements = form.block_elements();
  const std::int64_t vector = std::min(widest_access(form.type), form.fragment_elements());
  const std::int64_t threads = threads_for(form, vector);
  Builder builder("gemm/pack", threads);
  builder.header({{"form", to_string(form)},
                  {"src", config.k_contiguous ? "k contiguous" : "rows contiguous"},
                  {"block", to_string(packed_block)}},
                 "a block of the result for each workgroup, neighbours for each thread");

  const std::int64_t rows = form.block_rows(), depth = form.block_depth();
  std::vector<Builder::AxisSpec> of_src = {{"k", "k"}, {"row", "rows", "leading"}};
  if (!config.k_contiguous) of_src = {{"row", "rows"}, {"k", "k", "leading"}};
  if (config.batched) of_src.push_back({"batch", "batch", "stride"});
  const Tensor src = builder.input("src", config.type, of_src);
  const View in_a_row = output_block(builder, form.type, elements, config.batched);
  // The grid counts blocks of dst; src may end within one.
  const Expr along_k = builder.let("along_k", builder.block_x()),
             along_rows = builder.let("along_rows", builder.block_y());
  const bool by_k = config.k_contiguous;
  const IntTuple extents = by_k ? IntTuple{depth, rows, 1} : IntTuple{rows, depth, 1};
  const Expr first = by_k ? along_k : along_rows, second = by_k ? along_rows : along_k;
  const View part = config.batched
                        ? slice(tile(src, extents, {first, second, builder.block_z()}), {_, _, 0})
                        : tile(src, {extents.leaf(0), extents.leaf(1)}, {first, second});
  const View from = by_k ? transpose(part) : part,
             to = composition(in_a_row, packed_block);  // (rows, k)

  const TiledCopy copy = by_neighbours(packed_block, vector, threads);
  const auto mine = [&](const View& view) { return partition(view, copy, builder.thread()); };
  const std::uint32_t neighbours = to_index(builder.width(mine(from)).elements);
  builder.branch(
      all_of({builder.inside(from), builder.inside(to), builder.aligned(from, neighbours)}),
      "a whole tile, rows aligned",
      [&] { builder.copy(mine(from), mine(to), {.edges = Edges::inside, .loads_first = true}); },
      "a tile at an edge, 0 outside, or rows that are not aligned",
      [&] { builder.copy(mine(from), mine(to), {.edges = Edges::zero}); });
  return builder.finish();
}

ir::Kernel pack_decoded(const WeightFormat& format, bool batched, const PackedForm& form,
                        const DeviceCaps& device) {
  const Layout packed_block = block_layout(form, device);
  const std::int64_t elements = form.block_elements();
  const std::int64_t vector = std::min(widest_access(form.type), form.fragment_elements());
  const std::int64_t threads = threads_for(form, vector);
  Builder builder("gemm/pack", threads);
  builder.header(
      {{"form", to_string(form)}, {"src", format.name}, {"block", to_string(packed_block)}},
      "a block of the result for each workgroup, weights are decoded one by one");
  const WeightBlocks from(builder, format, batched);
  const View to = output_block(builder, form.type, elements, batched);
  const TiledCopy copy = make_tiled_copy(make_layout({threads}), make_layout({vector}));
  const auto mine = [&](const View& view) { return partition(view, copy, builder.thread()); };
  const View decoded = builder.make_fragment_like("decoded", form.type, mine(to));
  const Layout places = right_inverse(packed_block);  // element of the block -> row + rows * k
  builder.branch(
      from.has_blocks(), "a row has a block",
      [&] {
        builder.apply(decoded, mine(make_identity_view({elements})),
                      [&](const std::vector<Expr>&, const std::vector<Expr>& at) {
                        const std::uint32_t rows = to_index(form.block_rows());
                        const Expr place = evaluate(places, at[0]);
                        return from.weight(
                            "", to_index(form.block_depth()) * builder.block_x() + place / rows,
                            rows * builder.block_y() + place % rows);
                      },
                      {});
      },
      "there is no block", [&] { builder.assign(decoded, 0); });
  builder.copy(decoded, mine(to), {.edges = Edges::inside, .vector = {to_index(vector)}});
  return builder.finish();
}

}  // namespace vkmoye::gen
