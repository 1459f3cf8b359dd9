// SPDX-License-Identifier: MIT
#pragma once
// Small handwritten kernels, to test the runtime without the generator.

#include <string>

#include "vkmoye/contract/compiled_kernel.hpp"

namespace vkmoye::test {

/// b[i] = 2 * a[i] + 1 over n unsigned integers; `split`: has first_group_x.
CompiledKernel affine_kernel(bool split = true);

/// out[y][x] = x + 1000 * y over (cols, rows), one group per element; splits in x and y.
CompiledKernel coordinate_kernel();

/// a[i] += 1 in place.
CompiledKernel increment_kernel();

/// sum[0] = a[first] + .. + a[n - 1], in order, by one thread; `first` may be negative. `type` is f16, f32, f64,
/// i8 or i32; the sum is f32, or i32 for integers.
CompiledKernel sum_kernel(ScalarType type, Addressing addressing);

/// dst[i] = value for i from `first`, which may be negative, to n - 1.
CompiledKernel store_kernel(Addressing addressing);

/// dst[i] = src[i] over n unsigned integers.
CompiledKernel copy_kernel(Addressing addressing);

/// a[1] is a[0] after `rounds` steps of a random number generator, by one thread: runs for any length of time, but
/// ends.
CompiledKernel spin_kernel();

/// dst[t] for each thread t of one workgroup of 64: the pair of its subgroup's size and the thread number computed
/// from subgroup and lane. `lanes`: the required subgroup size.
CompiledKernel subgroup_kernel(std::uint32_t lanes);

}  // namespace vkmoye::test
