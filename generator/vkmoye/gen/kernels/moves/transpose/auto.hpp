// SPDX-License-Identifier: MIT
#pragma once
// dst = transpose(src), any element of 1 to 16 bytes and any size, in one kernel: whole tiles with wide
// accesses on both sides, ragged ones in whole sectors of dst, see moves/transpose/tile.hpp; arrays of a few
// rows or columns, of which most of a tile would be outside, straight across.
//
// Workgroups walk along dst first: neighbours then write what follows in memory, which is worth 3 % and
// more (H200, 8192x8192 of f32 in tiles of 64x64: 0.98 of a copy; along src 0.95, in blocks 0.95).
// Where arrays are reached by pointers, ragged tiles go element by element: a place takes 64 bits there.

#include <cstdint>
#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/address.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/moves/tile_order.hpp"
#include "vkmoye/gen/kernels/moves/transpose/tile.hpp"

namespace vkmoye::gen {

/// How the values of a whole tile come from the threads that load them to those that store them. By
/// shuffles, see moves/transpose/shuffle.hpp, a tile takes no shared memory, and what is ragged goes straight
/// across, element by element.
enum class TileExchange : std::uint8_t { shared, shuffle };

struct TransposeAutoConfig : TransposeTile {
  TileOrder order = TileOrder::dst;
  TileExchange exchange = TileExchange::shared;
  std::int64_t subgroup = 0;  // lanes, where they exchange
  Address address = Address::descriptor;
};

/// The config for elements of `type` on a device whose workgroups have `most_threads` and so much shared
/// memory.
TransposeAutoConfig transpose_auto_config(ScalarType type, std::int64_t most_threads = 1024,
                                          std::int64_t shared_bytes = 32768);

/// The one in which subgroups of so many lanes exchange values by shuffles.
TransposeAutoConfig transpose_shuffle_config(ScalarType type, std::int64_t lanes,
                                             std::int64_t most_threads = 1024);

/// What of the config `--NAME` can replace.
const std::vector<ConfigField<TransposeAutoConfig>>& transpose_auto_fields();

/// Every reason why no kernel can be made of `config`; empty: fine.
std::vector<std::string> reasons_against(const TransposeAutoConfig& config);

/// As `transpose`. Throws KernelError with every reason.
ir::Kernel transpose_auto(const TransposeAutoConfig& config,
                          const std::string& name = "transpose/auto");

}  // namespace vkmoye::gen
