// SPDX-License-Identifier: MIT
#pragma once
// The file format of an operand in fragment order: written once by `pack`, read by `apply` and `matmul` in place
// of the array.
//
//   "vkmoyepk", 8 bytes                   numbers are little-endian
//   format version, 4    bytes of the header, 4    XXH3-64 of the 16 bytes before it and of the header, 8
//   header, JSON         {"operand": "b", "type": "f16", "rows": 4096, "k": 4096, ..}
//   blocks               in the form of packed_form.hpp, with their checksum in the header
//
// The order is stored as a layout: a file from another device can be used if that device has the same layout.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/output_file.hpp"
#include "vkmoye/gen/problems/packed_operand.hpp"

namespace vkmoye::bench {

using gen::PackedOperand;

/// Whether `path` has the extension or the first bytes of such a file.
bool is_packed_file(const std::filesystem::path& path);

/// The header of a file, and where its data begin.
struct PackedFile {
  gen::PackedOperand operand;
  std::uint64_t data_at = 0, checksum = 0;
};

/// Throws ArgumentError with the file and everything that is wrong with it: missing, not such a file, truncated, too
/// long, damaged, another format version, an invalid header.
PackedFile read_packed_header(const std::filesystem::path& path);

/// Reads the blocks. Throws ArgumentError if they are damaged.
std::vector<std::byte> read_packed_data(const std::filesystem::path& path, const PackedFile& file);

/// Writes to `file`, which the caller commits. Throws like the functions of `file`.
void write_packed(OutputFile& file, const gen::PackedOperand& operand,
                  std::span<const std::byte> data);

}  // namespace vkmoye::bench
