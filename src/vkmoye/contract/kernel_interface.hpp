#pragma once
// How to call a compiled kernel: all that a runtime, ours or another, needs beside the SPIR-V.
//
// Example, the interface of a 32x32 transpose:
//   bindings        src read (cols, rows) f32, dst write (rows, cols) f32
//   push constants  cols, rows, first_group_x, first_group_y              (uint, 4 bytes each)
//   grid            x = ceil(cols / 32), y = ceil(rows / 32)
//   workgroup       256 x 1 x 1
//
// A grid larger than the device's maxComputeWorkGroupCount is dispatched in pieces; each piece
// gets the coordinate of its first group in the push constants first_group_x and first_group_y.

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye {

/// Values of a kernel's run-time sizes by name: {{"rows", 2048}, {"cols", 1023}}.
using Arguments = std::map<std::string, std::int64_t>;

/// A number known when the kernel is described, the name of a run-time argument, or the product of
/// two.
struct Extent {
  std::int64_t value = 0;
  std::string symbol;  // empty: `value` counts
  std::string times;   // the other factor of a product, which is at most 2^32-1

  template <std::integral Number>
  Extent(Number number) : value(static_cast<std::int64_t>(number)) {}  // NOLINT: implicit by intent
  Extent(const char* name) : symbol(name) {}                           // NOLINT: implicit by intent
  Extent(std::string name) : symbol(std::move(name)) {}                // NOLINT: implicit by intent
  Extent(std::string a, std::string b) : symbol(std::move(a)), times(std::move(b)) {}
  bool is_symbol() const { return !symbol.empty(); }
  bool operator==(const Extent&) const = default;
};

std::string to_string(const Extent& extent);

enum class Access : std::uint8_t { read, write, read_write };

std::string_view to_string(Access access);

/// An array in a storage buffer, binding number = its place in `KernelInterface::bindings`.
/// Compact, first mode contiguous: (cols, rows) is a C array of `rows` rows.
struct Binding {
  std::string name;
  ScalarType type = ScalarType::f32;
  Access access = Access::read;
  std::vector<Extent> extents;
  /// Bytes that the place it is bound at must be a multiple of: of the widest access.
  std::uint32_t alignment = 1;
};

/// Groups along one grid dimension: ceil(extent / tile).
struct GridDimension {
  Extent extent = 1;
  std::int64_t tile = 1;
};

struct KernelInterface {
  std::string name;  // "transpose/padded"
  std::vector<Binding> bindings;
  std::vector<std::string> push_constants;  // uint each, in order, 4 bytes apart
  std::array<GridDimension, 2> grid;
  std::array<std::uint32_t, 3> workgroup_size = {1, 1, 1};
  std::uint64_t shared_bytes = 0;
  FeatureSet features;  // what the device must have
};

/// The push constants that the runtime fills by itself when it splits a grid.
inline constexpr const char* kFirstGroupX = "first_group_x";
inline constexpr const char* kFirstGroupY = "first_group_y";

/// Elements of `binding` under `arguments`. Throws ArgumentError naming each argument that is
/// missing or below 1, and where the product exceeds 2^32 (indices in shaders are 32 bits wide).
std::uint64_t element_count(const Binding& binding, const Arguments& arguments);

/// Groups in x and y under `arguments`. Throws as `element_count` does.
std::array<std::uint64_t, 2> group_count(const KernelInterface& kernel, const Arguments& arguments);

/// Why `caps` cannot run this kernel: features, shared bytes, workgroup size, bindings, push
/// constants; with the numbers. Empty means it can.
std::vector<std::string> reasons_against(const KernelInterface& kernel, const DeviceCaps& caps);

}  // namespace vkmoye
