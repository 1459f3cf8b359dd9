// SPDX-License-Identifier: MIT
#pragma once
// NumPy arrays of small whole numbers, written to files in either order and read back.

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "support/npy.hpp"
#include "support/process.hpp"

namespace vkmoye::test {

using Shape = std::vector<std::int64_t>;

/// Elements in C order, each a whole number that f32 represents exactly.
struct NumpyArray {
  Shape shape;
  std::vector<float> values;

  static std::size_t count(const Shape& shape) {
    std::size_t elements = 1;
    for (const std::int64_t extent : shape) elements *= static_cast<std::size_t>(extent);
    return elements;
  }
  static std::string shape_text(const Shape& shape) {
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i) {
      text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    }
    return text + (shape.size() == 1 ? ",)" : ")");
  }

  /// Varying numbers from -4 to 4.
  static NumpyArray some(Shape shape, std::uint32_t seed) {
    NumpyArray out{std::move(shape), {}};
    for (std::size_t i = 0; i < count(out.shape); ++i) {
      seed = seed * 1664525u + 1013904223u;
      out.values.push_back(static_cast<float>(static_cast<int>(seed >> 20) % 9 - 4));
    }
    return out;
  }
  static NumpyArray read(const std::string& file, const Shape& shape, bool fortran_order = false) {
    NumpyArray out{shape, std::vector<float>(count(shape))};
    const std::string bytes = read_file(file);
    const std::string header = npy("<f4", shape_text(shape), "", fortran_order ? "True" : "False");
    EXPECT_EQ(bytes.substr(0, bytes.find('\n') + 1), header);
    if (bytes.size() != header.size() + 4 * out.values.size()) {
      ADD_FAILURE() << bytes.size() << " bytes in " << file;
      return out;
    }
    std::vector<float> memory(out.values.size());
    if (!memory.empty())
      std::memcpy(memory.data(), bytes.data() + header.size(), 4 * memory.size());
    for (std::size_t i = 0; i < memory.size(); ++i) {
      out.values[i] = memory[fortran_order ? out.place_in_fortran_order(i) : i];
    }
    return out;
  }

  void write(const std::string& file, bool fortran_order = false) const {
    std::vector<float> memory = values;
    for (std::size_t i = 0; i < memory.size() && fortran_order; ++i) {
      memory[place_in_fortran_order(i)] = values[i];
    }
    const std::string bytes(reinterpret_cast<const char*>(memory.data()), 4 * memory.size());
    write_file(file, npy("<f4", shape_text(shape), bytes, fortran_order ? "True" : "False"));
  }

  /// The index of element number `i` in C order.
  std::size_t place_in_fortran_order(std::size_t i) const {
    std::size_t place = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const auto extent = static_cast<std::size_t>(shape[axis]);
      const std::size_t index = i % extent;
      i /= extent;
      place += index * count(Shape(shape.begin(), shape.begin() + static_cast<long>(axis)));
    }
    return place;
  }
};

}  // namespace vkmoye::test
