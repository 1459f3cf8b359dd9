// SPDX-License-Identifier: MIT
#pragma once
// The kernel IR: arrays, run-time arguments, and ordered statements over pure expressions.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/gen/ir/expr.hpp"
#include "vkmoye/gen/ir/stmt.hpp"

namespace vkmoye::gen::ir {

/// One axis of an array: the element at coordinates c is at sum(c[i] * stride[i]).
struct Axis {
  std::string coordinate;  // what a coordinate along it is called in generated code: "col"
  Extent extent = 1;       // coordinates are 0..extent-1
  Expr stride = 1;         // elements
};

/// `extent` as an expression: a number or the name of an argument.
Expr expression(const Extent& extent);

/// `extent` as the step along an axis: a number may be beyond 2^32, as no other index is. Such a step
/// takes part in no arithmetic of indices; only a pointer reaches so far.
Expr step_from(const Extent& extent);

/// The step along the axis behind one of `extent` and `step`, of a compact array.
Expr step_behind(const Expr& step, const Extent& extent);

/// The elements of an array of `axes`, as step_behind says them, if it is compact: the step along each
/// axis is the elements of those before it, so that there are no gaps. Nothing: it is not.
std::optional<Expr> compact_size(const std::vector<Axis>& axes);

/// `e` as an extent, if it is a number, an argument or the product of two arguments.
std::optional<Extent> extent_from(const Expr& e);

/// The extent of `axis` as an expression.
inline Expr extent_of(const Axis& axis) { return expression(axis.extent); }

/// What a matrix is in D = A * B + C, and its size.
struct MatrixType {
  enum class Use : std::uint8_t { a, b, accumulator };
  Use use = Use::accumulator;
  std::uint32_t rows = 0, columns = 0;
  bool operator==(const MatrixType&) const = default;
};

/// Elements of such a matrix that each of `lanes` holds.
constexpr std::size_t elements_per_lane(const MatrixType& type, std::uint32_t lanes) {
  return lanes == 0 ? 0 : std::size_t{type.rows} * type.columns / lanes;
}

/// What devices call elements of matrices: "f16", "s8", "u32".
std::string component_name(ScalarType type);

/// The type that devices call so; nothing: vkmoye has no such type.
std::optional<ScalarType> type_of_component(const std::string& component);

/// A storage buffer, an array that the threads of a workgroup share, or one that each thread has for
/// itself.
struct Array {
  enum class Space : std::uint8_t { buffer, shared, registers };
  std::string name;
  ScalarType type = ScalarType::f32;
  Space space = Space::buffer;
  Access access = Access::read_write;
  std::vector<Axis> axes;
  std::string layout;  // of an array that is no buffer, in text form: "(32,32):(1,33)"
  /// Of registers that the lanes of a subgroup hold together as matrices, one after the other. Which
  /// elements of a matrix a lane holds is the device's affair (FragmentOrder, device_caps.hpp): what is
  /// loaded from one of these registers, or stored to it, is the lane's element of that number, and
  /// fits the same matrix in the same lane alone. Machine and twin: lane l has elements l, l + lanes,
  /// .. of each matrix, counted along its rows.
  std::optional<MatrixType> matrix = {};
  /// Of registers that travel in vectors: elements that are always touched at once.
  std::uint32_t vector = 1;
  /// Of a buffer: how it is reached. Through a pointer, offsets have 64 bits where they need them.
  Reach reach = Reach::descriptor;

  /// Elements of an array that is no buffer: its extents are numbers.
  std::int64_t size() const;
};

/// Whether some offset into `array`, in elements, may be 2^32 or beyond.
bool is_far(const Array& array);

struct Kernel {
  std::string name;                                         // "transpose/padded"
  std::vector<std::pair<std::string, std::string>> config;  // enough to make it again
  std::string why;                                          // one sentence for the reader
  std::vector<Array> arrays;                                // buffers in binding order
  std::vector<PushConstant> arguments;                      // run-time sizes (u32) and factors
  std::array<GridDimension, 3> grid;
  std::uint32_t threads = 1;   // of a workgroup
  std::uint32_t subgroup = 0;  // lanes of a subgroup, where the kernel depends on them; else 0
  Body body;
  /// As it was when verify found nothing against it: until something is changed, nobody has to follow it
  /// again. Nothing: it was not verified.
  std::shared_ptr<const Kernel> verified = {};

  /// The widths at which `array` is touched somewhere, ascending; as_words: counted in words, where
  /// it is touched as those.
  std::vector<std::uint32_t> widths_of(const std::string& array, bool as_words = false) const;
  /// The array called `name`, or nullptr.
  const Array* find(const std::string& name) const;
  /// Bytes of all shared arrays together.
  std::uint64_t shared_bytes() const;
};

/// `index`, and where it is a workgroup's coordinate (group_y + first_group_y) in a grid of a known
/// number of groups: known to stay below that number.
Expr within_grid(const Expr& index, const std::array<GridDimension, 3>& grid);

/// The axes that `element`, of `array`, has coordinates along: those of the array; one of all its
/// elements if the coordinate is a place.
std::vector<Axis> axes_of(const Element& element, const Array& array);

/// The type of what stands at `element`, of `array`.
Type type_of(const Element& element, const Array& array);

/// Why `element` cannot be touched in `array` as it says; empty: it can, inside and aligned.
std::string reason_against(const Element& element, const Array& array);

/// How to call the kernel. `features`: what its types and statements ask of the device.
KernelInterface interface_of(const Kernel& kernel);

}  // namespace vkmoye::gen::ir
