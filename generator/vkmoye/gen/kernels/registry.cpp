#include "vkmoye/gen/kernels/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/config_fields.hpp"
#include "vkmoye/gen/kernels/copy.hpp"
#include "vkmoye/gen/kernels/copy_auto.hpp"
#include "vkmoye/gen/kernels/copy_tiled.hpp"
#include "vkmoye/gen/kernels/gemm_rows.hpp"
#include "vkmoye/gen/kernels/relayout_rows.hpp"
#include "vkmoye/gen/kernels/tile_config.hpp"
#include "vkmoye/gen/kernels/transpose.hpp"
#include "vkmoye/gen/kernels/transpose_auto.hpp"
#include "vkmoye/gen/kernels/transpose_direct.hpp"
#include "vkmoye/gen/kernels/transpose_vector.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

// Which values of its config a kernel lets one replace.
enum class Open { nothing, tile, tile_and_shared };

// The rows of `list` for a kernel with these values.
std::vector<OptionRow> option_rows(const TileConfig& config, Open open) {
  std::vector<OptionRow> rows = {
      {"tile", fmt::format("{}x{}", config.tile_rows, config.tile_cols),
       "rows x columns of src that one workgroup moves"},
      {"threads", to_string(config.threads), "layout of a workgroup's threads over the tile"},
      {"pad", std::to_string(config.pad), "elements after each column run of the shared tile"},
      {"shared", to_string(config.shared_layout()), "layout of the shared tile, instead of pad"},
  };
  if (open == Open::tile) rows.resize(2);
  if (open == Open::nothing) rows.clear();
  return rows;
}

// Reads `options` into `config`; adds a reason for each that is not among `rows` or cannot be read.
TileConfig read(TileConfig config, const std::vector<OptionRow>& rows, const Options& options,
                std::vector<std::string>& reasons) {
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
    const bool known = std::any_of(rows.begin(), rows.end(),
                                   [&](const OptionRow& row) { return row.name == name; });
    if (!known) {
      std::vector<std::string> names;
      for (const OptionRow& row : rows) names.push_back(row.name);
      reasons.push_back(fmt::format("there is no option '{}'; there are {}", name,
                                    names.empty() ? "none" : join(names, ", ")));
    } else if (name == "tile") {
      if (!parse_pair(text, config.tile_rows, config.tile_cols)) {
        reasons.push_back(fmt::format("tile '{}' is not ROWSxCOLUMNS, such as 32x32", text));
      }
    } else if (name == "pad") {
      if (!parse_number(text, config.pad)) {
        reasons.push_back(fmt::format("pad '{}' is not a whole number of 64 bits", text));
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
    }
  }
  return config;
}

// What one row of the table says about a kernel of this family.
struct TileKernel {
  const char* name;
  Operation operation;
  const char* summary;
  const char* source;
  TileConfig defaults;
  Open open;
  bool vectors;  // needs vectors whose elements can be touched one by one
  ir::Kernel (*describe)(const TileConfig&, const std::string&);
};

KernelEntry entry(const TileKernel& kernel) {
  KernelEntry row;
  row.name = kernel.name;
  row.operation = kernel.operation;
  row.summary = kernel.summary;
  row.source = kernel.source;
  for (const ScalarTypeInfo& type : scalar_types()) {
    const bool has_vectors = ir::is_width(type.type, 2) && !ir::is_packed(type.type, 2);
    if (has_vectors || !kernel.vectors) row.types.push_back(type.type);
  }
  row.options = option_rows(kernel.defaults, kernel.open);
  row.describe = [kernel, rows = row.options, types = row.types](const Request& request) {
    std::vector<std::string> reasons;
    TileConfig config = read(kernel.defaults, rows, request.options, reasons);
    if (std::find(types.begin(), types.end(), request.type) == types.end()) {
      reasons.push_back(fmt::format("there are no vectors of {}", to_string(request.type)));
    }
    if (!reasons.empty()) throw KernelError(kernel.name, std::move(reasons));
    config.type = request.type;
    return kernel.describe(config, kernel.name);
  };
  return row;
}

// A kernel that is the best of its family, for every type.
template <class Config>
KernelEntry best_of(const char* name, Operation operation, const char* summary,
                    const std::vector<ConfigField<Config>>& fields, Config (*defaults)(ScalarType),
                    ir::Kernel (*describe)(const Config&, const std::string&)) {
  KernelEntry row;
  row.name = name;
  row.operation = operation;
  row.summary = summary;
  row.source = "this project";
  for (const ScalarTypeInfo& type : scalar_types()) row.types.push_back(type.type);
  row.options = option_rows(fields, defaults(ScalarType::f32));
  row.describe = [=, &fields](const Request& request) {
    Config config = defaults(request.type);
    auto reasons = read_fields(fields, request.options, config);
    if (!reasons.empty()) throw KernelError(name, std::move(reasons));
    return describe(config, name);
  };
  return row;
}

CopyAutoConfig copy_auto_config(ScalarType type) {
  CopyAutoConfig config;
  config.type = type;
  return config;
}

TileConfig config_of(IntTuple threads, std::int64_t pad = 0) {
  TileConfig config;
  config.threads = Layout(threads);
  config.pad = pad;
  return config;
}

