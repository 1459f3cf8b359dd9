// SPDX-License-Identifier: MIT
#pragma once
// Attention of few queries over many keys, at the speed of reading K and V once.
//
//   a workgroup    up to 8 rows of q that share a head of K and V, and a slice of the keys
//   8 threads      read a key and a value, 16 bytes at a time; other threads read other keys
//   at the end     maximum, row sum and sums of each slice are combined by a second kernel
//
//   4096 keys, 32 heads, 16 slices:  512 workgroups, 256 keys each
//
// Each thread keeps a maximum of its own keys, so that threads exchange only parts of a score before the end.
// Interface: bindings q, k, v, lengths, mask and slopes, as far as the form has them, slice_sums (value_width, rows,
// heads, slices), slice_max and slice_row_sums (rows, heads, slices), the last three f32; arguments: those of
// attention_form.hpp, and slices. slice_max holds scores as kernels have them, see score_scale.hpp; where no key was
// seen, it is the least finite number, and the row sum is 0.
// Source: Flash-Decoding (Dao, Haziza, Massa and Sizov, 2023).
// decode_config.cpp chooses and checks the config, decode_threads.cpp divides keys among threads, decode_plan.cpp adds
// the second kernel.

#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/ir/kernel_plan.hpp"
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

struct AttentionDecodeConfig {
  std::int64_t rows = 1;              // rows of q per workgroup
  std::int64_t reads = 16;            // accesses of k, and of v, that a thread has in flight
  std::int64_t threads = 128;         // threads per workgroup
  std::int64_t key_threads = 8;       // the maximum number of threads that share a key
  std::int64_t subgroup_size = 32;    // lanes
  std::int64_t slices = 0;            // slices of the keys; 0: chosen by the plan
  std::int64_t shared_bytes = 32768;  // maximum shared memory
};

/// `call` gives the numbers of rows and keys, if they are known. Throws KernelError with the reasons against its form.
AttentionDecodeConfig attention_decode_config(const AttentionCall& call, ScalarType type,
                                              const DeviceCaps& device);
const std::vector<ConfigField<AttentionDecodeConfig>>& attention_decode_fields();
std::vector<std::string> reasons_against(const AttentionDecodeConfig& config,
                                         const AttentionForm& form, ScalarType type);

/// The number of slices for `call`: from `config`, or enough to occupy a large GPU.
std::int64_t slices_of(const AttentionDecodeConfig& config, const AttentionCall& call,
                       ScalarType type);

/// `type`, the type of all arrays, is f32, f16 or bf16. Throws KernelError with every reason.
ir::Kernel attention_decode(const AttentionDecodeConfig& config, const AttentionForm& form,
                            ScalarType type, const std::string& name = "attention/decode");

/// The second kernel (combine.cpp): bindings slice_sums, slice_max, slice_row_sums, sinks, log_sums, o, as far as the
/// form has them; arguments rows, heads, slices, or, if rows depend on their heads, group, queries, kv_heads, batch and
/// slices; and, without a bias, also soft_cap with a soft cap, else scale.
ir::Kernel attention_combine(const AttentionForm& form, ScalarType type, const DeviceCaps& device,
                             const std::string& name = "attention/combine");

/// The plan of both kernels, over the arrays of attention_form.hpp, arrays_of().
KernelPlan attention_decode_plan(const AttentionDecodeConfig& config, const AttentionCall& call,
                                 ScalarType type, const DeviceCaps& device);

}  // namespace vkmoye::gen
