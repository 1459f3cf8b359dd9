// SPDX-License-Identifier: MIT
#pragma once
// Small kernels written by hand, so that the runtime is tested without the generator.

#include <string>

#include "vkmoye/contract/compiled_kernel.hpp"

namespace vkmoye::test {

/// b[i] = 2 * a[i] + 1 over n unsigned integers; `split`: has first_group_x.
CompiledKernel affine_kernel(bool split = true);

/// out[y][x] = x + 1000 * y over (cols, rows), one group per element; splits in x and y.
CompiledKernel coordinate_kernel();

/// a[i] += 1 in place.
CompiledKernel increment_kernel();

/// sum[0] = a[first] + .. + a[n - 1], in order, by one thread; `first` may be below 0. Of `type` f16, f32, f64,
/// i8 or i32; the sum is an f32, of integers an i32.
CompiledKernel sum_kernel(ScalarType type, Reach reach);

/// dst[i] = value for i from `first`, which may be below 0, to n - 1.
CompiledKernel store_kernel(Reach reach);

/// dst[i] = src[i] over n unsigned integers.
CompiledKernel copy_kernel(Reach reach);

/// a[1] is a[0] after `rounds` steps of a generator of random numbers, by one thread: they take as long as one
/// likes, and then end.
CompiledKernel spin_kernel();

/// dst[t] for each thread t of one workgroup of 64: lanes of its subgroup, and thread number made of
/// subgroup and lane, as a pair. `lanes`: the subgroup size that it asks for.
CompiledKernel subgroup_kernel(std::uint32_t lanes);

}  // namespace vkmoye::test
