// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/slice_parts.hpp"

namespace vkmoye::gen {

SliceParts slice_parts(Builder& builder, const Expr& parts, const Expr& slices, const Expr& slice,
                       const SlicePartNames& names) {
  const Expr of_full_slice = builder.let(names.of_full_slice, (parts + slices - 1) / slices);
  const Expr first = builder.let(names.first, of_full_slice * slice);
  return {first, builder.let(names.count, minimum(maximum(parts, first) - first, of_full_slice))};
}

}  // namespace vkmoye::gen
