// SPDX-License-Identifier: MIT
#pragma once
// Where the keys and values of a tile are, in pages of any size.
//
//   pages of 64, 128 or 256 keys, a tile of 64     the tile lies in one page, the same for all threads
//   pages of 16 or 32 keys                         each thread finds the page of each row that it moves

#include "vkmoye/gen/kernels/attention/parts/staged_tile.hpp"

namespace vkmoye::gen {

/// Fetches tile `number` of the keys and of the values of the workgroup's entry. `names`: of its page,
/// used only if the tile lies in one page.
void fetch_keys(AttentionTile& attention, StagedTile& k, StagedTile& v, const Expr& number);

}  // namespace vkmoye::gen
