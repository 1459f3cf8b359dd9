// SPDX-License-Identifier: MIT
#pragma once
// An array in a file: what its header says, and its elements.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::bench {

/// A little-endian array.
struct ArrayHeader {
  ScalarType type = ScalarType::f32;
  bool is_boolean = false;     // bytes of 0 and 1; `type` is u8
  bool is_any_float8 = false;  // bytes without a type: e4m3, which is `type`, or e5m2
  std::vector<std::int64_t> shape;
  bool fortran_order = false;  // the first of several axes varies fastest, else the last
  std::uint64_t data_at = 0, data_bytes = 0;  // in the file
};

/// Text of a file for a terminal: control characters are escaped and long text is cut.
std::string shown(std::string_view text);

/// Throws ArgumentError, "FILE: WHY".
[[noreturn]] void refuse_file(const std::filesystem::path& path, const std::string& why);

/// The bytes that type and shape of `header` need. Throws ArgumentError with the file for more than 2^48.
std::uint64_t needed_bytes(const std::filesystem::path& path, const ArrayHeader& header);

/// The elements of the array of `header`, in the order of the file. Throws ArgumentError.
std::vector<std::byte> read_array_data(const std::filesystem::path& path,
                                       const ArrayHeader& header);

}  // namespace vkmoye::bench
