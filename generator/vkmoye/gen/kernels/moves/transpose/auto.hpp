// SPDX-License-Identifier: MIT
#pragma once
// dst = transpose(src) for elements of 1 to 16 bytes and any size, in one kernel: whole tiles with wide
// accesses on both sides, ragged tiles in whole sectors of dst (see moves/transpose/transpose_tile.hpp), and arrays
// of a few rows or columns, of which most of a tile would be outside, directly from memory to memory.
//
// Consecutive workgroups move along dst first, so that they write consecutive memory. This gains at least
// 3 % (H200, 8192x8192 of f32 in tiles of 64x64: 0.98 of a copy; along src 0.95, in blocks 0.95).
// If arrays are reached by pointers, ragged tiles are moved element by element, because offsets have 64
// bits there.

#include <cstdint>
#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/addressing.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/moves/tile_order.hpp"
#include "vkmoye/gen/kernels/moves/transpose/transpose_tile.hpp"

namespace vkmoye::gen {

/// How the values of a whole tile get from the threads that load them to those that store them. With
/// shuffles (see moves/transpose/shuffle.hpp) a tile needs no shared memory, and ragged tiles are moved
/// directly, element by element.
enum class TileExchange : std::uint8_t { shared, shuffle };

/// The config of transpose/auto.
struct TransposeAutoConfig : TransposeTile {
  TileOrder order = TileOrder::dst;
  TileExchange exchange = TileExchange::shared;
  std::int64_t subgroup_size = 0;  // lanes of a subgroup, with shuffles
  AddressChoice address = AddressChoice::descriptor;
};

/// The config for elements of `type` on a device whose workgroups have at most `max_threads` threads and
/// `shared_bytes` of shared memory.
TransposeAutoConfig transpose_auto_config(ScalarType type, std::int64_t max_threads = 1024,
                                          std::int64_t shared_bytes = 32768);

/// The config in which subgroups of `lanes` lanes exchange values by shuffles.
TransposeAutoConfig transpose_shuffle_config(ScalarType type, std::int64_t lanes,
                                             std::int64_t max_threads = 1024);

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<TransposeAutoConfig>>& transpose_auto_fields();

/// Every reason against `config`; empty if it is valid.
std::vector<std::string> reasons_against(const TransposeAutoConfig& config);

/// The transpose that `config` describes. Throws KernelError with every reason.
ir::Kernel transpose_auto(const TransposeAutoConfig& config,
                          const std::string& name = "transpose/auto");

/// Whether the entry transpose/auto uses relayout's kernel for `shape`, with the sizes baked: for an array of 2^17
/// elements or more with at most 256 rows or columns that are not whole tiles of 64. This kernel is described if the
/// request has this shape and no options.
bool is_narrow_transpose(const std::vector<std::int64_t>& shape);

}  // namespace vkmoye::gen
