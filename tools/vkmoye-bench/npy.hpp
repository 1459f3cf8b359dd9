#pragma once
// NumPy's .npy files, format versions 1 to 3 (numpy.lib.format).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

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

/// Writes format version 1.0, by way of a temporary file in the same folder: `path` is either the
/// whole array or untouched. Throws ArgumentError if the file cannot be written.
void write_npy(const std::filesystem::path& path, const NpyArray& array);

}  // namespace vkmoye::bench
