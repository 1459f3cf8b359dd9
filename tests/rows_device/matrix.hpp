// SPDX-License-Identifier: MIT
#pragma once
// Matrices of random numbers for the tests of operations on rows.

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/problems/rows/reference.hpp"

namespace vkmoye::test {

using gen::Expected;

struct Matrix {
  std::size_t rows, cols;
  std::vector<double> values;  // row by row

  std::vector<double> row(std::size_t r) const {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(r * cols);
    return {first, first + static_cast<std::ptrdiff_t>(cols)};
  }
  std::vector<double> column(std::size_t c) const {
    std::vector<double> out;
    for (std::size_t r = 0; r < rows; ++r) out.push_back(values[r * cols + c]);
    return out;
  }
};

inline std::vector<std::uint8_t> bytes_of(ScalarType type, const std::vector<double>& values) {
  std::vector<std::uint8_t> out;
  for (const double value : values) {
    const std::uint64_t bits = bits_of(type, value);
    for (std::size_t i = 0; i < size_of(type); ++i) {
      out.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
    }
  }
  return out;
}

inline std::vector<double> numbers_in(ScalarType type, const std::vector<std::uint8_t>& bytes) {
  const std::size_t width = size_of(type);
  std::vector<double> out;
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < width; ++i) bits |= std::uint64_t{bytes[at + i]} << (8 * i);
    out.push_back(number_of(type, bits));
  }
  return out;
}

inline bool is_right(double found, const gen::Expected& expected) {
  if (std::isnan(expected.value)) return std::isnan(found);
  return found == expected.value || std::fabs(found - expected.value) <= expected.bound;
}

inline Matrix random_matrix(std::mt19937& random, ScalarType type, std::size_t rows,
                            std::size_t cols) {
  Matrix out{rows, cols, {}};
  for (std::size_t i = 0; i < rows * cols; ++i) {
    const double real = static_cast<double>(random()) / 0x1p31 - 1;
    out.values.push_back(number_of(type, is_floating(type) ? bits_of(type, 4 * real) : random()));
  }
  return out;
}

}  // namespace vkmoye::test
