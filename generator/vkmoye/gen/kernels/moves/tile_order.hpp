// SPDX-License-Identifier: MIT
#pragma once
// The order in which workgroups process the tiles of a transpose or relayout.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

/// The direction from the tile of one workgroup to that of the next: along the contiguous direction of
/// dst, of src, or of both in turn, in blocks of tiles.
enum class TileOrder : std::uint8_t {
  dst,
  src,
  both,
  automatic,  // `both` if rows are not aligned to sectors, so that the cache merges their parts; else `dst`
};

/// "--order", for a config with such a member; `words`: the accepted values, in the order of the
/// enumeration.
template <class Config>
ConfigField<Config> order_field(TileOrder Config::*order,
                                std::vector<std::string> words = {"dst", "src", "both"}) {
  return choice_field<Config, TileOrder>("order", "consecutive workgroups move along this side",
                                         std::move(words), order);
}

}  // namespace vkmoye::gen
