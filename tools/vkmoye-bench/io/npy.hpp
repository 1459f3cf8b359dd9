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

/// An array in C's order, little-endian, as the header of a file describes it.
struct NpyHeader {
  ScalarType type = ScalarType::f32;
  std::vector<std::int64_t> shape;
  std::uint64_t data_at = 0, data_bytes = 0;  // in the file
};

/// Throws ArgumentError naming the file and what is wrong with it: not there, not a .npy file,
/// truncated or too long, Fortran order, big-endian, an element type that no kernel has.
NpyHeader read_npy_header(const std::filesystem::path& path);

/// The elements of the array that `header` is the header of. Throws ArgumentError.
std::vector<std::byte> read_npy_data(const std::filesystem::path& path, const NpyHeader& header);

/// Writes format version 1.0; to be committed by the caller. Throws as `file` does.
void write_npy(OutputFile& file, ScalarType type, const std::vector<std::int64_t>& shape,
               std::span<const std::byte> data);

}  // namespace vkmoye::bench
