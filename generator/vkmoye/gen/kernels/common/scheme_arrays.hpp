// SPDX-License-Identifier: MIT
#pragma once
// The arrays of a checkpoint that have the numbers of a scheme, and how weights lie in them along k and n.
//
//   gptq, 4 bits, K = N = 4096     qweight (512,4096) of i32   k: 512 elements with 8 weights each; n: 4096
//                                  scales  (32,4096) of f16    k: 32 elements, each repeated for 128 weights

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/common/weight_arrays.hpp"

namespace vkmoye::gen {

inline std::int64_t product(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

/// The bits of element `at`.
inline std::uint64_t element_of(const CheckpointArray& array, std::int64_t at) {
  std::uint64_t bits = 0;
  const std::size_t bytes = size_of(array.type);
  std::memcpy(&bits, &array.data[static_cast<std::size_t>(at) * bytes], bytes);
  return bits;
}

/// One axis of an array: `elements` with `inside` weights each, every one repeated for as many weights.
struct ArrayAxis {
  std::int64_t elements = 1, inside = 1, repeat = 1;
};

/// A number of the format in the checkpoint.
struct FoundNumber {
  NumberArray place;
  const CheckpointArray* array = nullptr;  // null: it is missing
  ArrayAxis k = {}, n = {};
};

struct FoundArrays {
  std::vector<FoundNumber> numbers;  // first the codes, then the scales
  std::vector<std::int64_t> batch;
  std::int64_t K = 0, N = 0;
  double alpha = 1;  // the scale of the tensor
};

/// Throws ArgumentError with the reasons, if there are any.
void refuse(const WeightScheme& scheme, const WeightFormat& format,
            const std::vector<std::string>& reasons);

/// Throws ArgumentError with the reasons: all those of blocks_of but for numbers that the format cannot hold.
FoundArrays find_arrays(const WeightScheme& scheme, const WeightFormat& format,
                        std::span<const CheckpointArray> arrays);

}  // namespace vkmoye::gen
