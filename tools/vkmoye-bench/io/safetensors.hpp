// SPDX-License-Identifier: MIT
#pragma once
// Arrays of safetensors files:
//
//   model.safetensors:model.norm.weight      the array of that name
//
//   bytes of the header, 8
//   header, JSON      {"model.norm.weight": {"dtype": "BF16", "shape": [4096], "data_offsets": [0, 8192]}, ..}
//   elements          from there on offsets count

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "io/array_header.hpp"

namespace vkmoye::bench {

/// The file and the name behind ".safetensors:"; nullopt for other texts.
struct TensorName {
  std::filesystem::path file;
  std::string name;
};
std::optional<TensorName> tensor_name(std::string_view text);

/// The arrays of a file by name; F8_E8M0 is read as u8. Arrays of types that kernels do not have are left out. Arrays
/// may share bytes, and the last of several with one name counts.
/// Throws ArgumentError with the file and what is wrong with it: missing, truncated, an invalid header, an array whose
/// bytes are not those of its shape or not in the file.
std::map<std::string, ArrayHeader> read_safetensors(const std::filesystem::path& path);

/// The array `tensor`. Throws like read_safetensors; for an unknown name, with a similar one.
ArrayHeader read_safetensors_header(const TensorName& tensor);

}  // namespace vkmoye::bench
