// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/ir/names.hpp"
#include "vkmoye/gen/ir/operation.hpp"

namespace vkmoye::gen {
namespace {

using namespace ir;

class DeclarationChecker {
 public:
  DeclarationChecker(const Kernel& kernel, const TakeReason& take, const UseExpression& use)
      : kernel_(kernel), take_(take), use_(use) {}

  void check() {
    for (const GridDimension& dimension : kernel_.grid) {
      if (dimension.tile < 1) complain("the grid has tiles of {}", dimension.tile);
      check_extent(dimension.extent, "the grid");
    }
    for (const Array& array : kernel_.arrays) check_array(array);
    if (kernel_.arguments_in_buffer) check_arguments_in_buffer(*kernel_.arguments_in_buffer);
    for (const std::string& name : kernel_.specialised) check_specialised(name);
  }

 private:
  template <class... Args>
  void complain(fmt::format_string<Args...> format, Args&&... args) {
    take_(fmt::format(format, std::forward<Args>(args)...));
  }

  void check_extent(const Extent& extent, const std::string& whose) {
    const bool counts_parts = extent.is_symbol() || extent.per == 1;
    if (extent.per < 1 || extent.per > 0xffffffff || !counts_parts) {
      complain("{} has an extent of {} in parts of {}", whose, to_string(extent), extent.per);
    }
    for (const std::string& name : extent.arguments()) use_(variable(name), "extent of " + whose);
    if (extent.is_symbol()) return;
    if (extent.value < 0 || extent.value > 0xffffffff) {
      complain("{} has an extent of {}, outside 0..2^32-1", whose, extent.value);
    }
  }

  void check_array(const Array& array) {
    if (const std::string reason = reason_against_name(array.name); !reason.empty()) {
      complain("'{}' cannot be the name of an array: {}", array.name, reason);
    } else if (is_name_of_moves(array.name)) {
      complain("'{}' cannot be the name of an array: copies use it{}", array.name, kNamesOfMoves);
    }
    // The block of a buffer has a name of its own, which nothing else may have.
    const auto names_of = [](const Array& of) {
      std::vector<std::string> names = {of.name};
      if (of.is_buffer()) names.push_back(block_name(of.name));
      return names;
    };
    const std::vector<std::string> ours = names_of(array);
    const auto is_ours = [&](const std::string& name) {
      return std::find(ours.begin(), ours.end(), name) != ours.end();
    };
    for (const Array& other : kernel_.arrays) {
      const std::vector<std::string> theirs = names_of(other);
      if (&array < &other && std::any_of(theirs.begin(), theirs.end(), is_ours)) {
        complain("arrays {} and {} have the same name{}", array.name, other.name,
                 array.name == other.name
                     ? ""
                     : ": the block of a buffer src is called Src, that of A A_block");
      }
    }
    for (const PushConstant& argument : kernel_.arguments) {
      if (!is_ours(argument.name)) continue;
      complain("array {} and argument {} have the same name", array.name, argument.name);
    }
    for (const Axis& axis : array.axes) {
      check_extent(axis.extent, array.name);
      use_(axis.stride, "stride of " + array.name);
    }
    if (array.axes.empty()) complain("array {} has no axis", array.name);
    const bool is_vector =
        array.is_registers() ? is_width(array.type, array.vector) : array.vector == 1;
    const bool is_whole = !is_vector || array.axes.empty() || array.axes[0].extent.is_symbol() ||
                          array.axes[0].extent.value % array.vector == 0;
    if (!is_vector || !is_whole) {
      complain(
          "array {} is declared with vectors of {}: only registers have vectors, of a power of two "
          "of elements and at most 16 bytes, which divide the array",
          array.name, array.vector);
    }
    if (array.is_buffer()) check_strides(array);
    if (array.is_buffer() || array.axes.empty()) return;
    if (array.axes.size() != 1 || array.axes[0].extent.is_symbol() ||
        !is_constant(array.axes[0].stride, 1)) {
      complain("{} {} must have one axis, of stride 1 and an extent that is a number",
               array.is_shared() ? "shared" : "registers", array.name);
    }
    if (array.is_registers()) return;
    const auto widths = kernel_.widths_of(array.name);
    if (widths.size() > 2 || (widths.size() == 2 && widths[0] != 1)) {
      complain(
          "shared {} is accessed in vectors of {} and of {} elements, but only one width is "
          "possible besides single elements",
          array.name, widths[widths.size() - 2], widths.back());
    }
    if (widths.size() == 2 && is_packed(array.type, widths.back())) {
      complain("shared {} is touched one by one and in packed vectors of {} {}", array.name,
               widths.back(), to_string(array.type));
    }
  }

  void check_arguments_in_buffer(const ArgumentsInBuffer& in_buffer) {
    const auto& [name, arguments] = in_buffer;
    const Array* array = kernel_.find(name);
    const bool is_right = array != nullptr && array->is_buffer() &&
                          array->type == ScalarType::u32 && array->access == Access::read &&
                          array->addressing == Addressing::descriptor && array->axes.size() == 1 &&
                          array->axes[0].extent == Extent(arguments.size());
    if (!is_right) {
      complain("{} arguments are in the array {}, which is not a read-only buffer of {} u32",
               arguments.size(), name, arguments.size());
    } else if (!kernel_.widths_of(name).empty() || !kernel_.word_widths_of(name).empty()) {
      complain("the array {} holds arguments, so no statement may access it", name);
    }
    for (const std::string& argument : arguments) {
      if (is_size(argument)) continue;
      complain("'{}' in the array {} is not an argument of type u32", argument, name);
    }
  }

  bool is_size(const std::string& name) const {
    const auto& known = kernel_.arguments;
    return std::find(known.begin(), known.end(), PushConstant(name)) != known.end() &&
           !is_first_group(name);
  }

  void check_specialised(const std::string& name) {
    if (!is_size(name)) {
      complain("the specialisation constant '{}' is not an argument of type u32", name);
    } else if (kernel_.is_in_buffer(name)) {
      complain("{} is both a specialisation constant and in a buffer", name);
    }
    const auto& all = kernel_.specialised;
    if (std::count(all.begin(), all.end(), name) > 1) {
      complain("{} is a specialisation constant twice", name);
    }
  }

  // A launch works out from the strides how long the buffer is.
  void check_strides(const Array& array) {
    const bool is_compact = compact_size(array.axes).has_value();
    for (const Axis& axis : array.axes) {
      if (array.addressing == Addressing::descriptor && is_constant(axis.stride) &&
          axis.stride->value >= kUnbounded) {
        complain("{} steps along {} by {}, which only a pointer reaches", array.name,
                 axis.coordinate, axis.stride->value);
      }
      if (is_compact || extent_from(axis.stride)) continue;
      complain(
          "the stride of {} along {}, {}, cannot be computed at a launch: it must be a number, an "
          "argument or a product of two arguments, unless the array is compact",
          array.name, axis.coordinate, text_of_stride(axis.stride));
    }
  }

  const Kernel& kernel_;
  const TakeReason& take_;
  const UseExpression& use_;
};

}  // namespace

std::string text_of_stride(const ir::Expr& stride) {
  if (is_constant(stride)) return std::to_string(stride->value);
  if (stride->op == Op::variable) return stride->name;
  return stride->op == Op::multiply ? fmt::format("{} * {}", text_of_stride(stride->operands[0]),
                                                  text_of_stride(stride->operands[1]))
                                    : "an expression";
}

void check_declarations(const Kernel& kernel, const TakeReason& take, const UseExpression& use) {
  DeclarationChecker(kernel, take, use).check();
}

}  // namespace vkmoye::gen
