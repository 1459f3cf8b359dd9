// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/query_matrices.hpp"

#include <fmt/format.h>

namespace vkmoye::gen {

void load_query(Builder& builder, const AttentionTile& attention, const StagedTile& k,
                const Matrices& query) {
  StagedTile q = k.is_plain() ? k : StagedTile(builder, "q", k);
  const std::int64_t at_once = k.rows(), rows = query.rows * query.type.rows;  // of a subgroup
  const std::uint32_t subgroups = to_index(at_once / rows),
                      parts = to_index(attention.size().rows / at_once);
  const auto load_part = [&](const Expr& part) {
    q.fetch(attention.q(at_once, parts * attention.row_tile() + part));
    builder.barrier();
    q.put();
    builder.barrier();
    builder.branch({equal(builder.subgroup() / subgroups, part)}, [&] {
      const View own = tile(k.shared(), {k.width(), rows}, {0, builder.subgroup() % subgroups});
      builder.load(transpose(own), query, k.vector());
    });
  };
  builder.with_title(fmt::format("q goes through the tile of k, {} rows at a time", at_once),
                     [&] { builder.loop("part", parts, load_part); });
}

}  // namespace vkmoye::gen
