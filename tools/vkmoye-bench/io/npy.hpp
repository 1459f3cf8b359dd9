// SPDX-License-Identifier: MIT
#pragma once
// NumPy's .npy files, format versions 1 to 3 (numpy.lib.format).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "io/array_header.hpp"
#include "io/output_file.hpp"
#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::bench {

/// Throws ArgumentError with the file and what is wrong with it: missing, not a .npy file, truncated or too long,
/// big-endian, an element type without kernels.
ArrayHeader read_npy_header(const std::filesystem::path& path);

/// Writes format version 1.0; the caller commits the file. `data`: the elements in C order, or in Fortran order if
/// `fortran_order` is set. `boolean`: elements of u8 are booleans. Throws like the functions of `file`.
void write_npy(OutputFile& file, ScalarType type, const std::vector<std::int64_t>& shape,
               std::span<const std::byte> data, bool fortran_order = false, bool boolean = false);

}  // namespace vkmoye::bench
