#pragma once
// In which order workgroups come to the tiles that change places between src and dst.

#include <cstdint>

#include "vkmoye/gen/kernels/config_fields.hpp"

namespace vkmoye::gen {

/// Where the tile of a workgroup lies beside that of the workgroup before it: further along a run of
/// dst, of src, or of either in turn, in blocks of tiles.
enum class TileOrder : std::uint8_t { dst, src, both };

/// "--order", for a config with such a member.
template <class Config>
ConfigField<Config> order_field(TileOrder Config::*order) {
  return choice_field<Config, TileOrder>(
      "order", "neighbouring workgroups go further along this side", {"dst", "src", "both"}, order);
}

}  // namespace vkmoye::gen
