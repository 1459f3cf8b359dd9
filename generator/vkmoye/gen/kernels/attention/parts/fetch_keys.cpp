// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/fetch_keys.hpp"

namespace vkmoye::gen {

void fetch_keys(AttentionTile& attention, StagedTile& k, StagedTile& v, const Expr& number) {
  if (attention.tiles_lie_in_pages()) {
    const AttentionTile::KeyTile key_tile = attention.key_tile(number, k.rows());
    k.fetch(attention.k(key_tile));
    v.fetch(attention.v(key_tile));
    return;
  }
  k.fetch_rows(number, [&](const Expr& key) { return attention.k(attention.key_tile(key, 1)); });
  v.fetch_rows(number, [&](const Expr& key) { return attention.v(attention.key_tile(key, 1)); });
}

}  // namespace vkmoye::gen
