// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/embed.hpp"

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/gen/kernels/common/tiled_array.hpp"
#include "vkmoye/gen/kernels/moves/copy_auto.hpp"
#include "vkmoye/layout/checked.hpp"

namespace vkmoye::gen {
namespace {

ScalarType result_of(const EmbedConfig& config) { return config.result.value_or(config.type); }

ScalarType wider_of(const EmbedConfig& config) {
  return size_of(result_of(config)) > size_of(config.type) ? result_of(config) : config.type;
}

}  // namespace

std::int64_t EmbedConfig::width() const { return vector_bytes / bytes_of(wider_of(*this)); }

const std::vector<ConfigField<EmbedConfig>>& embed_fields() {
  static const std::vector<ConfigField<EmbedConfig>> fields = {
      numbers_field<EmbedConfig>("threads", "threads of a workgroup; 0: chosen to fit",
                                 {&EmbedConfig::threads}),
      numbers_field<EmbedConfig>("vector", "bytes of an access, of the wider type: 1 to 16",
                                 {&EmbedConfig::vector_bytes}),
  };
  return fields;
}

EmbedConfig fitted(EmbedConfig config, std::optional<std::int64_t> cols) {
  if (config.threads != 0) return config;
  config.threads = 128;
  if (!cols) return config;
  const std::int64_t width = std::max<std::int64_t>(1, config.width());
  const std::int64_t accesses = vkmoye::ceil_div(std::max<std::int64_t>(1, *cols), width);
  config.threads = std::clamp<std::int64_t>(next_power_of_two(accesses), 32, 128);
  return config;
}

std::vector<std::string> reasons_against(const EmbedConfig& config) {
  std::vector<std::string> reasons;
  require_power_of_two("threads", config.threads, 1024, reasons);
  require_access(wider_of(config), config.vector_bytes, reasons);
  add_all(reasons, reasons_against_conversion(config.type, result_of(config)));
  return reasons;
}

ir::Kernel embed(const EmbedConfig& wanted, const std::string& name) {
  const EmbedConfig config = fitted(wanted, std::nullopt);
  throw_if_any(name, reasons_against(config));
  const ScalarType result = result_of(config);

  Builder k(name, config.threads);
  auto items = typed_items(embed_fields(), config);
  if (result != config.type) {
    items.insert(items.begin() + 1, {"result", std::string(to_string(result))});
  }
  k.header(items, "a workgroup copies a part of a row; rows outside the table are 0");
  const Tensor table = k.input("table", config.type, {{"col", "cols"}, {"entry", "entries"}});
  const Tensor indices = k.input("indices", ScalarType::i32, {{"row", "rows"}});
  const Tensor dst = k.output("dst", result, {{"col", "cols"}, {"row", "rows"}});

  const TiledCopy copy =
      make_tiled_copy(make_layout({config.threads, 1}), make_layout({config.width(), 1}));
  const IntTuple block = {config.threads * config.width(), 1};
  TiledArray from(k, table, block, copy), to(k, dst, block, copy);
  const View x = to.registers("x", result);
  // A negative index becomes a large one.
  const Expr entry = k.let("entry", to_index(k.load("index", tile(indices, {1}, {k.block_y()}))));
  const Expr zero = ir::number(result, 0);
  k.branch(
      {less(entry, table.extent(1))}, "a row of the table",
      [&] {
        from.load({k.block_x(), entry}, x, zero);
      },
      "a row outside the table", [&] { k.assign(x, zero); });
  to.store({k.block_x(), k.block_y()}, x);
  return k.finish();
}

}  // namespace vkmoye::gen
