// SPDX-License-Identifier: MIT
#pragma once
// Parts of a whole, such as blocks of a row or tiles of keys, that are divided evenly among slices.
//
//   7 parts, 3 slices     [ 0 1 2 | 3 4 5 | 6 ]      slice 2 contains 1 part, part 6

#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

/// The parts of one slice: `count` from `first` on.
struct SliceParts {
  Expr first, count;
};

/// The names in the generated text of the number of parts in a full slice, and of this slice's first part and count.
struct SlicePartNames {
  const char *of_full_slice, *first, *count;
};

/// The parts of slice number `slice`, of `slices`. The last slices may get fewer than the others, or none.
SliceParts slice_parts(Builder& builder, const Expr& parts, const Expr& slices, const Expr& slice,
                       const SlicePartNames& names);

}  // namespace vkmoye::gen
