// SPDX-License-Identifier: MIT
#pragma once
// The capabilities and limits of a device, as plain data. The generator decides by them; tests make up their own.
//
//   DeviceCaps caps = device.caps();
//   if (caps.has(Feature::f64)) ...

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye {

/// A feature that a shader may require. The value is the number of its bit in `FeatureSet`.
enum class Feature : std::uint8_t {
  f16,                 // float16_t in expressions and shared memory   (shaderFloat16)
  f64,                 // double                                        (shaderFloat64)
  i8,                  // int8_t in expressions and shared memory       (shaderInt8)
  i16,                 // int16_t in expressions and shared memory      (shaderInt16)
  i64,                 // int64_t                                       (shaderInt64)
  storage8,            // 8-bit elements in buffers                     (storageBuffer8BitAccess)
  storage16,           // 16-bit elements in buffers                    (storageBuffer16BitAccess)
  cooperative_matrix,  // VK_KHR_cooperative_matrix, the feature bit
  bf16_matrix,         // matrices of bfloat16 (VK_KHR_shader_bfloat16: the type, in matrices)
  // Subgroup operations in compute shaders (VkSubgroupFeatureFlagBits).
  subgroup_basic,         // elect, the number of a subgroup and of a lane
  subgroup_arithmetic,    // reductions and scans
  subgroup_ballot,        // ballot, broadcast
  subgroup_shuffle,       // shuffle
  shared_f32_atomic_add,  // VK_EXT_shader_atomic_float, shaderSharedFloat32AtomicAdd
  buffer_f32_atomic_add,  // likewise, shaderBufferFloat32AtomicAdd
  /// The number of lanes of a compute shader's subgroups can be chosen, all of them active
  /// (subgroupSizeControl, computeFullSubgroups, compute among requiredSubgroupSizeStages). A kernel
  /// that depends on their number needs this feature, or a device on which that number cannot vary.
  subgroup_size_control,
  buffer_address,  // buffers are reached by their addresses            (bufferDeviceAddress)
  integer_dot,     // dot products of bytes that words hold             (shaderIntegerDotProduct)
  /// Workgroups of a launch can wait for each other (vulkanMemoryModel, vulkanMemoryModelDeviceScope), if all of them
  /// run at once: see DeviceCaps::resident_groups.
  grid_barrier,
  count  // how many there are
};
inline constexpr std::size_t kFeatureCount = static_cast<std::size_t>(Feature::count);

std::string_view to_string(Feature feature);

/// A set of features.
class FeatureSet {
 public:
  FeatureSet() = default;
  /// The set of these features.
  FeatureSet(std::initializer_list<Feature> features) {
    for (const Feature feature : features) add(feature);
  }
  /// Adds or removes features; no effect if they are already in the set, or not in it.
  void add(Feature feature) { bits_.set(static_cast<std::size_t>(feature)); }
  void add(const FeatureSet& more) { bits_ |= more.bits_; }
  void remove(Feature feature) { bits_.reset(static_cast<std::size_t>(feature)); }
  /// Whether `feature` is in the set.
  bool has(Feature feature) const { return bits_.test(static_cast<std::size_t>(feature)); }
  /// The members, in the order of the enumeration.
  std::vector<Feature> list() const;
  bool operator==(const FeatureSet&) const = default;

 private:
  std::bitset<kFeatureCount> bits_;
};

/// The kinds of devices that Vulkan distinguishes (VkPhysicalDeviceType).
enum class DeviceKind : std::uint8_t { discrete, integrated, virtual_gpu, cpu, other };

std::string_view to_string(DeviceKind kind);

/// One shape that the device's matrix units multiply: D(m,n) = A(m,k) * B(k,n) + C(m,n).
struct MatrixShape {
  std::uint32_t m = 0, n = 0, k = 0;
  std::string a, b, c, result;  // component types as the device names them: "f16", "s32"
  std::string scope;            // "subgroup" or "workgroup"
  bool saturating = false;
  bool operator==(const MatrixShape&) const = default;
};

/// "16x16x16  f16 * f16 + f32 -> f32  subgroup"
std::string to_string(const MatrixShape& shape);

/// Which elements of a matrix each lane of a subgroup holds, and in which order, as measured on the device.
///
///   A of 16x16, 32 lanes of 8 elements:  (row 0, column 1) is number 1 of lane 0: places[0 + 16 * 1] = 1
struct FragmentOrder {
  char use = 'a';    // 'a', 'b' or the accumulator 'c', in D(m,n) = A(m,k) * B(k,n) + C(m,n)
  std::string type;  // element type, as the device names it: "f16"
  std::uint32_t rows = 0, columns = 0, lanes = 0;
  /// The number of the element (row, column) at index row + rows * column, counted through all lanes in order.
  /// Empty if elements have no unique place; see `why_none`.
  std::vector<std::uint32_t> places = {};
  std::string why_none = {};  // "lanes hold copies: .."; empty where there are places
  bool operator==(const FragmentOrder&) const = default;
};

struct DeviceCaps {
  std::string name;
  std::string driver;  // name and version, one line
  DeviceKind kind = DeviceKind::other;
  std::string api;           // "1.4.312"
  std::string why_unusable;  // why vkmoye cannot use this device; empty: it can

  // Limits. Counts unless the name says bytes.
  std::array<std::uint32_t, 3> max_group_count = {};
  std::array<std::uint32_t, 3> max_workgroup_size = {};
  std::uint32_t max_workgroup_invocations = 0;
  std::uint32_t max_shared_bytes = 0;
  std::uint32_t max_push_constant_bytes = 0;
  std::uint32_t max_storage_buffers = 0;       // bindings per stage
  std::uint64_t max_storage_buffer_bytes = 0;  // per binding (maxStorageBufferRange)
  std::uint64_t max_buffer_bytes = 0;          // per buffer (maxBufferSize)
  std::uint64_t max_allocation_bytes = 0;      // per memory allocation (maxMemoryAllocationSize)
  std::uint64_t max_sparse_buffer_bytes = 0;   // per buffer in several allocations; 0: none
  std::uint64_t device_memory_bytes = 0;       // the largest device-local heap
  std::uint32_t storage_buffer_alignment = 1;  // alignment of offsets into buffers, bytes

  std::uint32_t subgroup_size = 0;  // the default
  std::uint32_t min_subgroup_size = 0;
  std::uint32_t max_subgroup_size = 0;
  std::uint32_t max_workgroup_subgroups = 0;  // where their size is chosen

  /// The workgroups, of any size that the device allows, that certainly run at once if nothing else runs on the device;
  /// 0: not known.
  std::uint32_t resident_groups = 0;

  double timestamp_period_ns = 0;  // 0: the device has no timestamps

  FeatureSet features;
  std::vector<MatrixShape> matrix_shapes;
  std::vector<FragmentOrder> fragment_orders;  // those that were measured

  /// Whether the device has `feature`.
  bool has(Feature feature) const { return features.has(feature); }
};

/// Why a device with `caps` cannot have a buffer of `bytes`, with the numbers. Empty if its limits allow it; its
/// memory may still be full.
std::vector<std::string> reasons_against_buffer(const DeviceCaps& caps, std::uint64_t bytes);

/// The device that kernels are described for if none is given; almost every device meets its limits: 32 KiB of
/// shared memory, workgroups of 1024 threads, subgroups of 32, and every feature except matrix units.
DeviceCaps common_device();

}  // namespace vkmoye
