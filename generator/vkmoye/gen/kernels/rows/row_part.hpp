// SPDX-License-Identifier: MIT
#pragma once
// How the rows of a matrix are divided among workgroups.
//
//   whole                      slices and combine: two kernels, for few long rows
//
//   row 0  [ workgroup 0 ]     slices    row 0  [ workgroup 0,0 | workgroup 0,1 ] -> a state of each slice
//   row 1  [ workgroup 1 ]               row 1  [ workgroup 1,0 | workgroup 1,1 ]
//                              combine   each workgroup merges the states of its row, and computes one block of it
//
// Few long rows would leave most of a device idle, one workgroup for each row; see row_plans.hpp for when they are cut.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/threads_config.hpp"

namespace vkmoye::gen {

enum class RowPart : std::uint8_t { whole, slices, combine };

/// The number of the workgroup's tile of rows; a tile contains as many rows as the threads compute at once.
inline Expr row_tile(const Builder& k, RowPart part) {
  return part == RowPart::combine ? k.block_y() : k.block_x();
}

/// The axes of a matrix whose rows a kernel computes.
inline const std::vector<Builder::AxisSpec> kRowAxes = {{"col", "cols"}, {"row", "rows"}};

/// The builder of a kernel with `config`, whose `fields` are printed. `why`: the comment of each part, see
/// Builder::describe. Throws KernelError with `reasons`, the reasons against `config`, if there are any.
template <class Config>
Builder row_builder(const std::string& name, const Config& config,
                    const std::vector<ConfigField<Config>>& fields,
                    std::vector<std::string> reasons, RowPart part,
                    const std::array<const char*, 3>& why) {
  throw_if_any(name, std::move(reasons));
  Builder k(name, config.threads, to_index(config.subgroup_size));
  k.header(typed_items(fields, config), why[static_cast<std::size_t>(part)]);
  k.share_sums(config.columns);
  return k;
}

}  // namespace vkmoye::gen
