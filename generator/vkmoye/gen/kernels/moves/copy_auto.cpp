// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/copy_auto.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

ScalarType wider(const CopyAutoConfig& config) {
  const ScalarType result = config.result.value_or(config.type);
  return size_of(result) > size_of(config.type) ? result : config.type;
}

}  // namespace

const std::vector<ConfigField<CopyAutoConfig>>& copy_auto_fields() {
  static const std::vector<ConfigField<CopyAutoConfig>> fields = {
      numbers_field<CopyAutoConfig>("threads", "threads of a workgroup",
                                    {&CopyAutoConfig::threads}),
      numbers_field<CopyAutoConfig>("rounds", "accesses that each thread has in flight",
                                    {&CopyAutoConfig::rounds}),
      numbers_field<CopyAutoConfig>("vector", "bytes of an access, of the wider type: 1 to 16",
                                    {&CopyAutoConfig::vector_bytes}),
  };
  return fields;
}

std::vector<std::string> reasons_against_conversion(ScalarType from, ScalarType to) {
  if (from == to) return {};
  std::vector<std::string> reasons;
  for (const ScalarType type : {from, to}) {
    if (ir::is_arithmetic(ir::arithmetic_type(type))) continue;
    reasons.push_back(fmt::format("convert {} to {}: {} is only moved, not converted",
                                  to_string(from), to_string(to), to_string(type)));
  }
  if (!reasons.empty()) return reasons;
  const Expr converted = convert(ir::variable("x", ir::element(from)), to);
  if (const auto reason = ir::type_error(*converted)) reasons.push_back(*reason);
  return reasons;
}

std::vector<std::string> reasons_against(const CopyAutoConfig& config) {
  std::vector<std::string> reasons;
  if (config.threads < 1 || config.threads > 1024) {
    reasons.push_back(fmt::format("threads = {} is outside 1..1024", config.threads));
  }
  if (config.rounds < 1 || config.rounds > 16) {
    reasons.push_back(fmt::format("rounds = {} is outside 1..16", config.rounds));
  }
  require_access(wider(config), config.vector_bytes, reasons);
  const ScalarType result = config.result.value_or(config.type);
  add_all(reasons, reasons_against_conversion(config.type, result));
  return reasons;
}

ir::Kernel copy_auto(const CopyAutoConfig& config, const std::string& name) {
  throw_if_any(name, reasons_against(config));

  Builder k(name, config.threads);
  auto items = typed_items(copy_auto_fields(), config);
  const ScalarType result = config.result.value_or(config.type);
  const bool converts = result != config.type;
  if (converts) items.insert(items.begin() + 1, {"result", std::string(to_string(result))});
  use_addressing(k, config.address, items);
  k.header(items, converts
                      ? "flat arrays: independent wide accesses, converted between"
                      : "flat arrays: independent wide accesses, whatever the rows and the type");
  const Extent count("cols", "rows");
  const Tensor src = k.input("src", config.type, {{"at", count}});
  const Tensor dst = k.output("dst", result, {{"at", count}});

  const std::int64_t vector = config.vector_bytes / bytes_of(wider(config));
  const TiledCopy copy = make_tiled_copy(make_layout({config.threads}), make_layout({vector}));
  const std::int64_t block = config.threads * vector * config.rounds;
  const View from = tile(src, {block}, {k.block_x()});
  const View to = tile(dst, {block}, {k.block_x()});
  const View mine = partition(from, copy, k.thread());  // (vector, rounds)
  const View theirs = partition(to, copy, k.thread());
  k.branch(
      k.inside(from), "a whole tile",
      [&] { k.copy(mine, theirs, {.edges = Edges::inside, .loads_first = true}); },
      "the last tile, which the array does not fill", [&] { k.copy(mine, theirs); });
  return k.finish();
}

}  // namespace vkmoye::gen
