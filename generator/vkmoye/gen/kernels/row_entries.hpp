// SPDX-License-Identifier: MIT
#pragma once
// The registry entries of operations on the rows of a matrix: sum, maximum and where it is, largest elements,
// softmax, norm, gate, embedding, rotary embedding.

#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/kernels/rows/gate.hpp"
#include "vkmoye/gen/kernels/rows/reduce.hpp"
#include "vkmoye/gen/kernels/rows/rms_norm.hpp"
#include "vkmoye/gen/kernels/rows/rope.hpp"
#include "vkmoye/gen/kernels/rows/top_k.hpp"

namespace vkmoye::gen {

std::vector<KernelEntry> row_entries();

// The config that a request leads to, fitted to its shape. The check of a result uses it to find the
// order of the additions. Unknown options are ignored here; describing the kernel refuses them.

ReduceConfig reduce_config_of(const KernelRequest& request);
ThreadsConfig softmax_config_of(const KernelRequest& request);
RmsNormConfig rms_norm_config_of(const KernelRequest& request);
GateConfig gate_config_of(const KernelRequest& request);
TopKConfig top_k_config_of(const KernelRequest& request);
RopeConfig rope_config_of(const KernelRequest& request);

}  // namespace vkmoye::gen
