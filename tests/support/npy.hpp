// SPDX-License-Identifier: MIT
#pragma once
// Writes files in the format of NumPy.

#include <cstring>
#include <string>
#include <vector>

namespace vkmoye::test {

/// The data of an array: its elements in memory order.
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string out(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

/// A version 1.0 .npy file.
inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                       const std::string& order = "False") {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  header.append(64 - (10 + header.size() + 1) % 64, ' ');
  header += '\n';
  const char size[] = {static_cast<char>(header.size()), static_cast<char>(header.size() >> 8)};
  return std::string("\x93NUMPY\x01\x00", 8) + std::string(size, 2) + header + data;
}

}  // namespace vkmoye::test
