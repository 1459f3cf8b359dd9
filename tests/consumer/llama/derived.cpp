// SPDX-License-Identifier: MIT
#include "derived.hpp"

#include <algorithm>
#include <stdexcept>

namespace llama {

const FileTensor& in_pairs(Plans& plans, const FileTensor& tensor, const Sizes& sizes) {
  if (sizes.pairs == Pairs::neighbours) return tensor;
  return plans.derived(tensor.name + ", in pairs", [&](std::vector<std::byte>& bytes) {
    const std::size_t rows = tensor.extents.back(), size = tensor.bytes.size() / rows;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t i = row % sizes.head;
      const std::size_t from = i < sizes.rotated ? i / 2 + i % 2 * (sizes.rotated / 2) : i;
      const auto source = tensor.bytes.subspan((row - i + from) * size, size);
      bytes.insert(bytes.end(), source.begin(), source.end());
    }
    FileTensor out = tensor;
    out.bytes = bytes;
    return out;
  });
}

std::vector<Rows> parts_to_bind(Plans& plans, const FileTensor& tensor, std::uint64_t row_bytes) {
  const std::uint64_t rows = tensor.extents.back(), size = tensor.bytes.size() / rows;
  if (rows * row_bytes <= plans.max_binding()) return {{&tensor, 0}};
  constexpr std::uint64_t kRows = 256;  // then results begin where every device can bind them
  const std::uint64_t of_part = plans.max_binding() / row_bytes / kRows * kRows;
  if (of_part == 0) {
    throw std::runtime_error("tensor '" + tensor.name + "' has rows of " +
                             std::to_string(row_bytes) +
                             " bytes; a kernel binds at least 256, but the device at most " +
                             std::to_string(plans.max_binding()) + " bytes");
  }
  std::vector<Rows> out;
  for (std::uint64_t first = 0; first < rows; first += of_part) {
    const std::uint64_t count = std::min(of_part, rows - first);
    const std::string name =
        tensor.name + ", " + std::to_string(count) + " rows from " + std::to_string(first);
    const FileTensor& part = plans.derived(name, [&](std::vector<std::byte>&) {
      FileTensor some = tensor;
      some.extents.back() = count;
      some.bytes = tensor.bytes.subspan(first * size, count * size);
      return some;
    });
    out.push_back({&part, static_cast<std::uint32_t>(first)});
  }
  return out;
}

}  // namespace llama
