// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/tile_config.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/layout/injective.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMaxTileExtent = 4096;  // beyond any shared memory; products cannot overflow

void check_threads(const TileConfig& config, TileMove move, std::vector<std::string>& reasons) {
  const Layout& threads = config.threads;
  if (threads.rank() != 2) {
    reasons.push_back(fmt::format("threads {} has rank {}, but the tile has rank 2",
                                  to_string(threads), threads.rank()));
    return;
  }
  const auto check_tile = [&](std::int64_t cols, std::int64_t rows, const char* whose) {
    const std::int64_t tile[] = {cols, rows};
    for (int mode = 0; mode < 2; ++mode) {
      require_divides("threads " + to_string(threads), size(threads.mode(mode)),
                      fmt::format("extent of mode {} of the {} tile", mode, whose), tile[mode],
                      reasons);
    }
  };
  check_tile(config.tile_cols, config.tile_rows, "src");
  if (move == TileMove::transpose) check_tile(config.tile_rows, config.tile_cols, "dst");
  if (cosize(threads) != size(threads) || find_collision(threads)) {
    reasons.push_back(fmt::format("threads {} does not number its {} threads 0 to {}, each once",
                                  to_string(threads), size(threads), size(threads) - 1));
  }
}

void check_shared(const TileConfig& config, std::vector<std::string>& reasons) {
  if (config.pad < 0) {
    reasons.push_back(
        fmt::format("pad {} is negative: columns of the shared tile would overlap", config.pad));
    return;
  }
  if (config.shared && config.pad > 0) {
    reasons.push_back("pad and shared exclude each other: a shared layout has its own padding");
  }
  const ComposedLayout shared = config.shared_layout();
  const Layout& layout = shared.layout;
  if (layout.rank() != 2 || size(layout.mode(0)) != config.tile_cols ||
      size(layout.mode(1)) != config.tile_rows) {
    reasons.push_back(fmt::format("shared layout {} does not have the tile's shape ({},{})",
                                  text_of(shared), config.tile_cols, config.tile_rows));
  }
  if (const auto clash = find_collision(layout)) {
    reasons.push_back(
        fmt::format("shared layout {} overlaps itself: coordinates {} and {} share address {}",
                    text_of(shared), to_string(clash->first), to_string(clash->second),
                    shared.swizzle(shared.offset + clash->offset)));
  }
}

}  // namespace

ComposedLayout TileConfig::shared_layout() const {
  if (shared) return *shared;
  return {{}, 0, Layout(IntTuple{tile_cols, tile_rows}, IntTuple{1, tile_cols + pad})};
}

const std::vector<ConfigField<TileConfig>>& direct_tile_fields() {
  static const std::vector<ConfigField<TileConfig>> fields = {
      numbers_field<TileConfig>("tile", "rows x columns of src that one workgroup moves",
                                {&TileConfig::tile_rows, &TileConfig::tile_cols}),
      layout_field<TileConfig>("threads", "layout of a workgroup's threads over the tile",
                               &TileConfig::threads),
  };
  return fields;
}

const std::vector<ConfigField<TileConfig>>& tile_fields() {
  static const auto fields = joined<TileConfig>(
      direct_tile_fields(),
      {numbers_field<TileConfig>("pad", "elements of padding after each row of the shared tile",
                                 {&TileConfig::pad}),
       {"shared",
        "layout of the shared tile, instead of pad: (32,32):(1,33), or swizzled, "
        "Swizzle<5,0,5> o (32,32):(1,32)",
        "a layout", [](const TileConfig& config) { return text_of(config.shared_layout()); },
        [](const std::string& text, TileConfig& config) {
          config.shared = parse_composed_layout(text);
          return true;
        }}});
  return fields;
}

std::vector<std::string> reasons_against(const TileConfig& config, TileMove move) {
  std::vector<std::string> reasons;
  for (const auto& [name, extent] :
       {std::pair{"cols", config.tile_cols}, std::pair{"rows", config.tile_rows}}) {
    if (extent < 1 || extent > kMaxTileExtent) {
      reasons.push_back(fmt::format("tile: {} {} is outside 1..{}", extent, name, kMaxTileExtent));
    }
  }
  if (config.pad > kMaxTileExtent) {
    reasons.push_back(fmt::format("pad {} is above {}", config.pad, kMaxTileExtent));
  }
  if (!reasons.empty()) return reasons;  // the checks below compute with these numbers
  check_threads(config, move, reasons);
  check_shared(config, reasons);
  return reasons;
}

}  // namespace vkmoye::gen
