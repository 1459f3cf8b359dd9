// SPDX-License-Identifier: MIT
#pragma once
// Descriptions of devices that this machine does not have, for testing the generator's decisions. Limits are as the
// drivers report them; features are those that kernels use.

#include <vector>

#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye::test {

inline DeviceCaps fake_device(const char* name, std::uint32_t shared_bytes,
                              std::uint32_t workgroup_threads, std::uint32_t subgroup,
                              FeatureSet features) {
  DeviceCaps caps;
  caps.name = name;
  caps.kind = DeviceKind::discrete;
  caps.max_group_count = {65535, 65535, 65535};
  caps.max_workgroup_size = {workgroup_threads, workgroup_threads, 64};
  caps.max_workgroup_invocations = workgroup_threads;
  caps.max_shared_bytes = shared_bytes;
  caps.max_push_constant_bytes = 128;
  caps.max_storage_buffers = 16;
  caps.max_storage_buffer_bytes = std::uint64_t{1} << 31;
  caps.max_buffer_bytes = std::uint64_t{1} << 32;
  caps.max_allocation_bytes = std::uint64_t{1} << 32;
  caps.device_memory_bytes = std::uint64_t{1} << 33;
  caps.subgroup_size = caps.min_subgroup_size = caps.max_subgroup_size = subgroup;
  caps.max_workgroup_subgroups = workgroup_threads / subgroup;
  caps.features = features;
  const std::uint32_t m = subgroup == 8 ? 8 : 16;  // of a matrix
  if (caps.has(Feature::cooperative_matrix)) {
    for (const char* sum : {"f32", "f16"}) {
      caps.matrix_shapes.push_back({m, m, m, "f16", "f16", sum, sum, "subgroup"});
    }
    const std::uint32_t k = subgroup == 32 ? 32 : m;
    caps.matrix_shapes.push_back({m, m, k, "s8", "s8", "s32", "s32", "subgroup"});
    caps.matrix_shapes.push_back({m, m, k, "u8", "u8", "u32", "u32", "subgroup"});
    if (m == 16) {
      caps.matrix_shapes.push_back({m, m, m, "bf16", "bf16", "f32", "f32", "subgroup"});
    }
  }
  return caps;
}

inline FeatureSet all_features() {
  FeatureSet all;
  for (std::size_t i = 0; i < kFeatureCount; ++i) all.add(static_cast<Feature>(i));
  return all;
}

inline DeviceCaps lavapipe_like() {
  DeviceCaps caps = fake_device("lavapipe-like", 32768, 1024, 8, all_features());
  caps.kind = DeviceKind::cpu;
  return caps;
}
inline DeviceCaps h200_like() { return fake_device("H200-like", 49152, 1024, 32, all_features()); }
inline DeviceCaps rdna3_like() {
  DeviceCaps caps = fake_device("RDNA3-like", 65536, 1024, 64, all_features());
  caps.min_subgroup_size = 32;
  return caps;
}

/// The smallest limits that Vulkan 1.2 allows (specification, "Required Limits"), and no features.
inline DeviceCaps poor() { return fake_device("poor", 16384, 128, 4, {}); }

}  // namespace vkmoye::test
