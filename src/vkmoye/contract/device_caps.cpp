// SPDX-License-Identifier: MIT
#include "vkmoye/contract/device_caps.hpp"

#include <fmt/format.h>

namespace vkmoye {

std::string_view to_string(Feature feature) {
  switch (feature) {
    case Feature::f16: return "f16";
    case Feature::f64: return "f64";
    case Feature::i8: return "i8";
    case Feature::i16: return "i16";
    case Feature::i64: return "i64";
    case Feature::storage8: return "storage8";
    case Feature::storage16: return "storage16";
    case Feature::cooperative_matrix: return "cooperative_matrix";
    case Feature::bf16_matrix: return "bf16_matrix";
    case Feature::subgroup_basic: return "subgroup_basic";
    case Feature::subgroup_arithmetic: return "subgroup_arithmetic";
    case Feature::subgroup_ballot: return "subgroup_ballot";
    case Feature::subgroup_shuffle: return "subgroup_shuffle";
    case Feature::shared_f32_atomic_add: return "shared_f32_atomic_add";
    case Feature::buffer_f32_atomic_add: return "buffer_f32_atomic_add";
    case Feature::subgroup_size_control: return "subgroup_size_control";
    case Feature::buffer_address: return "buffer_address";
    case Feature::integer_dot: return "integer_dot";
    case Feature::grid_barrier: return "grid_barrier";
    case Feature::count: break;
  }
  return "?";
}

std::string_view to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::discrete: return "discrete";
    case DeviceKind::integrated: return "integrated";
    case DeviceKind::virtual_gpu: return "virtual";
    case DeviceKind::cpu: return "cpu";
    case DeviceKind::other: return "other";
  }
  return "?";
}

std::vector<Feature> FeatureSet::list() const {
  std::vector<Feature> members;
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    if (bits_.test(i)) members.push_back(static_cast<Feature>(i));
  }
  return members;
}

std::string to_string(const MatrixShape& shape) {
  return fmt::format("{}x{}x{}  {} * {} + {} -> {}  {}{}", shape.m, shape.n, shape.k, shape.a,
                     shape.b, shape.c, shape.result, shape.scope,
                     shape.saturating ? ", saturating" : "");
}

std::vector<std::string> reasons_against_buffer(const DeviceCaps& caps, std::uint64_t bytes) {
  std::vector<std::string> reasons;
  const auto at_most = [&](std::uint64_t limit, std::string_view what) {
    if (bytes <= limit) return;
    reasons.push_back(
        fmt::format("a buffer of {} bytes: the device allows {} in {}", bytes, limit, what));
  };
  at_most(caps.max_buffer_bytes, "one buffer (maxBufferSize)");
  if (bytes <= caps.max_sparse_buffer_bytes)
    return reasons;  // with several allocations if necessary
  at_most(caps.max_allocation_bytes, "one allocation of memory (maxMemoryAllocationSize)");
  if (caps.max_sparse_buffer_bytes > caps.max_allocation_bytes) {
    at_most(caps.max_sparse_buffer_bytes, "several of them (sparseAddressSpaceSize)");
  }
  return reasons;
}

DeviceCaps common_device() {
  DeviceCaps caps;
  caps.name = "a common device";
  caps.max_group_count = {65535, 65535, 65535};
  caps.max_workgroup_size = {1024, 1024, 64};
  caps.max_workgroup_invocations = 1024;
  caps.max_shared_bytes = 32768;
  caps.max_push_constant_bytes = 128;
  caps.max_storage_buffers = 16;
  caps.max_storage_buffer_bytes = std::uint64_t{1} << 31;
  caps.max_buffer_bytes = caps.max_allocation_bytes = std::uint64_t{1} << 31;
  caps.device_memory_bytes = std::uint64_t{1} << 32;
  caps.storage_buffer_alignment = 256;
  caps.subgroup_size = caps.min_subgroup_size = caps.max_subgroup_size = 32;
  caps.max_workgroup_subgroups = 32;
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    const auto feature = static_cast<Feature>(i);
    const bool of_matrices =
        feature == Feature::cooperative_matrix || feature == Feature::bf16_matrix;
    if (!of_matrices) caps.features.add(feature);
  }
  return caps;
}

}  // namespace vkmoye
