// SPDX-License-Identifier: MIT
#pragma once
// The rows of q of each subgroup, which it keeps in registers as matrices. They come through the shared tile of k
// before it holds keys, as many rows at a time as fit; and through its registers, if keys in memory have their type.
//
//   8 subgroups of 16 rows, a tile of 64 keys     part 0: rows 0 to 63, for subgroups 0 to 3; part 1: the other 64

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/attention/parts/staged_tile.hpp"

namespace vkmoye::gen {

/// query <- the rows of the subgroup, in the order of subgroups. All threads of the workgroup must reach it; a barrier
/// must precede the next k.put(). Preconditions: the rows of a subgroup divide the rows of the tile of k, and these
/// divide those of the workgroup.
void load_query(Builder& builder, const AttentionTile& attention, const StagedTile& k,
                const Matrices& query);

}  // namespace vkmoye::gen
