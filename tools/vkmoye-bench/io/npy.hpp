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

/// A little-endian array as the header of a file describes it.
struct NpyHeader {
  ScalarType type = ScalarType::f32;
  std::vector<std::int64_t> shape;
  bool fortran_order = false;  // the first axis runs fastest, and there are others; else the last
  std::uint64_t data_at = 0, data_bytes = 0;  // in the file
};

/// Throws ArgumentError naming the file and what is wrong with it: not there, not a .npy file,
/// truncated or too long, big-endian, an element type that no kernel has.
NpyHeader read_npy_header(const std::filesystem::path& path);

/// The elements of the array that `header` is the header of, as they lie there. Throws ArgumentError.
std::vector<std::byte> read_npy_data(const std::filesystem::path& path, const NpyHeader& header);

/// Writes format version 1.0; to be committed by the caller. `data` are the elements in C's order or, if
/// so said, in Fortran's. Throws as `file` does.
void write_npy(OutputFile& file, ScalarType type, const std::vector<std::int64_t>& shape,
               std::span<const std::byte> data, bool fortran_order = false);

}  // namespace vkmoye::bench
