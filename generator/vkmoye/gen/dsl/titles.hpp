// SPDX-License-Identifier: MIT
#pragma once
// What the comments in a shader say about views and branches.
//
//   place_text(tile(src, {32, 32}, {block_x, k_tile}))   " at (32 block_x, 32 k_tile)"

#include <string>

#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/stmt.hpp"

namespace vkmoye::gen {

/// Where the tile that `view` was taken from begins in its buffer; empty for a view of shared memory or registers, for
/// one that take() moved within the tile, and for coordinates that are not sums, products or limits of names.
std::string place_text(const View& view);

/// `body` under `title`. A single block keeps its own title, below `title` and a colon. An empty title changes nothing.
ir::Body under_title(const std::string& title, ir::Body body);

}  // namespace vkmoye::gen
