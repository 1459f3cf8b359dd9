// SPDX-License-Identifier: MIT
#pragma once
// The kernel IR: arrays, run-time arguments, and ordered statements over pure expressions.
//
// interface_of.cpp defines `interface_of` and the texts of types; kernel.cpp the rest.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/gen/ir/expr.hpp"
#include "vkmoye/gen/ir/stmt.hpp"

namespace vkmoye::gen::ir {

/// `extent` as an expression: a number, an argument, the product of two arguments, or the number of parts of these.
Expr expression(const Extent& extent);

/// ceil(whole / size): the number of parts of `size`. Precondition: 0 < size < 2^32.
Expr ceil_div(const Expr& whole, std::int64_t size);

/// `extent` as the stride of an axis. Unlike any other index, it may be a number above 2^32. Such a stride must not be
/// used in index arithmetic; only a pointer reaches that far.
Expr stride_from(const Extent& extent);

/// The stride of the axis that follows one with this `step` and `extent` in a compact array.
Expr next_stride(const Expr& step, const Extent& extent);

/// The number of elements of an array with these axes, if it is compact: the stride of each axis is the number of
/// elements of the axes before it, so that there are no gaps. nullopt if it is not compact.
std::optional<Expr> compact_size(const std::vector<Axis>& axes);

/// The number of elements of an array whose axes, in some order, are compact and have numbers as extents; else nullopt.
std::optional<std::int64_t> compact_elements(const std::vector<Axis>& axes);

/// Whether coordinates along two axes reach the same elements.
bool is_same(const std::vector<Axis>& a, const std::vector<Axis>& b);

/// `e` as an extent; nullopt unless it is a number, an argument, the product of two arguments, or ceil_div one of
/// these.
std::optional<Extent> extent_from(const Expr& e);

/// The extent of `axis` as an expression.
inline Expr extent_of(const Axis& axis) { return expression(axis.extent); }

/// The role of a matrix in D = A * B + C, and its size.
struct MatrixType {
  /// The role: a factor, or the sum.
  enum class Use : std::uint8_t { a, b, accumulator };
  Use use = Use::accumulator;
  std::uint32_t rows = 0, columns = 0;
  bool operator==(const MatrixType&) const = default;
};

/// The number of elements that each of `lanes` lanes holds of such a matrix; 0 for 0 lanes.
constexpr std::size_t elements_per_lane(const MatrixType& type, std::uint32_t lanes) {
  return lanes == 0 ? 0 : std::size_t{type.rows} * type.columns / lanes;
}

/// The name that devices use for an element type of matrices: "f16", "s8", "u32".
std::string component_name(ScalarType type);

/// The type with that component_name; nullopt if vkmoye does not support it.
std::optional<ScalarType> type_of_component(const std::string& component);

/// A storage buffer, an array in shared memory, or an array of registers, a separate one for each thread.
struct Array {
  /// Where the array lies.
  enum class Space : std::uint8_t { buffer, shared, registers };
  std::string name;
  ScalarType type = ScalarType::f32;
  Space space = Space::buffer;
  Access access = Access::read_write;
  std::vector<Axis> axes;
  std::string layout;  // in text form, except for buffers: "(32,32):(1,33)"
  /// Set if the registers are those of cooperative matrices, one after the other, which the lanes of a subgroup hold
  /// together. The device decides which elements of a matrix a lane holds (FragmentOrder, device_caps.hpp), so the
  /// value of a register only has a meaning in the same lane, for a matrix of the same type. In the machine and the
  /// twin, lane l holds the elements l, l + lanes, .. of each matrix, counted along its rows (of B, along its columns).
  std::optional<MatrixType> matrix = {};
  /// The elements of the vectors that every access to registers moves.
  std::uint32_t vector = 1;
  /// How a buffer is reached: by a descriptor, or by a pointer, with which offsets may have 64 bits.
  Addressing addressing = Addressing::descriptor;
  /// Whether what a buffer that is read and written holds before the launch does not matter.
  bool is_scratch = false;

  /// The number of elements. Precondition: it is not a buffer, so that all extents are numbers.
  std::int64_t size() const;

