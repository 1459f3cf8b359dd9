#include "vkmoye/gen/kernels/registry.hpp"

#include <fmt/format.h>

#include <charconv>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/copy.hpp"
#include "vkmoye/gen/kernels/tile_config.hpp"
#include "vkmoye/gen/kernels/transpose.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

bool parse_number(std::string_view text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_pair(std::string_view text, std::int64_t& first, std::int64_t& second) {
  const auto cross = text.find('x');
  return cross != std::string_view::npos && parse_number(text.substr(0, cross), first) &&
         parse_number(text.substr(cross + 1), second);
}

// Reads `options` into `config`; adds a reason for each that cannot be read.
TileConfig read(TileConfig config, const Options& options, std::vector<std::string>& reasons) {
  for (const auto& option : options) {
    const std::string &name = option.first, &text = option.second;
    const auto layout = [&]() -> std::optional<Layout> {
      try {
        return parse_layout(text);
      } catch (const LayoutError& error) {
        reasons.push_back(fmt::format("{} '{}': {}", name, text, error.what()));
        return std::nullopt;
      }
    };
    if (name == "tile") {
      if (!parse_pair(text, config.tile_rows, config.tile_cols)) {
        reasons.push_back(fmt::format("tile '{}' is not ROWSxCOLUMNS, such as 32x32", text));
      }
    } else if (name == "pad") {
      if (!parse_number(text, config.pad)) {
        reasons.push_back(fmt::format("pad '{}' is not a whole number", text));
      }
    } else if (name == "threads") {
      std::int64_t x = 0, y = 0;
      if (parse_pair(text, x, y) && x > 0 && y > 0) {
        config.threads = Layout(IntTuple{x, y});
      } else if (const auto parsed = layout()) {
        config.threads = *parsed;
      }
    } else if (name == "shared") {
      if (!options.contains("pad")) config.pad = 0;
      config.shared = layout();
    } else {
      reasons.push_back(
          fmt::format("there is no option '{}'; there are tile, threads, pad, shared", name));
    }
  }
  return config;
}

using Describe = ir::Kernel (*)(const TileConfig&, const std::string&);

KernelEntry entry(std::string name, Operation operation, std::string summary, TileConfig defaults,
                  Describe describe) {
  KernelEntry row;
  row.name = name;
  row.operation = operation;
  row.summary = std::move(summary);
  row.source = "MoYe.jl, matrix transpose tutorial";
  for (const ScalarTypeInfo& type : scalar_types()) row.types.push_back(type.type);
  row.options = {
      {"tile", fmt::format("{}x{}", defaults.tile_rows, defaults.tile_cols),
       "rows x columns of src that one workgroup moves"},
      {"threads", to_string(defaults.threads), "layout of a workgroup's threads over the tile"},
      {"pad", std::to_string(defaults.pad), "elements after each column run of the shared tile"},
      {"shared", to_string(defaults.shared_layout()), "layout of the shared tile, instead of pad"},
  };
  row.describe = [=](ScalarType type, const Options& options) {
    std::vector<std::string> reasons;
    TileConfig config = read(defaults, options, reasons);
    if (!reasons.empty()) throw KernelError(name, std::move(reasons));
    config.type = type;
    return describe(config, name);
  };
  return row;
}

TileConfig padded() {
  TileConfig config;
  config.pad = 1;
  return config;
}

}  // namespace

std::span<const KernelEntry> registry() {
  static const std::vector<KernelEntry> rows = {
      entry("copy/simple", Operation::copy, "copy through a compact shared tile", {}, copy),
      entry("copy/padded", Operation::copy, "copy through a padded shared tile", padded(), copy),
      entry("transpose/simple", Operation::transpose,
            "transpose through a compact shared tile: 32-way bank conflicts", {}, transpose),
      entry("transpose/padded", Operation::transpose,
            "transpose through a shared tile padded to 33: no bank conflicts", padded(), transpose),
  };
  return rows;
}

const KernelEntry* find_kernel(const std::string& name) {
  for (const KernelEntry& row : registry()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::uint64_t source_index(Operation operation, std::uint64_t index, std::uint64_t rows,
                           std::uint64_t cols) {
  switch (operation) {
    case Operation::copy: return index;
    case Operation::transpose: return index % rows * cols + index / rows;
  }
  return index;
}

}  // namespace vkmoye::gen
