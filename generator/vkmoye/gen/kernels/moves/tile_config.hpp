// SPDX-License-Identifier: MIT
#pragma once
// The config of kernels in which each workgroup moves one tile through shared memory.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/layout/swizzle.hpp"

namespace vkmoye::gen {

struct TileConfig {
  ScalarType type = ScalarType::f32;
  std::int64_t tile_cols = 32, tile_rows = 32;  // elements of src
  Layout threads = Layout(IntTuple{32, 8});     // (32,8):(1,32)
  std::int64_t pad = 0;                         // elements after every tile_cols in shared memory
  std::optional<ComposedLayout> shared = {};  // instead of (tile_cols,tile_rows):(1,tile_cols+pad)

  /// The layout of the shared tile, shape (tile_cols, tile_rows), swizzled or not.
  ComposedLayout shared_layout() const;
};

/// The config values that `--NAME` can replace, for kernels with and without a shared tile.
const std::vector<ConfigField<TileConfig>>& tile_fields();
const std::vector<ConfigField<TileConfig>>& direct_tile_fields();

/// What a kernel does with a tile.
enum class TileMove { copy, transpose };

/// Every reason against `config`: tiles that `threads` does not divide (in both orientations for a
/// transpose), thread layouts that do not number the threads, shared layouts that have a different
/// shape or overlap themselves. Empty if it is valid.
std::vector<std::string> reasons_against(const TileConfig& config, TileMove move);

}  // namespace vkmoye::gen
