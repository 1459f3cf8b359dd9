// SPDX-License-Identifier: MIT
#include "io/array_order.hpp"

#include <cstring>

namespace vkmoye::bench {

std::vector<std::byte> in_c_order(std::span<const std::byte> data,
                                  const std::vector<std::int64_t>& shape, std::size_t width) {
  std::vector<std::byte> out(data.size());
  std::vector<std::int64_t> index(shape.size(), 0);
  std::vector<std::size_t> stride(shape.size());
  std::size_t next = width;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    stride[axis] = next;
    next *= static_cast<std::size_t>(shape[axis]);
  }
  std::size_t from = 0;
  for (std::size_t to = 0; to < data.size(); to += width) {
    std::memcpy(&out[to], &data[from], width);
    for (std::size_t axis = shape.size(); axis-- > 0;) {  // the last axis varies fastest
      from += stride[axis];
      if (++index[axis] < shape[axis]) break;
      from -= stride[axis] * static_cast<std::size_t>(shape[axis]);
      index[axis] = 0;
    }
  }
  return out;
}

}  // namespace vkmoye::bench
