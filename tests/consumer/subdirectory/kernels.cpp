// SPDX-License-Identifier: MIT
#include <kernels/softmax_rows.hpp>

vkmoye::Arguments arguments(std::int64_t rows, std::int64_t cols) {
  return kernels::softmax_rows::Arguments{.cols = cols, .rows = rows};
}
