// SPDX-License-Identifier: MIT
#include "derived.hpp"

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

}  // namespace llama