  bool is_buffer() const { return space == Space::buffer; }
  bool is_shared() const { return space == Space::shared; }
  bool is_registers() const { return space == Space::registers; }
};

/// Whether an offset into `array`, in elements, may be 2^32 or more.
bool needs_long_offsets(const Array& array);

/// An assumption of the author about all accesses to an array, which no proof checks. Assumptions about values are
/// statements, see Assume.
struct Assumption {
  /// What is assumed.
  enum class Kind : std::uint8_t {
    /// Each element of a buffer is written by exactly one invocation; for shared memory and registers: what is read was
    /// written before.
    written,
    /// No invocation accesses an element that another one writes: for a buffer in the whole launch, for shared memory
    /// between two barriers.
    distinct,
    /// The lanes of a subgroup hold the elements of the matrices in the order that the kernel is made for.
    order,
  };
  std::string array;
  std::string why;
  Kind kind = Kind::written;
  /// Of a kernel with phases, the only one in which it holds, counted from 0; nullopt: in all of them.
  std::optional<std::size_t> phase = {};
  bool operator==(const Assumption&) const = default;
};

/// "each element of dst is written by one invocation alone: no row is empty".
std::string to_string(const Assumption& assumption);

/// A shader that was written by hand, in place of statements. Nothing in it is verified.
struct HandWritten {
  std::string glsl;
  FeatureSet features = {};                // that it uses, besides those of the types of the arrays
  std::vector<MatrixShape> matrices = {};  // that it multiplies
  /// The widest access to a buffer in bytes, by the name of the buffer, where it is wider than an element.
  std::map<std::string, std::uint32_t> widest = {};
  bool operator==(const HandWritten&) const = default;
};

/// Arguments that are in a buffer of u32, one after the other, instead of in push constants: sizes that only the device
/// knows. They are not checked when the kernel is launched; whoever fills the buffer must check them.
struct ArgumentsInBuffer {
  std::string array;               // read-only, and accessed by no statement
  std::vector<std::string> names;  // of arguments of type u32
  bool operator==(const ArgumentsInBuffer&) const = default;
};

struct Kernel {
  std::string name;  // "transpose/padded"
  // The options that it was generated with.
  std::vector<std::pair<std::string, std::string>> config;
  std::string why;                      // one sentence for readers of the shader
  std::vector<Array> arrays;            // buffers in binding order
  std::vector<PushConstant> arguments;  // run-time sizes (u32) and factors
  std::array<GridDimension, 3> grid;
  std::uint32_t threads = 1;  // per workgroup
  /// Lanes of a subgroup, if the kernel depends on them; otherwise 0.
  std::uint32_t subgroup_size = 0;
  Body body;
  std::vector<Assumption> assumptions = {};
  /// A copy of the kernel that verify accepted, so that it need not be verified again while it is unchanged; nullptr if
  /// it was not verified.
  std::shared_ptr<const Kernel> verified = {};
  /// The command that prints this kernel, for readers of the shader: "vkmoye-bench emit copy/auto --type f16". Empty
  /// for kernels that are not in the registry.
  std::string command = {};
  /// If set, `body` is empty; see Builder::finish_with_glsl.
  std::optional<HandWritten> hand_written = {};
  std::optional<ArgumentsInBuffer> arguments_in_buffer = {};
  /// Arguments of type u32 that are specialisation constants instead of push constants; the constant_id of each is its
  /// place here. They get their values when the kernel is loaded, so that one SPIR-V serves all sizes.
  std::vector<std::string> specialised = {};
  /// A row, or column, is summed by so many threads: the bound of the rounding error depends on it.
  std::size_t summing_threads = 1;
  /// The buffer of u32 with which workgroups wait for each other, see grid_barrier.hpp; no statement accesses it. Empty
  /// for a kernel without grid barriers.
  std::string arrivals = {};
  /// How often a workgroup looks whether the last one has come, before it gives up, a multiple of 2^12: 2^23 looks take
  /// some seconds on a GPU.
  std::uint32_t most_polls = std::uint32_t{1} << 23;

  /// Whether that argument is in a buffer.
  bool is_in_buffer(const std::string& argument) const;
  /// Whether that argument is a specialisation constant.
  bool is_specialised(const std::string& argument) const;
  /// The widths of all accesses to `array` as elements, in increasing order.
  std::vector<std::uint32_t> widths_of(const std::string& array) const;
  /// The widths of all accesses to it as words, in words.
  std::vector<std::uint32_t> word_widths_of(const std::string& array) const;
  /// The array of that name; nullptr if there is none.
  const Array* find(const std::string& name) const;
  /// Whether the author asserts that different invocations write different elements of `array`.
  bool is_distinct(const std::string& array) const;
  /// The size of all shared arrays together, in bytes.
  std::uint64_t shared_bytes() const;
};

/// `index`. If it is the coordinate of a workgroup (group_y + first_group_y) in a grid with a known number of groups,
/// its bound is that number.
Expr within_grid(const Expr& index, const std::array<GridDimension, 3>& grid);

/// The axes for the coordinates of `element`, in `array`: the axes of the array, or, if the coordinate is a place, one
/// axis over all elements.
std::vector<Axis> axes_of(const Element& element, const Array& array);

/// The type of the value at `element`, in `array`.
Type type_of(const Element& element, const Array& array);

/// Why `element` is not an access that `array` allows; empty if it is. Bounds and alignment are not checked.
std::string reason_against(const Element& element, const Array& array);

/// The interface of the kernel: bindings, push constants, grid, and the features that its types and statements need.
KernelInterface interface_of(const Kernel& kernel);

}  // namespace vkmoye::gen::ir
