// SPDX-License-Identifier: MIT
#pragma once
// NumPy's .npy files, format versions 1 to 3 (numpy.lib.format).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "io/output_file.hpp"
#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::bench {

/// The header of a file: a little-endian array.
struct NpyHeader {
  ScalarType type = ScalarType::f32;
  bool is_boolean = false;     // bytes of 0 and 1; `type` is u8
  bool is_any_float8 = false;  // bytes without a type: e4m3, which is `type`, or e5m2
  std::vector<std::int64_t> shape;
  bool fortran_order = false;  // the first of several axes varies fastest, else the last
  std::uint64_t data_at = 0, data_bytes = 0;  // in the file
};

/// Throws ArgumentError with the file and what is wrong with it: missing, not a .npy file, truncated or too long,
/// big-endian, an element type without kernels.
NpyHeader read_npy_header(const std::filesystem::path& path);

/// The elements of the array of `header`, in the order of the file. Throws ArgumentError.
std::vector<std::byte> read_npy_data(const std::filesystem::path& path, const NpyHeader& header);

/// Writes format version 1.0; the caller commits the file. `data`: the elements in C order, or in Fortran order if
/// `fortran_order` is set. `boolean`: elements of u8 are booleans. Throws like the functions of `file`.
void write_npy(OutputFile& file, ScalarType type, const std::vector<std::int64_t>& shape,
               std::span<const std::byte> data, bool fortran_order = false, bool boolean = false);

}  // namespace vkmoye::bench
