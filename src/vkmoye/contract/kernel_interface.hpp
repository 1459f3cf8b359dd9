// SPDX-License-Identifier: MIT
#pragma once
// How to call a compiled kernel: everything that a runtime, vkmoye's or another, needs besides the SPIR-V.
//
// Example, the interface of a 32x32 transpose:
//   bindings        src read (cols, rows) f32, dst write (rows, cols) f32
//   push constants  cols, rows, first_group_x, first_group_y              (u32, 4 bytes each)
//   grid            x = ceil(cols / 32), y = ceil(rows / 32)
//   workgroup       256 x 1 x 1
//
// A grid larger than the device's maxComputeWorkGroupCount is dispatched in pieces; each piece
// gets the coordinate of its first group in the push constants first_group_x, .._y and .._z.

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye {

/// A value given at run time: an integer or a floating-point number.
struct Argument {
  std::variant<std::int64_t, double> value = std::int64_t{0};

  Argument() = default;
  /// A number: integers are held as 64-bit integers, others as doubles.
  template <std::integral Number>
  Argument(Number number)  // NOLINT: implicit by intent
      : value(static_cast<std::int64_t>(number)) {}
  /// A number that is not an integer, held as a double.
  template <std::floating_point Number>
  Argument(Number number) : value(static_cast<double>(number)) {}  // NOLINT: implicit by intent
  bool operator==(const Argument&) const = default;
};

std::string to_string(const Argument& argument);

/// Values of a kernel's run-time arguments by name: {{"m", 2048}, {"alpha", 0.5}}.
class Arguments : public std::map<std::string, Argument> {
 public:
  Arguments() = default;
  /// Throws ArgumentError naming each argument that is given twice.
  Arguments(std::initializer_list<value_type> list);  // NOLINT: implicit by intent
  /// The pairs of a name and a value from `first` to `last`.
  template <std::input_iterator Iterator>
  Arguments(Iterator first, Iterator last) : map(first, last) {}
};

/// A number known when the kernel is described, the name of a run-time argument, the product of two, or
/// the number of parts of a fixed size in one of these: ceil(n / 1024).
struct Extent {
  std::int64_t value = 0;
  std::string symbol;  // the name of the argument; empty: it is `value`
  std::string times;   // the name of the other factor; their product is at most 2^32-1
  /// The size of a part: the extent is ceil(whole / per), where `whole` is the argument or the product.
  std::int64_t per = 1;

  /// The size `number`.
  template <std::integral Number>
  Extent(Number number) : value(static_cast<std::int64_t>(number)) {}  // NOLINT: implicit by intent
  /// The size that the launch passes as `name`.
  Extent(const char* name) : symbol(name) {}             // NOLINT: implicit by intent
  Extent(std::string name) : symbol(std::move(name)) {}  // NOLINT: implicit by intent
  /// The product of the sizes `a` and `b`.
  Extent(std::string a, std::string b) : symbol(std::move(a)), times(std::move(b)) {}
  /// The number of parts of `size` in `whole`, the last of which may be smaller:
  /// Extent::parts("n", 1024) is ceil(n / 1024). Precondition: size > 0; `whole` does not count parts itself.
  static Extent parts(Extent whole, std::int64_t size) {
    if (whole.is_symbol()) {
      whole.per = size;
    } else {
      whole.value = (whole.value + size - 1) / size;
    }
    return whole;
  }
  /// Whether it depends on arguments.
  bool is_symbol() const { return !symbol.empty(); }
  /// The names of the arguments that it depends on: none, one or two.
  std::vector<std::string> arguments() const;
  /// The extent that is divided into parts: n of ceil(n / 1024). If it counts no parts, the extent itself.
  Extent whole() const;
  /// Whether it is the value of an argument.
  bool is_argument() const { return is_symbol() && times.empty() && per == 1; }
  bool operator==(const Extent&) const = default;
};

std::string to_string(const Extent& extent);

/// The largest argument that is an extent. Kernels compute coordinates modulo 2^32: below this, no tile of up to 4096
/// elements ends beyond 2^32.
inline constexpr std::int64_t kMaxExtent = (std::int64_t{1} << 32) - 4096;

/// What a kernel does with a buffer.
enum class Access : std::uint8_t { read, write, read_write };

std::string_view to_string(Access access);

/// How a shader reaches a storage buffer: bound to it as a descriptor, up to maxStorageBufferRange bytes
/// and 2^32 elements; or by the address of its first element, a push constant, whatever its size.
enum class Addressing : std::uint8_t { descriptor, pointer };

std::string_view to_string(Addressing addressing);

/// An array in a storage buffer, binding number = its place in `KernelInterface::bindings`.
/// First mode contiguous: (cols, rows) is a C array of `rows` rows.
struct Binding {
  std::string name;
  ScalarType type = ScalarType::f32;
  Access access = Access::read;
  std::vector<Extent> extents;
  /// Elements from one coordinate along each mode to the next; empty: compact.
  std::vector<Extent> strides = {};
  /// Bytes; the address must be a multiple of it. The size of the widest access.
  std::uint32_t alignment = 1;
  Addressing addressing = Addressing::descriptor;
};

/// The name of the push constant (8 bytes) that holds the address of the array `name`.
std::string address_name(const std::string& name);

/// Workgroups along one grid dimension: ceil(extent / tile), at most `max_groups` unless that is 0.
struct GridDimension {
  Extent extent = 1;
  std::int64_t tile = 1;
  std::int64_t max_groups = 0;
};

/// A run-time argument: u32, i32 or f32 of 4 bytes, or f64 of 8 bytes; u64: the address of a buffer,
/// which the runtime sets by itself.
struct PushConstant {
  std::string name;
  ScalarType type = ScalarType::u32;

  /// The push constant `name`, a u32 unless `type` says otherwise.
  PushConstant(const char* name) : name(name) {}                     // NOLINT: implicit by intent
  PushConstant(std::string name, ScalarType type = ScalarType::u32)  // NOLINT: likewise
      : name(std::move(name)), type(type) {}
  bool operator==(const PushConstant&) const = default;
};

/// An argument of type u32 that is a specialisation constant of the SPIR-V: it gets its value when the kernel is
/// loaded, and the driver compiles a pipeline for this value. A launch need not pass it.
struct SpecialisedArgument {
  std::string name;
  std::optional<std::uint32_t> value = {};  // nullopt until it is loaded; not kept in files
};

struct KernelInterface {
  std::string name;  // "transpose/padded"
  std::vector<Binding> bindings;
  std::vector<PushConstant> push_constants;  // in order, see push_constant_offsets
  std::array<GridDimension, 3> grid;
  std::array<std::uint32_t, 3> workgroup_size = {1, 1, 1};
  std::uint64_t shared_bytes = 0;
  FeatureSet features;  // that the device must have
  /// The number of lanes that every subgroup must have, all of them active; 0: any number.
  std::uint32_t subgroup_size = 0;
  std::vector<MatrixShape> matrices = {};  // that its matrix units must multiply
  /// What the author of the kernel asserts without a proof, one sentence each: "each element of dst is written by one
  /// invocation alone: no row is empty". A launch does not depend on them.
  std::vector<std::string> assumptions = {};
  /// The constant_id of each is its place here. They are not among `push_constants`.
  std::vector<SpecialisedArgument> specialised = {};
  /// The binding with which the workgroups of a launch wait for each other: two elements of u32, which are 0 before the
  /// first launch, and belong to one launch at a time. After a launch, the second one is 1 if a workgroup waited in
  /// vain; then the results are wrong, and both must be set to 0. Such a launch is not split, and a device must run all
  /// of its workgroups at once. nullopt: they do not wait.
  std::optional<std::uint32_t> arrivals = {};
};

/// The push constants that the runtime sets itself, for each piece of a grid that it splits.
inline constexpr std::array<const char*, 3> kFirstGroup = {"first_group_x", "first_group_y",
                                                           "first_group_z"};

/// Whether it is one of `kFirstGroup`. A kernel may have other arguments whose names begin alike.
bool is_first_group(std::string_view name);

/// Whether the runtime sets it, so that a launch does not pass it: one of `kFirstGroup`, or an address.
bool is_set_by_runtime(const PushConstant& constant);

/// The number of bindings that need a descriptor.
std::uint64_t descriptor_count(const KernelInterface& kernel);

/// The offset of each push constant in bytes: in order, each at the next multiple of its own size.
std::vector<std::uint32_t> push_constant_offsets(const KernelInterface& kernel);

/// Bytes from the first push constant to the end of the last.
std::uint32_t push_constant_bytes(const KernelInterface& kernel);

/// Elements that `binding` spans under `arguments`, from the first to the last; 0 if an extent is 0.
/// Throws ArgumentError naming each argument that is missing, an extent or a stride below 0, a count
/// above 2^32 (indices in shaders are 32 bits wide; for an array reached by a pointer, above 2^48), and
/// elements of a written array that share an address.
std::uint64_t element_count(const Binding& binding, const Arguments& arguments);

/// The extents of `binding` under `arguments`, in its order: the first mode is the contiguous one. Throws ArgumentError
/// naming each argument that is missing, and for an extent below 0 or above kMaxExtent.
std::vector<std::uint64_t> extents_in(const Binding& binding, const Arguments& arguments);

/// The number of workgroups in x, y and z for `arguments`. If one of them is 0, nothing runs. Throws like
/// `element_count`.
std::array<std::uint64_t, 3> group_count(const KernelInterface& kernel, const Arguments& arguments);

/// The number of workgroups that wait for each other; 0: none do. Precondition: their number does not depend on
/// arguments.
std::uint64_t resident_groups(const KernelInterface& kernel);

/// Why no buffer of a device with `caps` can be bound as `binding` for `arguments`: more elements than an index can
/// address, more bytes than a binding, a buffer or an allocation may have, or an argument that is missing or out
/// of range. Empty if one can.
std::vector<std::string> reasons_against(const Binding& binding, const Arguments& arguments,
                                         const DeviceCaps& caps);

/// Why `caps` cannot run this kernel: features, shared bytes, workgroup and subgroup size, bindings
/// and the bytes of those whose extents are all numbers, push constants; with the numbers. Empty
/// means it can.
std::vector<std::string> reasons_against(const KernelInterface& kernel, const DeviceCaps& caps);

}  // namespace vkmoye
