#pragma once
// NumPy's .npy files, format versions 1 to 3 (numpy.lib.format).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "output_file.hpp"
#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::bench {

/// An array in C's order, little-endian.
struct NpyArray {
  ScalarType type = ScalarType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;
};

/// Throws ArgumentError naming the file and what is wrong with it: not there, not a .npy file,
/// truncated or too long, Fortran order, big-endian, an element type that no kernel has.
NpyArray read_npy(const std::filesystem::path& path);

/// Writes format version 1.0; to be committed by the caller. Throws as `file` does.
void write_npy(OutputFile& file, const NpyArray& array);

}  // namespace vkmoye::bench
