// SPDX-License-Identifier: MIT
#pragma once
// An operand of a product in fragment order, as a file: made once by `pack`, multiplied by `apply` in
// place of the array.
//
//   "vkmoyepk", 8 bytes                   numbers are little-endian
//   format version, 4    bytes of the header, 4    XXH3-64 of the 16 bytes before it and of the header, 8
//   header, JSON         {"operand": "b", "type": "f16", "rows": 4096, "k": 4096, ..}
//   blocks               as packed_form.hpp has them, checksum in the header
//
// The order is stated as a layout: a file made on another device is taken where that has the same one.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/output_file.hpp"
#include "vkmoye/gen/kernels/products/fragments/packed_form.hpp"

namespace vkmoye::bench {

struct PackedOperand {
  gen::PackedForm form;
  std::int64_t rows = 0, k = 0;  // of the matrix; rows are m of A, n of B
  std::optional<std::int64_t> batch =
      {};                       // matrices one behind the other; nothing: one, and no batch
  std::string fragment, block;  // layouts: (row, k) of a fragment and of a block -> its place
  std::string device, driver;   // that it was made on

  std::uint64_t bytes() const;
  /// {rows, k}, or {batch, rows, k}.
  std::vector<std::int64_t> shape() const;
};

/// Whether `path` is meant to be such a file: it is named so, or begins so.
bool is_packed_file(const std::filesystem::path& path);

/// What a file holds, and where.
struct PackedFile {
  PackedOperand operand;
  std::uint64_t data_at = 0, checksum = 0;
};

/// Throws ArgumentError naming the file and all that is wrong with it: not there, not such a file,
/// truncated, too long, damaged, another format version, a header that no `pack` writes.
PackedFile read_packed_header(const std::filesystem::path& path);

/// The blocks behind it. Throws ArgumentError where they are not those that were written.
std::vector<std::byte> read_packed_data(const std::filesystem::path& path, const PackedFile& file);

/// To be committed by the caller. Throws as `file` does.
void write_packed(OutputFile& file, const PackedOperand& operand, std::span<const std::byte> data);

}  // namespace vkmoye::bench
