// SPDX-License-Identifier: MIT
#pragma once
// In which order workgroups come to the tiles that change places between src and dst.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

/// Where the tile of a workgroup lies beside that of the workgroup before it: further along a run of
/// dst, of src, or of either in turn, in blocks of tiles.
enum class TileOrder : std::uint8_t {
  dst,
  src,
  both,
  automatic,  // both where rows begin inside sectors, whose parts then meet in the cache; else dst
};

/// "--order", for a config with such a member; `words`: those that it takes, in the order of the enumeration.
template <class Config>
ConfigField<Config> order_field(TileOrder Config::*order,
                                std::vector<std::string> words = {"dst", "src", "both"}) {
  return choice_field<Config, TileOrder>(
      "order", "neighbouring workgroups go further along this side", std::move(words), order);
}

}  // namespace vkmoye::gen
