// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/copy_auto.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {

const std::vector<ConfigField<CopyAutoConfig>>& copy_auto_fields() {
  static const std::vector<ConfigField<CopyAutoConfig>> fields = {
      numbers_field<CopyAutoConfig>("threads", "threads of a workgroup",
                                    {&CopyAutoConfig::threads}),
      numbers_field<CopyAutoConfig>("rounds", "accesses that each thread has in flight",
                                    {&CopyAutoConfig::rounds}),
      numbers_field<CopyAutoConfig>("vector", "bytes of an access: 1 to 16",
                                    {&CopyAutoConfig::vector}),
  };
  return fields;
}

std::vector<std::string> reasons_against(const CopyAutoConfig& config) {
  std::vector<std::string> reasons;
  if (config.threads < 1 || config.threads > 1024) {
    reasons.push_back(fmt::format("threads {} is outside 1..1024", config.threads));
  }
  if (config.rounds < 1 || config.rounds > 16) {
    reasons.push_back(fmt::format("rounds {} is outside 1..16", config.rounds));
  }
  require_access(config.type, config.vector, reasons);
  return reasons;
}

ir::Kernel copy_auto(const CopyAutoConfig& config, const std::string& name) {
  throw_if_any(name, reasons_against(config));

  Builder k(name, config.threads);
  auto items = typed_items(copy_auto_fields(), config);
  reach(k, config.address, items);
  k.describe(items, "flat arrays: independent wide accesses, whatever the rows and the type");
  const Extent count("cols", "rows");
  const Tensor src = k.input("src", config.type, {{"at", count}});
  const Tensor dst = k.output("dst", config.type, {{"at", count}});

  const std::int64_t vector = config.vector / static_cast<std::int64_t>(size_of(config.type));
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
