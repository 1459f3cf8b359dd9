// SPDX-License-Identifier: MIT
#pragma once
// An entry of a table of gemm/auto as JSON.
//
//   {"types":["f16,f32,f32"],"where":{"m":64,"n":[2048,null],"b":"n"},
//    "kernel":"gemm/coopmat","options":{"tile":"128x256x32","split-k":"4"},"why":"measured: .."}
//
//   devices   parts of a device's name, in any case; absent: any device
//   types     "operands,accumulator" or "operands,accumulator,result"; absent: any types
//   where     conditions, all of which must hold; absent: none. Members:
//               m n k batch least area elements lanes shared    a number, or [least, most] with null for no
//                                                               bound; see GemmQuantity
//               a, b       the contiguous index: "k" or "m" of A, "k" or "n" of B
//               beta       true or false: whether C is read
//               epilogue   the names of its steps, such as ["bias","relu"]; [] is none
//   kernel, options   as for `run`; split-k is the number of slices of k

#include "vkmoye/contract/json.hpp"
#include "vkmoye/gen/kernels/products/choice/gemm_table.hpp"

namespace vkmoye::bench {

Json json_of(const gen::GemmTableEntry& entry);

/// Throws ArgumentError with every reason: an unknown member, a value of the wrong kind, an unknown type, step,
/// kernel or option. The values of options are not checked here.
gen::GemmTableEntry table_entry_of(const Json& json);

}  // namespace vkmoye::bench
