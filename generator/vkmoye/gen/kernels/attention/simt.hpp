// SPDX-License-Identifier: MIT
#pragma once
// Attention without matrix units: multiply-adds of f32.
//
//   a workgroup    a tile of rows of q in shared memory; tiles of k, then of v, in turn in another array
//   a thread       a part of the scores, and of the sums over keys, in registers
//
// Products go from registers to registers, except for the probabilities: in the second product, a thread needs those of
// other threads. For bindings and arguments, see attention_form.hpp, arrays_of() and attention_arguments().

#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

struct AttentionSimtConfig {
  std::int64_t rows = 32, keys = 32;  // rows of q, and keys, per tile
  std::int64_t threads = 128;         // 8 of them share a row
  std::int64_t subgroup_size = 32;    // lanes
  std::int64_t shared_bytes = 32768;  // maximum shared memory
};

AttentionSimtConfig attention_simt_config(const AttentionForm& form, const DeviceCaps& device);
const std::vector<ConfigField<AttentionSimtConfig>>& attention_simt_fields();
std::vector<std::string> reasons_against(const AttentionSimtConfig& config,
                                         const AttentionForm& form);

/// `type`, the type of all arrays, is f32, f16 or bf16. Throws KernelError with every reason.
ir::Kernel attention_simt(const AttentionSimtConfig& config, const AttentionForm& form,
                          ScalarType type, const std::string& name = "attention/simt");

}  // namespace vkmoye::gen
