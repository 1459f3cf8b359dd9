// SPDX-License-Identifier: MIT
#pragma once
// Copies one strided tensor to another of the same shape; all sizes and strides are baked into the kernel.
//
//   relayout((64,32,8):(256,8,1), (64,32,8):(1,64,2048))        every mode moves
//   relayout((64,64), ((8,8),(8,8)):((1,64),(8,512)))           into consecutive tiles of 8x8
//   relayout((60,100):(1,64), (60,100))                         removes the padding to 64
//
// Elements whose size is not a power of two become an innermost mode: an array of n elements of 12 bytes
// is (3,n):(1,3) of f32, one of 3 bytes (3,n):(1,3) of u8.

#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/moves/relayout/schedule.hpp"

namespace vkmoye::gen {

/// dst(c) = src(c) for every coordinate c. src may read an element more than once (stride 0); elements of
/// the buffer that dst does not cover are not written. The buffers have cosize(src) and cosize(dst)
/// elements; beyond 4 GiB or 2^32 elements they are reached by pointers, unless the config says otherwise.
/// Throws KernelError with every reason of reasons_against_relayout, and if the config is invalid.
ir::Kernel relayout(const Layout& src, const Layout& dst, const RelayoutConfig& config = {},
                    const std::string& name = "relayout");

}  // namespace vkmoye::gen
