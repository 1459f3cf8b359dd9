// SPDX-License-Identifier: MIT
#pragma once
// An operand of a product that was packed in fragment order, as a file contains it.

#include <cstdint>
#include <optional>
#include <string>

#include "vkmoye/contract/extents.hpp"
#include "vkmoye/gen/kernels/products/packing/packed_form.hpp"

namespace vkmoye::gen {

struct PackedOperand {
  PackedForm form;
  std::int64_t rows = 0, k = 0;  // size of the matrix: rows are m of A, n of B
  /// The number of contiguous matrices; nullopt: one matrix without a batch axis.
  std::optional<std::int64_t> batch = {};
  std::string fragment, block;  // layouts: (row, k) of a fragment and of a block -> its place
  std::string device, driver;   // where it was packed

  std::uint64_t bytes() const;
  /// {rows, k}, or {batch, rows, k}.
  Extents shape() const;
};

}  // namespace vkmoye::gen