template <TiledValues values>
ir::Kernel tiled(const TileConfig& config, const std::string& name) {
  return copy_tiled(config.type, values, name);
}

template <VectorRung rung>
ir::Kernel vectors(const TileConfig& config, const std::string& name) {
  return transpose_vector(config.type, rung, name);
}

template <Contiguous side>
ir::Kernel direct(const TileConfig& config, const std::string& name) {
  return transpose_direct(config, side, name);
}

constexpr const char* kMoYe = "MoYe.jl, matrix transpose tutorial";
constexpr const char* kTiled = "MoYe.jl, tiled copy";
constexpr const char* kHip = "AMD lab notes, matrix transpose in HIP";
constexpr const char* kFloat4 = "float4 transpose ladder in CUDA";

const TileKernel kKernels[] = {
    {"copy/simple", Operation::copy, "copy through a compact shared tile", kMoYe,
     config_of({32, 8}), Open::tile_and_shared, false, copy},
    {"copy/padded", Operation::copy, "copy through a padded shared tile", kMoYe,
     config_of({32, 8}, 1), Open::tile_and_shared, false, copy},
    {"copy/tiled",
     Operation::copy,
     "tiled copy, element by element",
     kTiled,
     {},
     Open::nothing,
     false,
     tiled<TiledValues::single>},
    {"copy/tiled_vec",
     Operation::copy,
     "tiled copy in vectors of up to 16 bytes",
     kTiled,
     {},
     Open::nothing,
     false,
     tiled<TiledValues::vector>},
    {"copy/tiled_split",
     Operation::copy,
     "tiled copy in halves of vectors: kept because it is not coalesced",
     kTiled,
     {},
     Open::nothing,
     false,
     tiled<TiledValues::split_vector>},
    {"transpose/naive", Operation::transpose, "one element for each thread, no shared tile",
     kFloat4, config_of({32, 32}), Open::tile, false, direct<Contiguous::read>},
    {"transpose/read_contiguous", Operation::transpose,
     "no shared tile: contiguous reads, writes a column apart", kHip, config_of({32, 32}),
     Open::tile, false, direct<Contiguous::read>},
    {"transpose/write_contiguous", Operation::transpose,
     "no shared tile: contiguous writes, reads a row apart", kHip, config_of({32, 32}), Open::tile,
     false, direct<Contiguous::write>},
    {"transpose/tiled", Operation::transpose,
     "through a padded shared tile, one element for each of 1024 threads", kHip,
     config_of({32, 32}, 1), Open::tile_and_shared, false, transpose},
    {"transpose/simple", Operation::transpose,
     "through a compact shared tile: 32-way bank conflicts", kMoYe, config_of({32, 8}),
     Open::tile_and_shared, false, transpose},
    {"transpose/padded", Operation::transpose,
     "through a shared tile padded to 33: no bank conflicts", kMoYe, config_of({32, 8}, 1),
     Open::tile_and_shared, false, transpose},
    {"transpose/vec4",
     Operation::transpose,
     "vector loads, scalar stores, no shared tile",
     kFloat4,
     {},
     Open::nothing,
     true,
     vectors<VectorRung::plain>},
    {"transpose/vec4_shared",
     Operation::transpose,
     "vectors on both sides of a compact shared tile: bank conflicts between",
     kFloat4,
     {},
     Open::nothing,
     true,
     vectors<VectorRung::shared>},
    {"transpose/vec4_padded",
     Operation::transpose,
     "vector loads, a shared tile padded by one, contiguous scalar stores",
     kFloat4,
     {},
     Open::nothing,
     true,
     vectors<VectorRung::padded>},
};

}  // namespace

std::span<const KernelEntry> registry() {
  static const std::vector<KernelEntry> rows = [] {
    std::vector<KernelEntry> out;
    for (const TileKernel& kernel : kKernels) {
      // The best of a family stands behind the others.
      if (!out.empty() && out.back().operation != kernel.operation) {
        out.push_back(best_of("copy/auto", Operation::copy,
                              "the fastest: flat arrays, wide accesses", copy_auto_fields(),
                              copy_auto_config, copy_auto));
      }
      out.push_back(entry(kernel));
    }
    out.push_back(best_of("transpose/auto", Operation::transpose,
                          "the fastest: wide accesses on both sides of a tile of words",
                          transpose_auto_fields(), transpose_auto_config, transpose_auto));
    out.push_back(relayout_row());
    for (KernelEntry& row : gemm_rows()) out.push_back(std::move(row));
    return out;
  }();
  return rows;
}

const KernelEntry* find_kernel(const std::string& name) {
  for (const KernelEntry& row : registry()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Request request_of(ScalarType type, Options options) {
  return {type, std::move(options), gemm_form(type), {}};
}

std::uint64_t source_index(Operation operation, std::uint64_t index, std::uint64_t rows,
                           std::uint64_t cols) {
  switch (operation) {
    case Operation::copy: return index;
    case Operation::transpose: return index % rows * cols + index / rows;
    case Operation::relayout:
    case Operation::gemm: break;
  }
  return index;
}

}  // namespace vkmoye::gen
