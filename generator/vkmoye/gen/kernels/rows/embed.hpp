// SPDX-License-Identifier: MIT
#pragma once
// Rows of a table, chosen by an array of indices: dst(r) = table(indices(r)), NumPy's table[indices].
//
//   table of 4 rows, indices 2 0 2 -1     dst: row 2, row 0, row 2, zeros
//
// A row whose index is outside the table, such as -1 for padding, is 0, since a kernel cannot report an
// error. The result may have another type than the table, to which each element is converted.
//
// Interface: bindings table (cols, entries), indices (rows) of i32, dst (cols, rows); arguments cols, entries, rows.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

/// The config of embed/rows.
struct EmbedConfig {
  ScalarType type = ScalarType::f32;      // of the table
  std::optional<ScalarType> result = {};  // of dst; nullopt: that of the table
  std::int64_t threads = 0;        // of a workgroup, which has a part of one row; 0: chosen to fit
  std::int64_t vector_bytes = 16;  // bytes of an access, of the wider type

  /// Elements of an access.
  std::int64_t width() const;
};

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<EmbedConfig>>& embed_fields();

/// Sets `threads`, unless it is set, for rows of `cols` columns, or of any length.
EmbedConfig fitted(EmbedConfig config, std::optional<std::int64_t> cols);

/// Every reason against `config`, which must be fitted; empty if it is valid.
std::vector<std::string> reasons_against(const EmbedConfig& config);

/// Throws KernelError with every reason.
ir::Kernel embed(const EmbedConfig& config, const std::string& name = "embed/rows");

}  // namespace vkmoye::gen
