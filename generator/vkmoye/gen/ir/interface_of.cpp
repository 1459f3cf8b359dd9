// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen::ir {
namespace {

// The features that a device needs if a buffer, or shared memory or a variable, has elements of a type.
struct TypeFeatures {
  ScalarType type;
  FeatureSet in_buffer;
  FeatureSet in_shader;
};

const TypeFeatures& features_of(ScalarType type) {
  static const TypeFeatures table[] = {
      {ScalarType::f16, {Feature::storage16}, {Feature::f16}},
      // bf16 is stored as 16-bit integers. 64-bit integers and complex numbers are moved as words.
      {ScalarType::bf16, {Feature::storage16}, {Feature::i16}},
      {ScalarType::f32, {}, {}},
      {ScalarType::f64, {}, {Feature::f64}},
      {ScalarType::i8, {Feature::storage8}, {Feature::i8}},
      {ScalarType::u8, {Feature::storage8}, {Feature::i8}},
      {ScalarType::i16, {Feature::storage16}, {Feature::i16}},
      {ScalarType::u16, {Feature::storage16}, {Feature::i16}},
      {ScalarType::i32, {}, {}},
      {ScalarType::u32, {}, {}},
      {ScalarType::i64, {}, {}},
      {ScalarType::u64, {}, {}},
      {ScalarType::c64, {}, {}},
      {ScalarType::c128, {}, {}},
      {ScalarType::e4m3, {Feature::storage8}, {Feature::i8}},
      {ScalarType::e5m2, {Feature::storage8}, {Feature::i8}},
  };
  static_assert(std::size(table) == kScalarTypeCount);
  return table[static_cast<std::size_t>(type)];
}

constexpr const char* kHandWritten =
    "the shader is right: it was written by hand as GLSL, and nothing in it is verified";

// The strides of `array`; none if it is compact.
std::vector<Extent> strides_of(const Array& array) {
  if (compact_size(array.axes)) return {};
  std::vector<Extent> strides;
  for (const Axis& axis : array.axes) {
    strides.push_back(extent_from(axis.stride).value_or(Extent(0)));
  }
  return strides;
}

}  // namespace

std::string component_name(ScalarType type) {
  const std::string name(to_string(type));
  return name[0] == 'i' ? "s" + name.substr(1) : name;
}

std::optional<ScalarType> type_of_component(const std::string& component) {
  for (const ScalarTypeInfo& row : scalar_types()) {
    if (component_name(row.type) == component) return row.type;
  }
  return std::nullopt;
}

std::string to_string(const Assumption& assumption) {
  switch (assumption.kind) {
    case Assumption::Kind::written:
      return "each element of " + assumption.array +
             " is written by one invocation alone: " + assumption.why;
    case Assumption::Kind::distinct:
      return "different invocations write different elements of " + assumption.array + ": " +
             assumption.why;
    case Assumption::Kind::order:
      return "lanes hold the elements of the matrices " + assumption.array +
             " in this order: " + assumption.why;
  }
  return "?";
}

KernelInterface interface_of(const Kernel& kernel) {
  KernelInterface out;
  out.name = kernel.name;
  for (const Array& array : kernel.arrays) {
    if (array.addressing != Addressing::pointer) continue;
    out.push_constants.emplace_back(address_name(array.name), ScalarType::u64);
    out.features.add({Feature::buffer_address, Feature::i64});
  }
  for (const PushConstant& argument : kernel.arguments) {
    const bool is_pushed =
        !kernel.is_in_buffer(argument.name) && !kernel.is_specialised(argument.name);
    if (is_pushed) out.push_constants.push_back(argument);
  }
  for (const std::string& name : kernel.specialised) out.specialised.push_back({name});
  out.grid = kernel.grid;
  out.workgroup_size = {kernel.threads, 1, 1};
  out.shared_bytes = kernel.shared_bytes();
  out.subgroup_size = kernel.subgroup_size;
  if (!kernel.arrivals.empty()) out.features.add(Feature::grid_barrier);
  for_each(kernel.body, [&](const Stmt& statement) {
    const Effects effects = effects_of(statement, kernel);
    out.features.add(effects.needs);
    for (const MatrixShape& shape : effects.multiplies) {
      if (std::find(out.matrices.begin(), out.matrices.end(), shape) == out.matrices.end())
        out.matrices.push_back(shape);
    }
  });
  for_each_node(kernel, [&](const Node& node) {
    if (node.type.is_element()) {
      out.features.add(features_of(node.type.element).in_shader);
    }
    if (node.op == Op::dot4) out.features.add(Feature::integer_dot);
    const bool is_of_subgroup = node.op == Op::builtin && (node.builtin == Builtin::subgroup ||
                                                           node.builtin == Builtin::lane);
    if (is_of_subgroup) out.features.add(Feature::subgroup_basic);
  });
  for (const Array& array : kernel.arrays) {
    const TypeFeatures& needs = features_of(array.type);
    out.features.add(needs.in_shader);
    if (!array.is_buffer()) continue;
    out.features.add(needs.in_buffer);
    Binding binding{array.name,        array.type, array.access,    {},
                    strides_of(array), 1,          array.addressing};
    const auto align = [&](std::uint32_t width, ScalarType type) {
      binding.alignment =
          std::max(binding.alignment, width * static_cast<std::uint32_t>(size_of(type)));
    };
    for (const std::uint32_t width : kernel.widths_of(array.name)) align(width, array.type);
    for (const std::uint32_t width : kernel.word_widths_of(array.name)) {
      align(width, ScalarType::u32);
    }
    if (kernel.arguments_in_buffer && kernel.arguments_in_buffer->array == array.name) {
      align(1, array.type);
    }
    if (kernel.hand_written && kernel.hand_written->widest.contains(array.name)) {
      binding.alignment = kernel.hand_written->widest.at(array.name);
    }
    for (const Axis& axis : array.axes) binding.extents.push_back(axis.extent);
    if (array.name == kernel.arrivals) {
      align(1, array.type);
      out.arrivals = static_cast<std::uint32_t>(out.bindings.size());
    }
    out.bindings.push_back(std::move(binding));
  }
  if (kernel.hand_written) {
    out.features.add(kernel.hand_written->features);
    out.matrices = kernel.hand_written->matrices;
    out.assumptions.push_back(kHandWritten);
  }
  for (const Assumption& assumption : kernel.assumptions) {
    const Array* array = kernel.find(assumption.array);
    const bool is_read =
        assumption.kind == Assumption::Kind::written && array != nullptr && !array->is_buffer();
    out.assumptions.push_back(is_read ? "what is read from " + assumption.array +
                                            " was written before: " + assumption.why
                                      : to_string(assumption));
  }
  for_each(kernel.body, [&](const Stmt& statement) {
    const auto* assume = std::get_if<Assume>(&statement.value);
    if (assume != nullptr) out.assumptions.push_back(to_string(*assume));
  });
  return out;
}

}  // namespace vkmoye::gen::ir
