// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/sums/sums_along_k.hpp"

#include <algorithm>

#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

SumsAlongK::SumsAlongK(Builder& builder, GemmBuffers& buffers, const GemmForm& form,
                       const Layout& threads, const RowsOfSums& rows)
    : builder_(builder),
      buffers_(buffers),
      form_(form),
      threads_(threads),
      rows_(rows),
      at_(thread_coordinates(threads, builder.thread())),
      sums_(builder.registers("sums", sum_type(form),
                              make_layout({rows.block * rows.blocks, rows.small}))) {}

ir::Kernel SumsAlongK::kernel(const std::function<void()>& sum_up) {
  builder_.fill(sums_, 0);
  buffers_.if_has_products(sum_up);
  if (size(threads_, 0) > 1) builder_.reduce_across(sums_, kSum, threads_, 0);
  builder_.branch({ir::equal(at_[0], 0)}, [&] { write(); });
  return buffers_.finish();
}

void SumsAlongK::write() {
  // (block of rows of the large operand, blocks, rows of the small one), shared by the threads along k.
  const View c = partition(rows_.n_is_small ? transpose(buffers_.c()) : buffers_.c(),
                           make_tiled_copy(make_layout({size(threads_, 1), std::int64_t{1}}),
                                           make_layout({rows_.block, std::int64_t{1}})),
                           at_[1]);
  // Of the rows of the small operand, the largest power of two that divides them.
  const std::int64_t width = rows_.n_is_small ? rows_.small & -rows_.small : rows_.block;
  const std::int64_t leaf = rows_.n_is_small ? c.shape().leaf_count() - 1 : 0;
  buffers_.write(
      builder_.retile(sums_, c), c,
      {to_index(std::min(width, widest_access(form_.result))), static_cast<std::size_t>(leaf)});
}

}  // namespace vkmoye::gen
